#include <gnutls/x509.h>
#include <time.h>

#include "server/base/path.h"
#include "server/base/text.h"
#include "tests/http/fixture.h"

static void write_pem(const char *path, const gnutls_datum_t *pem)
{
        auto_error error = {0};

        assert_true(path_write(path, pem->data, pem->size, 0600, &error));
}

static gnutls_x509_crt_t new_certificate(const char *name, gnutls_x509_privkey_t key)
{
        gnutls_x509_crt_t certificate;
        unsigned char serial = 1;

        assert_int_equal(gnutls_x509_crt_init(&certificate), 0);
        gnutls_x509_crt_set_version(certificate, 3);
        gnutls_x509_crt_set_serial(certificate, &serial, sizeof serial);
        gnutls_x509_crt_set_dn(certificate, "CN=test", NULL);
        gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, name, (unsigned)strlen(name),
                                             GNUTLS_FSAN_SET);
        gnutls_x509_crt_set_activation_time(certificate, time(NULL) - 3600);
        gnutls_x509_crt_set_expiration_time(certificate, time(NULL) + 86400);
        gnutls_x509_crt_set_key(certificate, key);
        assert_int_equal(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0), 0);
        return certificate;
}

void fixture_make_pair(const char *name, char **certificate_file, char **key_file)
{
        static unsigned number;
        gnutls_x509_privkey_t key;
        gnutls_datum_t pem = {0};

        number++;
        *certificate_file = text_format("/tmp/longshore-http-%d-%u.crt", getpid(), number);
        *key_file = text_format("/tmp/longshore-http-%d-%u.key", getpid(), number);
        assert_int_equal(gnutls_x509_privkey_init(&key), 0);
        assert_int_equal(
                gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
                0);
        gnutls_x509_crt_t certificate = new_certificate(name, key);
        assert_int_equal(gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &pem), 0);
        write_pem(*certificate_file, &pem);
        gnutls_free(pem.data);
        assert_int_equal(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &pem), 0);
        write_pem(*key_file, &pem);
        gnutls_free(pem.data);
        gnutls_x509_crt_deinit(certificate);
        gnutls_x509_privkey_deinit(key);
}
