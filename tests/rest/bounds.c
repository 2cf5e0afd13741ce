/* No answer is larger than it may be, and what it leaves out can be read. */
#include "tests/rest/fixture.h"

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/rest/page.h"
#include "server/services/task_paths.h"

#define FILES 600

static json_t *get(struct rest_fixture *fixture, const char *path)
{
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_reply *reply = ask(fixture->connection, "GET", path, headers, NULL);
        auto_error error = {0};
        json_t *document = document_parse(reply->body, reply->length, &error);

        assert_int_equal(reply->status, 200);
        assert_non_null(document);
        return document;
}

/* A staged task of the administrator's, on the heap. */
static char *make_task(struct rest_fixture *fixture)
{
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_error error = {0};

        rest_environment(fixture, "main");
        auto_reply *reply = ask(fixture->connection, "POST", "/tasks", headers,
                                "{\"environment\":\"main\",\"instructions\":\"x\",\"staged\":true}");
        auto_json *made = document_parse(reply->body, reply->length, &error);
        return text_copy(document_get_string(made, "taskId"));
}

static void write_files(struct rest_fixture *fixture, const char *task)
{
        auto_free char *folder = task_path_output(fixture->root, task);
        auto_error error = {0};

        assert_true(path_make_folder(folder, 0755, &error));
        for (int i = 0; i < FILES; i++) {
                auto_free char *path = text_format("%s/file-%03d", folder, i);
                FILE *file = fopen(path, "w");
                assert_non_null(file);
                fclose(file);
        }
}

static void a_long_list_says_what_it_leaves_out_and_pages_show_all(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *task = make_task(fixture);

        write_files(fixture, task);
        auto_free char *output = text_format("/tasks/%s/output?include=files", task);
        auto_free char *first = text_format("/tasks/%s/files?limit=500", task);
        auto_json *all = get(fixture, output);
        assert_int_equal(json_array_size(json_object_get(all, "files")), 500);
        assert_true(document_get_integer(all, "filesOmitted", 0) >= FILES - 500);
        auto_json *page = get(fixture, first);
        assert_int_equal(json_array_size(json_object_get(page, "files")), 500);
        auto_free char *next = text_format("%s&cursor=%s", first, document_get_string(page, "nextCursor"));
        auto_json *rest = get(fixture, next);
        assert_true(json_array_size(json_object_get(rest, "files")) >= FILES - 500);
        assert_true(json_is_null(json_object_get(rest, "nextCursor")));
}

/* Large entries make pages shorter, and none is lost. */
static void a_page_of_large_entries_ends_early(void **state)
{
        static const struct rest_page page = {"items", "id"};
        auto_free char *large = memory_new(20001);
        char cursor[64] = "";
        size_t seen = 0, pages = 0;
        bool has_more = true;

        (void)state;
        memset(large, 'x', 20000);
        while (has_more) {
                auto_json *result = json_pack("{s:[]}", "items");
                auto_error error = {0};
                struct rest_page_input input = {500, *cursor ? cursor : NULL};
                for (int i = 0; i < 200; i++) {
                        char id[16];
                        snprintf(id, sizeof id, "%05d", i);
                        json_array_append_new(json_object_get(result, "items"),
                                              json_pack("{s:s, s:s}", "id", id, "text", large));
                }
                assert_true(rest_page_cut(&page, &input, result, &error));
                seen += json_array_size(json_object_get(result, "items"));
                const char *next = document_get_string(result, "nextCursor");
                has_more = next && ++pages < 100;
                snprintf(cursor, sizeof cursor, "%s", next ? next : "");
        }
        assert_int_equal(seen, 200);
        assert_in_range(pages, 3, 5);
}

/* The service sizes the reply to what a tool's result may carry; whatever else there is, the door holds that. */
static void a_task_is_told_within_the_bounds_of_a_tools_result(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *task = make_task(fixture), *quotes = memory_new(500001);

        memset(quotes, '"', 500000);
        auto_text sql = TEXT_WITH_MAXIMUM(2000000);
        text_printf(&sql,
                    "INSERT INTO replies (turn, body, characters, replied_at) SELECT turn, '%s', 500000, 1 FROM tasks;"
                    "UPDATE tasks SET reply = turn",
                    quotes);
        rest_sql(fixture, text_string(&sql));
        auto_free char *path = text_format("/tasks/%s?fullLatestResponse=true", task);
        auto_free char *headers = rest_bearer(fixture->administrator);
        struct connection *connection = connection_open(fixture->server);
        auto_free char *request =
                text_format("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n%s\r\n", path, headers);
        connection_send(connection, request);
        size_t length = connection_drain(connection);
        connection_close(connection);
        assert_in_range(length, 400000, 513000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rest_set_up, rest_tear_down)

int run_bound_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_long_list_says_what_it_leaves_out_and_pages_show_all),
                cmocka_unit_test(a_page_of_large_entries_ends_early),
                TEST(a_task_is_told_within_the_bounds_of_a_tools_result),
        };

        return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
