#include "server/http/tls.h"

#include <gnutls/x509.h>
#include <string.h>

#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/base/text.h"
#include "server/http/internal.h"

#define FILE_MAXIMUM 262144
#define CHAIN_MAXIMUM 16

/* A handshake takes several turns of the event loop and borrows its pair meanwhile, so pairs stay until the end. They
 * are as many as there were different certificates. */
struct pair {
        gnutls_pcert_st certificates[CHAIN_MAXIMUM];
        unsigned count;
        gnutls_privkey_t key;
        int64_t expires_at;
        uint8_t hash[SECRET_HASH_SIZE]; /* of both files */
        struct pair *previous;
};

struct http_tls {
        _Atomic(struct pair *) current;
};

static void pair_free(struct pair *pair)
{
        for (unsigned i = 0; i < pair->count; i++)
                gnutls_pcert_deinit(&pair->certificates[i]);
        if (pair->key)
                gnutls_privkey_deinit(pair->key);
        free(pair);
}

static void pair_release(struct pair **pair)
{
        if (*pair)
                pair_free(*pair);
}
#define auto_pair CLEANUP(pair_release) struct pair

static void wipe(struct text *text)
{
        if (text->data)
                secret_wipe(text->data, text->capacity);
        text_clear(text);
}
#define auto_secret_text CLEANUP(wipe) struct text

static gnutls_datum_t datum_of(const struct text *text)
{
        return (gnutls_datum_t){(unsigned char *)text_string(text), (unsigned)text->length};
}

static bool read_certificates(const char *file, const gnutls_datum_t *text, struct pair *pair, struct error *error)
{
        gnutls_x509_crt_t chain[CHAIN_MAXIMUM];
        unsigned count = CHAIN_MAXIMUM;
        int failure = gnutls_x509_crt_list_import(chain, &count, text, GNUTLS_X509_FMT_PEM,
                                                  GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED);

        if (failure < 0)
                return error_set(error, ERROR_INVALID_INPUT, "%s has no certificate that can be used: %s.", file,
                                 gnutls_strerror(failure));
        pair->expires_at = (int64_t)gnutls_x509_crt_get_expiration_time(chain[0]) * 1000;
        for (unsigned i = 0; i < count; i++) {
                if (failure >= 0)
                        failure = gnutls_pcert_import_x509(&pair->certificates[i], chain[i], 0);
                pair->count += failure >= 0;
                gnutls_x509_crt_deinit(chain[i]);
        }
        if (failure < 0)
                return error_set(error, ERROR_INVALID_INPUT, "%s has a certificate that cannot be used: %s.", file,
                                 gnutls_strerror(failure));
        return true;
}

static bool read_key(const char *file, const gnutls_datum_t *text, struct pair *pair, struct error *error)
{
        int failure = gnutls_privkey_init(&pair->key);

        if (failure >= 0)
                failure = gnutls_privkey_import_x509_raw(pair->key, text, GNUTLS_X509_FMT_PEM, NULL, 0);
        if (failure < 0)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "%s has no key that can be used: %s. An unencrypted PEM key is wanted.", file,
                                 gnutls_strerror(failure));
        return true;
}

/* The library itself tells whether certificate and key belong together when it takes them as credentials. */
static bool check_match(const char *certificate_file, const char *key_file, const gnutls_datum_t *certificate,
                        const gnutls_datum_t *key, struct error *error)
{
        gnutls_certificate_credentials_t credentials;
        int failure = gnutls_certificate_allocate_credentials(&credentials);

        if (failure >= 0) {
                failure = gnutls_certificate_set_x509_key_mem(credentials, certificate, key, GNUTLS_X509_FMT_PEM);
                gnutls_certificate_free_credentials(credentials);
        }
        if (failure < 0)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "The certificate of %s and the key of %s cannot be used together: %s.",
                                 certificate_file, key_file, gnutls_strerror(failure));
        return true;
}

