#include "server/http/tls.h"

#include <gnutls/x509.h>

#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/base/text.h"
#include "tests/http/fixture.h"

static void versions_before_1_2_are_refused(void **state)
{
        static const struct {
                const char *priorities;
                bool is_spoken;
        } cases[] = {
                {"NORMAL:-VERS-ALL:+VERS-TLS1.0:%VERIFY_ALLOW_SIGN_WITH_SHA1", false},
                {"NORMAL:-VERS-ALL:+VERS-TLS1.1:%VERIFY_ALLOW_SIGN_WITH_SHA1", false},
                {"NORMAL:-VERS-ALL:+VERS-TLS1.2", true},
                {"NORMAL:-VERS-ALL:+VERS-TLS1.3", true},
        };
        struct http_server_options options = fixture_options();
        struct http_server *server = fixture_start(&options);

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                struct connection *client = connection_open_plain(server, NULL);
                if (connection_begin_tls(client, cases[i].priorities) != cases[i].is_spoken)
                        fail_msg("%s", cases[i].priorities);
                if (cases[i].is_spoken) {
                        auto_reply *reply = ask(client, "GET", "/hello", "", NULL);
                        assert_int_equal(reply->status, 200);
                }
                connection_close(client);
        }
        http_server_stop(server);
}

static void plain_http_on_a_tls_port_gets_no_answer(void **state)
{
        struct http_server_options options = fixture_options();
        struct http_server *server = fixture_start(&options);
        struct connection *plain = connection_open_plain(server, NULL);

        (void)state;
        connection_send(plain, "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
        connection_drain(plain);
        assert_null(strstr(plain->bytes, "HTTP/1.1"));
        connection_close(plain);
        struct connection *client = connection_open(server);
        auto_reply *reply = ask(client, "GET", "/hello", "", NULL);
        assert_int_equal(reply->status, 200);
        connection_close(client);
        http_server_stop(server);
}

/* Whether the connection's server shows a certificate for the name. */
static bool is_for(struct connection *connection, const char *name)
{
        unsigned count;
        const gnutls_datum_t *raw = gnutls_certificate_get_peers(connection->tls, &count);
        gnutls_x509_crt_t certificate;

        assert_true(raw && count);
        assert_int_equal(gnutls_x509_crt_init(&certificate), 0);
        assert_int_equal(gnutls_x509_crt_import(certificate, raw, GNUTLS_X509_FMT_DER), 0);
        bool is_so = gnutls_x509_crt_check_hostname(certificate, name);
        gnutls_x509_crt_deinit(certificate);
        return is_so;
}

static void expect_name(const struct http_server *server, const char *name)
{
        struct connection *client = connection_open(server);
        auto_reply *reply = ask(client, "GET", "/hello", "", NULL);

        assert_int_equal(reply->status, 200);
        assert_true(is_for(client, name));
        connection_close(client);
}

struct pair {
        char *certificate, *key;
};

static struct pair make(const char *name)
{
        struct pair pair;

        fixture_make_pair(name, &pair.certificate, &pair.key);
        return pair;
}

static void discard(struct pair pair)
{
        unlink(pair.certificate);
        unlink(pair.key);
        free(pair.certificate);
        free(pair.key);
}

static void a_new_pair_is_taken_up_while_connections_go_on(void **state)
{
        struct pair first = make("first.example"), second = make("second.example");
        struct http_server_options options = fixture_options();
        auto_error error = {0};

        (void)state;
        struct http_tls *tls = http_tls_open(first.certificate, first.key, &error);
        assert_string_equal(error.message, "");
        assert_true(http_tls_expires_at(tls) > clock_now());
        options.tls = tls;
        struct http_server *server = fixture_start(&options);
        struct connection *old = connection_open(server);
        assert_true(is_for(old, "first.example"));
        assert_true(http_tls_load(tls, second.certificate, second.key, &error));
        expect_name(server, "second.example");
        auto_reply *reply = ask(old, "GET", "/hello", "", NULL);
        assert_int_equal(reply->status, 200);
        assert_true(http_tls_load(tls, second.certificate, second.key, &error));
        expect_name(server, "second.example");
        connection_close(old);
        http_server_stop(server);
        http_tls_close(tls);
        discard(first);
        discard(second);
}

static void a_pair_that_is_not_good_changes_nothing(void **state)
{
        struct pair good = make("good.example"), other = make("other.example");
        struct http_server_options options = fixture_options();
        auto_error error = {0};

        (void)state;
        struct http_tls *tls = http_tls_open(good.certificate, good.key, &error);
        assert_non_null(tls);
        options.tls = tls;
        struct http_server *server = fixture_start(&options);
        struct {
                const char *certificate, *key, *words;
        } cases[] = {
                {other.certificate, good.key, "cannot be used together"},
                {good.key, good.key, "no certificate that can be used"},
                {good.certificate, good.certificate, "no key that can be used"},
                {"/nonexistent.crt", good.key, "/nonexistent.crt"},
                {good.certificate, "/nonexistent.key", "/nonexistent.key"},
        };
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_error failure = {0};
                assert_false(http_tls_load(tls, cases[i].certificate, cases[i].key, &failure));
                if (!strstr(failure.message, cases[i].words))
                        fail_msg("%s", failure.message);
                expect_name(server, "good.example");
        }
        assert_null(http_tls_open(other.certificate, good.key, &error));
        http_server_stop(server);
        http_tls_close(tls);
        discard(good);
        discard(other);
}

static void half_a_handshake_does_not_hold_a_place_for_ever(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        options.request_timeout_ms = 50;
        struct http_server *server = fixture_start(&options);
        struct connection *silent = connection_open_plain(server, NULL), *begun = connection_open_plain(server, NULL);
        connection_send_bytes(begun, "\x16\x03\x01\x02\x00\x01", 6);
        connection_drain(silent);
        connection_drain(begun);
        connection_close(silent);
        connection_close(begun);
        http_server_stop(server);
}

int run_tls_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(versions_before_1_2_are_refused),
                cmocka_unit_test(plain_http_on_a_tls_port_gets_no_answer),
                cmocka_unit_test(a_new_pair_is_taken_up_while_connections_go_on),
                cmocka_unit_test(a_pair_that_is_not_good_changes_nothing),
                cmocka_unit_test(half_a_handshake_does_not_hold_a_place_for_ever),
        };

        return cmocka_run_group_tests_name("tls", tests, NULL, NULL);
}
