#include <string.h>

#include "server/web/files.h"
#include "tests/rest/fixture.h"

#define HTML "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"

static const struct page_file *built(const char *beginning)
{
        for (const struct page_file *file = page_files; file->name; file++)
                if (!strncmp(file->name, beginning, strlen(beginning)) && file->is_immutable)
                        return file;
        return NULL;
}

static void the_page_is_at_each_of_its_addresses_and_nowhere_else(void **state)
{
        struct rest_fixture *fixture = *state;
        static const struct {
                const char *method, *path, *headers;
                int status;
                bool is_page;
        } cases[] = {
                {"GET", "/", "", 200, true},
                {"GET", "/task.html?id=1", "", 200, true},
                {"GET", "/task.html?groupId=g-1", HTML, 200, true},
                {"GET", "/environments.html?env=a", HTML, 200, true},
                {"GET", "/nothing", HTML, 404, true},
                {"GET", "/nothing/at/all.html", HTML, 404, true},
                {"GET", "/nothing", "", 404, false},
                {"GET", "/nothing/at/all.html", "", 404, false},
                {"GET", "/.html", "", 404, false},
                {"POST", "/task.html", HTML, 404, false},
                {"GET", "/tasks", HTML, 401, false},
                {"GET", "/assets/nothing.js", HTML, 404, false},
        };

        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_reply *reply = ask(fixture->connection, cases[i].method, cases[i].path, cases[i].headers, NULL);
                assert_int_equal(reply->status, cases[i].status);
                assert_int_equal(!strncmp(reply->body, "<!doctype html>", 15), cases[i].is_page);
        }
}

static void nothing_runs_beside_the_page_but_its_own_files(void **state)
{
        struct rest_fixture *fixture = *state;

        auto_reply *reply = ask(fixture->connection, "GET", "/", "", NULL);
        const char *policy = reply_header(reply, "Content-Security-Policy");
        assert_non_null(strstr(policy, "default-src 'none'"));
        assert_non_null(strstr(policy, "script-src 'self';"));
        assert_non_null(strstr(policy, "style-src 'self';"));
        assert_non_null(strstr(policy, "frame-ancestors 'none'"));
        assert_null(strstr(policy, "unsafe"));
        assert_null(strstr(policy, "http"));
        assert_string_equal(reply_header(reply, "X-Content-Type-Options"), "nosniff");
        assert_string_equal(reply_header(reply, "Referrer-Policy"), "no-referrer");
        assert_string_equal(reply_header(reply, "Cache-Control"), "no-cache");
        assert_null(strstr(reply->body, "<style"));
        assert_null(strstr(reply->body, "style="));
        assert_null(strstr(reply->body, "://"));
}

static void a_head_tells_what_a_get_would(void **state)
{
        struct rest_fixture *fixture = *state;

        auto_reply *get = ask(fixture->connection, "GET", "/", "", NULL);
        auto_free char *length = text_copy(reply_header(get, "Content-Length"));
        connection_send(fixture->connection, "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        auto_reply *head = connection_read(fixture->connection, false);
        assert_int_equal(head->status, 200);
        assert_string_equal(reply_header(head, "Content-Length"), length);
}

static void a_file_with_a_hash_is_kept_and_comes_compressed(void **state)
{
        struct rest_fixture *fixture = *state;
        const struct page_file *file = built("assets/index");

        if (!file)
                skip();
        auto_free char *path = text_format("/%s", file->name);
        auto_reply *reply = ask(fixture->connection, "GET", path, "Accept-Encoding: gzip\r\n", NULL);
        assert_int_equal(reply->status, 200);
        assert_string_equal(reply_header(reply, "Content-Encoding"), "gzip");
        assert_string_equal(reply_header(reply, "Vary"), "Accept-Encoding");
        assert_string_equal(reply_header(reply, "Cache-Control"), "public, max-age=31536000, immutable");
        assert_memory_equal(reply->body, "\x1f\x8b", 2);
        auto_free char *tag = text_copy(reply_header(reply, "ETag"));
        auto_free char *again = text_format("Accept-Encoding: gzip\r\nIf-None-Match: %s\r\n", tag);
        auto_free char *request = text_format("GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", path, again);
        connection_send(fixture->connection, request);
        auto_reply *same = connection_read(fixture->connection, false);
        assert_int_equal(same->status, 304);
        assert_string_equal(reply_header(same, "ETag"), tag);
        /* Another form has another tag. */
        auto_free char *other = text_format("If-None-Match: %s\r\n", tag);
        auto_reply *plain = ask(fixture->connection, "GET", path, other, NULL);
        assert_int_equal(plain->status, 200);
        assert_null(reply_header(plain, "Content-Encoding"));
}

static void the_stylesheet_of_server_made_pages_is_asked_for_anew(void **state)
{
        struct rest_fixture *fixture = *state;

        if (!page_files[0].name)
                skip();
        auto_reply *reply = ask(fixture->connection, "GET", "/assets/server.css", "", NULL);
        assert_int_equal(reply->status, 200);
        assert_string_equal(reply_header(reply, "Content-Type"), "text/css; charset=utf-8");
        assert_string_equal(reply_header(reply, "Cache-Control"), "no-cache");
}

int run_page_tests(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, rest_set_up, rest_tear_down)
        const struct CMUnitTest tests[] = {
                TEST(the_page_is_at_each_of_its_addresses_and_nowhere_else),
                TEST(nothing_runs_beside_the_page_but_its_own_files),
                TEST(a_head_tells_what_a_get_would),
                TEST(a_file_with_a_hash_is_kept_and_comes_compressed),
                TEST(the_stylesheet_of_server_made_pages_is_asked_for_anew),
        };
#undef TEST

        return cmocka_run_group_tests(tests, NULL, NULL);
}
