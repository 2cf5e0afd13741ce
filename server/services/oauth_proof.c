#include "server/services/oauth_proof.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/base/document.h"
#include "server/base/form.h"
#include "server/services/oauth_client.h"
#include "server/services/oauth_secret.h"

/* Owns its strings; a secret may be NULL. */
struct proof {
        char *id, *secret;
};

static void proof_clear(struct proof *proof)
{
        free(proof->id);
        free(proof->secret);
}
#define auto_proof CLEANUP(proof_clear) struct proof

/* One half of a Basic credential, which is encoded like a form's value (section 2.3.1). */
static char *decode(const char *text, size_t length, struct error *error)
{
        auto_free char *pair = text_format("value=%.*s", (int)length, text);
        auto_json *form = form_parse(pair, strlen(pair), error);

        return form ? text_copy(document_get_string(form, "value")) : NULL;
}

static bool read_basic(const char *header, struct proof *proof, struct error *error)
{
        size_t size = 0;
        const char *at = header + strlen("Basic ");
        at += strspn(at, " ");
        auto_free char *bytes = secret_base64_decode(at, strlen(at), &size);
        auto_free char *text = bytes ? text_format("%.*s", (int)size, bytes) : NULL;
        const char *colon = text ? strchr(text, ':') : NULL;

        if (!colon || strchr(text, '&'))
                return error_set(error, ERROR_OAUTH_CLIENT, "the Authorization header is no Basic credential");
        proof->id = decode(text, (size_t)(colon - text), error);
        proof->secret = decode(colon + 1, strlen(colon + 1), error);
        if (proof->id && proof->secret)
                return true;
        error->code = ERROR_OAUTH_CLIENT;
        return false;
}

static bool read_proof(const struct oauth_form *form, struct proof *proof, struct error *error)
{
        const char *id = document_get_string(form->parameters, "client_id");
        const char *secret = document_get_string(form->parameters, "client_secret");

        if (form->authorization && !strncasecmp(form->authorization, "Basic ", 6)) {
                if (secret)
                        return error_set(error, ERROR_OAUTH_REQUEST, "the client proves itself in two ways at once");
                if (!read_basic(form->authorization, proof, error))
                        return false;
                return !id || !strcmp(id, proof->id) ||
                       error_set(error, ERROR_OAUTH_REQUEST, "client_id is not the client of the Authorization header");
        }
        if (!id)
                return error_set(error, ERROR_OAUTH_CLIENT, "client_id is missing");
        proof->id = text_copy(id);
        proof->secret = text_copy(secret);
        return true;
}

static bool is_right(const struct oauth_client *client, const char *secret)
{
        uint8_t hash[SECRET_HASH_SIZE];

        if (!client->has_secret)
                return !secret || !*secret;
        if (!secret)
                return false;
        oauth_secret_hash(secret, hash);
        return secret_is_equal(hash, client->secret_hash, sizeof hash);
}

bool oauth_proof_check(struct store_db *db, const struct oauth_form *form, char **client, struct error *error)
{
        auto_oauth_client known = {0};
        auto_proof proof = {0};

        if (!read_proof(form, &proof, error) || !oauth_client_known(db, proof.id, &known, error))
                return false;
        if (!is_right(&known, proof.secret))
                return error_set(error, ERROR_OAUTH_CLIENT, "the client's secret is wrong");
        *client = take(proof.id);
        return true;
}