static void hash_of(const struct text *certificate, const struct text *key, uint8_t hash[SECRET_HASH_SIZE])
{
        uint8_t parts[2][SECRET_HASH_SIZE];

        secret_hash(text_string(certificate), certificate->length, parts[0]);
        secret_hash(text_string(key), key->length, parts[1]);
        secret_hash(parts, sizeof parts, hash);
}

static struct pair *read_pair(const char *certificate_file, const char *key_file, struct error *error)
{
        auto_secret_text certificate = TEXT_WITH_MAXIMUM(FILE_MAXIMUM), key = TEXT_WITH_MAXIMUM(FILE_MAXIMUM);
        auto_pair *pair = memory_new(sizeof *pair);

        if (!path_read(certificate_file, FILE_MAXIMUM, &certificate, NULL, error) ||
            !path_read(key_file, FILE_MAXIMUM, &key, NULL, error))
                return NULL;
        gnutls_datum_t certificate_text = datum_of(&certificate), key_text = datum_of(&key);
        if (!read_certificates(certificate_file, &certificate_text, pair, error) ||
            !read_key(key_file, &key_text, pair, error) ||
            !check_match(certificate_file, key_file, &certificate_text, &key_text, error))
                return NULL;
        hash_of(&certificate, &key, pair->hash);
        return take(pair);
}

struct http_tls *http_tls_open(const char *certificate_file, const char *key_file, struct error *error)
{
        struct http_tls *tls = memory_new(sizeof *tls);

        if (http_tls_load(tls, certificate_file, key_file, error))
                return tls;
        free(tls);
        return NULL;
}

void http_tls_close(struct http_tls *tls)
{
        if (!tls)
                return;
        for (struct pair *pair = atomic_load(&tls->current); pair;) {
                struct pair *previous = pair->previous;
                pair_free(pair);
                pair = previous;
        }
        free(tls);
}

bool http_tls_load(struct http_tls *tls, const char *certificate_file, const char *key_file, struct error *error)
{
        struct pair *pair = read_pair(certificate_file, key_file, error), *before = atomic_load(&tls->current);

        if (!pair)
                return false;
        if (before && secret_is_equal(before->hash, pair->hash, SECRET_HASH_SIZE)) {
                pair_free(pair);
                return true;
        }
        pair->previous = before;
        atomic_store(&tls->current, pair);
        return true;
}

int64_t http_tls_expires_at(const struct http_tls *tls)
{
        return atomic_load(&tls->current)->expires_at;
}

static int show(const struct http_tls *tls, gnutls_pcert_st **certificates, unsigned *count, gnutls_privkey_t *key)
{
        struct pair *pair = atomic_load(&tls->current);

        *certificates = pair->certificates;
        *count = pair->count;
        *key = pair->key;
        return 0;
}

/* libmicrohttpd's session knows its connection, which knows its client from the first moment on. */
int tls_choose(gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
               const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **certificates,
               unsigned *count, gnutls_privkey_t *key)
{
        struct MHD_Connection *connection = gnutls_session_get_ptr(session);
        const struct client *client =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;

        (void)authorities, (void)authority_count, (void)algorithms, (void)algorithm_count;
        return show(client->worker->server->options.tls, certificates, count, key);
}

static int choose_own(gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
                      const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **certificates,
                      unsigned *count, gnutls_privkey_t *key)
{
        (void)authorities, (void)authority_count, (void)algorithms, (void)algorithm_count;
        return show(gnutls_session_get_ptr(session), certificates, count, key);
}

bool tls_credentials(gnutls_certificate_credentials_t *credentials, struct error *error)
{
        int failure = gnutls_certificate_allocate_credentials(credentials);

        if (failure < 0)
                return error_set(error, ERROR_INTERNAL, "TLS cannot be set up: %s.", gnutls_strerror(failure));
        gnutls_certificate_set_retrieve_function2(*credentials, choose_own);
        return true;
}
