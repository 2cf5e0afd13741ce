/* Attachments of turns in the store. */
#ifndef STORE_ATTACHMENT_H
#define STORE_ATTACHMENT_H

#include "server/store/store.h"

/* Owns its strings. */
struct store_attachment {
        char *filename, *upload;
        int64_t size; /* bytes */
};
struct store_attachments {
        struct store_attachment *items;
        size_t count;
};
void store_attachments_clear(struct store_attachments *attachments);
#define auto_store_attachments CLEANUP(store_attachments_clear) struct store_attachments

/* Puts a file behind those the turn has. */
MUST_CHECK bool store_attachment_add(struct store_db *db, int64_t turn, const char *filename, int64_t size,
                                     const char *upload, struct error *error);
/* In the order they were given. */
MUST_CHECK bool store_attachment_list(struct store_db *db, int64_t turn, struct store_attachments *attachments,
                                      struct error *error);
/* Whether any turn refers to the upload. */
MUST_CHECK bool store_upload_is_used(struct store_db *db, const char *upload, bool *is_used, struct error *error);

#endif
