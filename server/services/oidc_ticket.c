#include "server/services/oidc_ticket.h"

#include <pthread.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/secret.h"

#define PURPOSE "a sign-in at the OpenID provider"
#define SEALED_MAXIMUM 4096
#define USED_MAXIMUM 4096

/* Of this process: a sign-in does not outlive it. */
static uint8_t key[SECRET_SEAL_KEY_SIZE];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* States that came back, the newest of them: a ticket is used once. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint8_t used[USED_MAXIMUM][SECRET_HASH_SIZE];
static size_t next_used;

static void make_key(void)
{
        secret_random(key, sizeof key);
}

void oidc_ticket_clear(struct oidc_ticket *ticket)
{
        free(ticket->issuer);
        free(ticket->state);
        free(ticket->nonce);
        free(ticket->verifier);
        free(ticket->return_path);
        *ticket = (struct oidc_ticket){0};
}

static char *random_text(void)
{
        char *text = memory_new(OIDC_TOKEN_LENGTH + 1);

        secret_token_new(text, OIDC_TOKEN_LENGTH);
        return text;
}

struct oidc_ticket oidc_ticket_new(const char *issuer, const char *return_path, bool is_fresh, int64_t now)
{
        return (struct oidc_ticket){.issuer = text_copy(issuer),
                                    .state = random_text(),
                                    .nonce = random_text(),
                                    .verifier = random_text(),
                                    .return_path = text_copy(return_path),
                                    .begun_at = now,
                                    .is_fresh = is_fresh};
}

char *oidc_ticket_seal(const struct oidc_ticket *ticket)
{
        auto_json *document =
                json_pack("[s, s, s, s, s, I, b]", ticket->issuer, ticket->state, ticket->nonce, ticket->verifier,
                          ticket->return_path, (json_int_t)ticket->begun_at, ticket->is_fresh);
        auto_free char *printed = document_print(document);
        size_t length = strlen(printed);
        auto_free uint8_t *sealed = memory_new(length + SECRET_SEAL_OVERHEAD);

        pthread_once(&once, make_key);
        secret_seal(key, PURPOSE, printed, length, sealed);
        return secret_base64url(sealed, length + SECRET_SEAL_OVERHEAD);
}

/* The base64 of the cookie is the URL's, which needs no quoting. */
static void *decode(const char *cookie, size_t *size)
{
        size_t length = strlen(cookie), padded = (length + 3) / 4 * 4;
        auto_free char *plain = memory_new(padded + 1);

        for (size_t i = 0; i < padded; i++)
                plain[i] = i >= length ? '=' : cookie[i] == '-' ? '+' : cookie[i] == '_' ? '/' : cookie[i];
        plain[padded] = '\0';
        return secret_base64_decode(plain, padded, size);
}

static json_t *unseal(const char *cookie)
{
        size_t size = 0;
        auto_error error = {0};

        if (strlen(cookie) > SEALED_MAXIMUM)
                return NULL;
        auto_free uint8_t *sealed = decode(cookie, &size);
        if (!sealed || size <= SECRET_SEAL_OVERHEAD)
                return NULL;
        auto_free char *printed = memory_new(size - SECRET_SEAL_OVERHEAD + 1);
        pthread_once(&once, make_key);
        if (!secret_unseal(key, PURPOSE, sealed, size, printed))
                return NULL;
        return document_parse(printed, size - SECRET_SEAL_OVERHEAD, &error);
}

static bool read_ticket(const json_t *document, struct oidc_ticket *ticket)
{
        const char *issuer, *state, *nonce, *verifier, *return_path;
        json_int_t begun_at;
        int is_fresh;

        if (!document || json_unpack((json_t *)(uintptr_t)document, "[s, s, s, s, s, I, b]", &issuer, &state, &nonce,
                                     &verifier, &return_path, &begun_at, &is_fresh))
                return false;
        *ticket = (struct oidc_ticket){.issuer = text_copy(issuer),
                                       .state = text_copy(state),
                                       .nonce = text_copy(nonce),
                                       .verifier = text_copy(verifier),
                                       .return_path = text_copy(return_path),
                                       .begun_at = begun_at,
                                       .is_fresh = is_fresh};
        return true;
}

static bool use_up(const char *state)
{
        uint8_t hash[SECRET_HASH_SIZE];
        bool is_new = true;

        secret_hash(state, strlen(state), hash);
        pthread_mutex_lock(&mutex);
        for (size_t i = 0; i < USED_MAXIMUM; i++)
                is_new = is_new && memcmp(used[i], hash, sizeof hash) != 0;
        if (is_new)
                memcpy(used[next_used++ % USED_MAXIMUM], hash, sizeof hash);
        pthread_mutex_unlock(&mutex);
        return is_new;
}

bool oidc_ticket_open(const char *cookie, const char *state, int64_t now, int64_t lifetime_ms,
                      struct oidc_ticket *ticket, struct error *error)
{
        auto_json *document = unseal(cookie);
        auto_oidc_ticket opened = {0};

        if (!read_ticket(document, &opened) || now - opened.begun_at >= lifetime_ms)
                return error_set(error, ERROR_UNAUTHENTICATED,
                                 "This sign-in was not begun in this browser, or too long ago; begin it again.");
        if (strlen(state) != strlen(opened.state) || !secret_is_equal(state, opened.state, strlen(state)))
                return error_set(error, ERROR_UNAUTHENTICATED,
                                 "The answer belongs to another sign-in than the one begun last; begin it again.");
        if (!use_up(state))
                return error_set(error, ERROR_UNAUTHENTICATED, "This sign-in was finished already; begin it again.");
        *ticket = opened;
        opened = (struct oidc_ticket){0};
        return true;
}
