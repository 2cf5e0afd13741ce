/* OAuth clients: those that registered themselves (RFC 7591), and those that publish their metadata at the URL which is
 * their id (Client ID Metadata Documents). Anybody may register anything: a name proves nothing, and only where a
 * person is sent back to says whom they deal with. */
#ifndef SERVICES_OAUTH_CLIENT_H
#define SERVICES_OAUTH_CLIENT_H

#include "server/base/secret.h"
#include "server/services/services.h"

#define OAUTH_CLIENT_ID_MAXIMUM 1000
#define OAUTH_REGISTRATION_MAXIMUM 16384
/* An unused registration is forgotten after a day. */
#define OAUTH_UNUSED_MS (INT64_C(24) * 60 * 60 * 1000)

/* Owns its strings. */
struct oauth_client {
        char *id;
        char *name;          /* as it calls itself, cleaned of what would mislead; "" when it has no name */
        char *redirect_uris; /* one on each line */
        char *document_host; /* where its metadata is published; NULL for one that registered */
        bool has_secret;
        uint8_t secret_hash[SECRET_HASH_SIZE];
};
void oauth_client_clear(struct oauth_client *client);
#define auto_oauth_client CLEANUP(oauth_client_clear) struct oauth_client

/* Whether the id is the URL of a metadata document. */
bool oauth_client_id_is_url(const char *id);
/* ERROR_OAUTH_CLIENT when there is none (also one that registered and was not used within a day). May fetch a document
 * when the id is a URL: blocks then, and needs oauth_document_find's errors to be told. */
MUST_CHECK bool oauth_client_find(struct store_db *db, const char *id, struct oauth_client *client,
                                  struct error *error);
/* The same without fetching: for a URL only id and host are filled. */
MUST_CHECK bool oauth_client_known(struct store_db *db, const char *id, struct oauth_client *client,
                                   struct error *error);

/* The name without control, direction and invisible characters, at most 100 characters, on the heap. */
char *oauth_client_clean_name(const char *name);

/* The members of a client's metadata that count here; unknown ones are ignored (RFC 7591, section 2). */
struct oauth_metadata {
        char *name, *redirect_uris; /* owned; one URI on each line */
        const char *auth_method;    /* a constant */
};
void oauth_metadata_clear(struct oauth_metadata *metadata);
#define auto_oauth_metadata CLEANUP(oauth_metadata_clear) struct oauth_metadata
/* ERROR_OAUTH_CLIENT_METADATA, ERROR_OAUTH_REDIRECT_URI. */
MUST_CHECK bool oauth_metadata_read(const json_t *document, struct oauth_metadata *metadata, struct error *error);

/* Registers a client: `body` is what it sent, `address` where from. The answer of RFC 7591, section 3.2.1. Blocks.
 * oauth_metadata_read's errors; ERROR_OAUTH_CLIENT_METADATA for a redirect host that is not allowed; ERROR_TOO_MANY. */
MUST_CHECK bool oauth_client_register(struct services *services, const char *body, size_t length, const char *address,
                                      json_t **result, struct error *error);

#endif
