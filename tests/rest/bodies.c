/* Bodies of the routes that take files: how large they may be, and that they are read wherever they are kept. */
#include "tests/rest/fixture.h"

#include "server/base/document.h"

#define MEBIBYTE (1024 * 1024)

/* A JSON object whose one long member has so many characters. */
static char *body_of(const char *begin, size_t length, const char *end)
{
        size_t before = strlen(begin);
        char *body = memory_new(before + length + strlen(end) + 1);

        memcpy(body, begin, before);
        memset(body + before, 'x', length);
        strcpy(body + before + length, end);
        return body;
}

/* On a connection of its own: one whose large body was refused is closed. */
static struct reply *send_to(struct rest_fixture *fixture, const char *method, const char *path, const char *body)
{
        auto_free char *headers = rest_bearer(fixture->administrator);
        struct connection *connection = connection_open(fixture->server);
        struct reply *reply = ask(connection, method, path, headers, body);

        connection_close(connection);
        return reply;
}

static struct reply *create(struct rest_fixture *fixture, const char *more, size_t length)
{
        auto_free char *begin = text_format("{\"environment\":\"main\",\"instructions\":\"read it\",\"staged\":true,%s"
                                            "\"attachments\":[{\"filename\":\"a.txt\",\"content\":\"",
                                            more);
        auto_free char *body = body_of(begin, length, "\"}]}");

        return send_to(fixture, "POST", "/tasks", body);
}

static void a_large_body_is_read_from_a_file_and_its_retry_finds_the_task(void **state)
{
        struct rest_fixture *fixture = *state;
        const char *request = "\"requestId\":\"5b1fd7a8-6a8e-4f2a-9f57-0d6d1f9f3e11\",";
        auto_error error = {0};

        rest_environment(fixture, "main");
        auto_reply *first = create(fixture, request, 3 * MEBIBYTE);
        assert_int_equal(first->status, 200);
        auto_reply *retry = create(fixture, request, 3 * MEBIBYTE);
        assert_int_equal(retry->status, 200);
        auto_reply *other = create(fixture, request, 3 * MEBIBYTE + 1);
        assert_int_equal(other->status, 409);
        auto_json *made = document_parse(first->body, first->length, &error);
        auto_json *again = document_parse(retry->body, retry->length, &error);
        assert_string_equal(document_get_string(made, "taskId"), document_get_string(again, "taskId"));
        auto_reply *middle = create(fixture, "", 400000);
        assert_int_equal(middle->status, 200);
}

static void a_body_may_be_as_large_as_the_setting_says(void **state)
{
        struct rest_fixture *fixture = *state;

        rest_environment(fixture, "main");
        rest_setting(fixture, "ATTACHMENT_BODY_MEGABYTES", "1");
        auto_reply *refused = create(fixture, "", MEBIBYTE);
        assert_int_equal(refused->status, 413);
        auto_reply *accepted = create(fixture, "", MEBIBYTE - 1000);
        assert_int_equal(accepted->status, 200);
        rest_setting(fixture, "ATTACHMENT_BODY_MEGABYTES", NULL);
        auto_reply *larger = create(fixture, "", MEBIBYTE);
        assert_int_equal(larger->status, 200);
}

static void what_takes_no_files_has_the_usual_maximum(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *large = body_of("{\"name\":\"", MEBIBYTE, "\"}"),
                       *small = body_of("{\"name\":\"", MEBIBYTE / 2, "\"}");

        auto_reply *refused = send_to(fixture, "PATCH", "/tasks/x", large);
        assert_int_equal(refused->status, 413);
        auto_reply *read = send_to(fixture, "PATCH", "/tasks/x", small);
        assert_int_equal(read->status, 400);
        assert_non_null(strstr(read->body, "name must have 1 to 120 characters"));
}

static void a_large_body_that_is_no_object_is_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *list = body_of("[\"", 2 * MEBIBYTE, "\"]"), *open = body_of("{\"name\":\"", 2 * MEBIBYTE, "");

        auto_reply *refused = send_to(fixture, "POST", "/tasks", list);
        assert_int_equal(refused->status, 400);
        assert_non_null(strstr(refused->body, "the body must be a JSON object"));
        auto_reply *broken = send_to(fixture, "POST", "/tasks", open);
        assert_int_equal(broken->status, 400);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rest_set_up, rest_tear_down)

int run_body_size_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_large_body_is_read_from_a_file_and_its_retry_finds_the_task),
                TEST(a_body_may_be_as_large_as_the_setting_says),
                TEST(what_takes_no_files_has_the_usual_maximum),
                TEST(a_large_body_that_is_no_object_is_refused),
        };

        return cmocka_run_group_tests_name("bodies", tests, NULL, NULL);
}
