/* Files that are sent ahead of the submission that takes them. */
#include "tests/rest/fixture.h"

#include <dirent.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/upload.h"
#include "server/services/uploaded.h"

#define MEBIBYTE (1024 * 1024)
#define REQUEST "\"requestId\":\"5b1fd7a8-6a8e-4f2a-9f57-0d6d1f9f3e11\","

/* Two people of the environment main. */
struct people {
        struct rest_fixture *fixture;
        char *ann, *ben;
};

static struct people people(struct rest_fixture *fixture)
{
        rest_environment(fixture, "main");
        return (struct people){fixture, rest_key_in(fixture, "ann", "Developer", "main"),
                               rest_key_in(fixture, "ben", "Developer", "main")};
}

static void people_clear(struct people *people)
{
        free(people->ann);
        free(people->ben);
}
#define auto_people CLEANUP(people_clear) struct people

/* On a connection of its own: one whose large body was refused is closed. */
static struct reply *send_as(struct people *people, const char *key, const char *method, const char *path,
                             const char *body)
{
        auto_free char *headers = rest_bearer(key);
        struct connection *connection = connection_open(people->fixture->server);
        struct reply *reply = ask(connection, method, path, headers, body);

        connection_close(connection);
        return reply;
}

static char *upload(struct people *people, const char *key, const char *filename, const char *bytes)
{
        auto_free char *path = text_format("/uploads?filename=%s", filename);
        auto_reply *reply = send_as(people, key, "POST", path, bytes);
        auto_error error = {0};
        auto_json *made = document_parse(reply->body, reply->length, &error);

        assert_int_equal(reply->status, 201);
        assert_int_equal(document_get_integer(made, "size", -1), strlen(bytes));
        return text_copy(document_get_string(made, "uploadId"));
}

static struct reply *submit(struct people *people, const char *key, const char *more, const char *attachments)
{
        auto_free char *body = text_format(
                "{%s\"environment\":\"main\",\"instructions\":\"read it\",\"staged\":true,\"attachments\":[%s]}", more,
                attachments);

        return send_as(people, key, "POST", "/tasks", body);
}

static char *named(const char *upload_id)
{
        return text_format("{\"uploadId\":\"%s\"}", upload_id);
}

static void expect(struct reply *reply, int status, const char *holds)
{
        auto_reply *owned = reply;

        if (owned->status != status || !strstr(owned->body, holds))
                fail_msg("answered %d instead of %d with %s: %s", owned->status, status, holds, owned->body);
}

static size_t listed(struct people *people, const char *key)
{
        auto_reply *reply = send_as(people, key, "GET", "/uploads", NULL);
        auto_error error = {0};
        auto_json *list = document_parse(reply->body, reply->length, &error);

        return json_array_size(json_object_get(list, "uploads"));
}

/* The entries of DATA/uploads. */
static size_t kept(struct people *people)
{
        auto_free char *path = path_join(people->fixture->root, "uploads");
        DIR *folder = opendir(path);
        struct dirent *entry;
        size_t count = 0;

        while (folder && (entry = readdir(folder)))
                count += entry->d_name[0] != '.';
        if (folder)
                closedir(folder);
        return count;
}

static void an_upload_is_taken_once_by_a_submission_of_its_person(void **state)
{
        auto_people both_people = people(*state);
        struct people *two = &both_people;
        auto_error error = {0};

        auto_free char *id = upload(two, two->ann, "large.bin", "all of it");
        auto_free char *attachment = named(id);
        assert_int_equal(listed(two, two->ann), 1);
        assert_int_equal(listed(two, two->ben), 0);
        expect(submit(two, two->ben, "", attachment), 404, "upload_not_found");
        auto_reply *made = submit(two, two->ann, REQUEST, attachment);
        assert_int_equal(made->status, 200);
        expect(submit(two, two->ann, "", attachment), 404, "upload_not_found");
        auto_reply *retry = submit(two, two->ann, REQUEST, attachment);
        assert_int_equal(retry->status, 200);
        auto_json *first = document_parse(made->body, made->length, &error);
        auto_json *second = document_parse(retry->body, retry->length, &error);
        assert_string_equal(document_get_string(first, "taskId"), document_get_string(second, "taskId"));
        assert_int_equal(listed(two, two->ann), 0);
        assert_int_equal(kept(two), 1);
}

/* What the turn's launch finds. */
static void what_was_sent_is_what_the_task_gets(void **state)
{
        auto_people both_people = people(*state);
        struct people *two = &both_people;
        struct services *services = &two->fixture->services;
        auto_error error = {0};

        auto_free char *id = upload(two, two->ann, "large.bin", "all of it");
        auto_free char *attachments = text_format(
                "{\"filename\":\"note.txt\",\"content\":\"a note\"},{\"uploadId\":\"%s\",\"filename\":\"own.bin\"}",
                id);
        expect(submit(two, two->ann, "", attachments), 200, "taskId");
        auto_store_attachments files = {0};
        struct store_db *reader = store_reader_open(services->store, &error);
        assert_true(store_attachment_list(reader, 1, &files, &error));
        store_reader_close(reader);
        assert_int_equal(files.count, 2);
        assert_string_equal(files.items[1].filename, "own.bin");
        assert_int_equal(files.items[1].size, 9);
        auto_free char *path = text_format("%s/uploads/%s/1", two->fixture->root, files.items[1].upload);
        auto_text content = TEXT_WITH_MAXIMUM(100);
        assert_true(path_read(path, 100, &content, NULL, &error));
        assert_string_equal(text_string(&content), "all of it");
}

static void a_submission_that_is_refused_leaves_its_uploads(void **state)
{
        auto_people both_people = people(*state);
        struct people *two = &both_people;

        auto_free char *id = upload(two, two->ann, "a.txt", "x"), *attachment = named(id);
        auto_free char *twice = text_format("%s,%s", attachment, attachment);
        auto_free char *both = text_format("{\"uploadId\":\"%s\",\"content\":\"x\"}", id);
        auto_free char *same = text_format("%s,{\"filename\":\"a.txt\",\"content\":\"x\"}", attachment);
        expect(submit(two, two->ann, "", twice), 400, "invalid_attachment");
        expect(submit(two, two->ann, "", both), 400, "invalid_attachment");
        expect(submit(two, two->ann, "", same), 400, "two attachments are called a.txt");
        expect(submit(two, two->ann, "", "{\"filename\":\"b\"}"), 400, "filename and content, or uploadId");
        expect(submit(two, two->ann, "\"agent\":\"nobody\",", attachment), 400, "invalid_agent");
        assert_int_equal(kept(two), 1);
        expect(submit(two, two->ann, "", attachment), 200, "taskId");
}

static void a_follow_up_takes_uploads_too(void **state)
{
        auto_people both_people = people(*state);
        struct people *two = &both_people;
        auto_error error = {0};

        auto_reply *made = submit(two, two->ann, "", "");
        auto_json *task = document_parse(made->body, made->length, &error);
        auto_free char *id = upload(two, two->ann, "a.txt", "x");
        auto_free char *path = text_format("/tasks/%s/follow-ups", document_get_string(task, "taskId"));
        auto_free char *body = text_format(
                "{\"instructions\":\"go on\",\"idempotencyKey\":\"one\",\"attachments\":[{\"uploadId\":\"%s\"}]}", id);
        expect(send_as(two, two->ann, "POST", path, body), 200, "taskId");
        expect(send_as(two, two->ann, "POST", path, body), 200, "taskId");
        assert_int_equal(listed(two, two->ann), 0);
}

static void uploads_have_maxima(void **state)
{
        auto_people both_people = people(*state);
        struct people *two = &both_people;
        auto_free char *large = memory_new(2 * MEBIBYTE);

        memset(large, 'x', MEBIBYTE + 1);
        rest_setting(two->fixture, "UPLOAD_MEGABYTES", "1");
        rest_setting(two->fixture, "UPLOAD_PERSON_MEGABYTES", "1");
        expect(send_as(two, two->ann, "POST", "/uploads?filename=a", large), 413, "too_large");
        large[700000] = '\0';
        free(upload(two, two->ann, "a", large));
        expect(send_as(two, two->ann, "POST", "/uploads?filename=b", large), 429, "too_many");
        free(upload(two, two->ben, "a", large));
        rest_setting(two->fixture, "UPLOAD_MEGABYTES", NULL);
        rest_setting(two->fixture, "UPLOAD_PERSON_MEGABYTES", NULL);
        expect(send_as(two, two->ann, "POST", "/uploads?filename=../b", "x"), 400, "filename");
        expect(send_as(two, two->ann, "POST", "/uploads", "x"), 400, "filename is required");
        assert_int_equal(kept(two), 2);
}

static void an_upload_goes_when_nobody_takes_it(void **state)
{
        auto_people both_people = people(*state);
        struct people *two = &both_people;
        struct services *services = &two->fixture->services;
        auto_error error = {0};
        struct store_db *reader = store_reader_open(services->store, &error);

        auto_free char *old = upload(two, two->ann, "a", "x"), *attachment = named(old);
        auto_free char *removed = upload(two, two->ann, "b", "x"), *kept_one = upload(two, two->ann, "c", "x");
        auto_free char *sql = text_format("UPDATE uploads SET expires_at = created_at WHERE id = '%s'", old);
        rest_sql(two->fixture, sql);
        expect(submit(two, two->ann, "", attachment), 404, "upload_not_found");
        assert_int_equal(listed(two, two->ann), 2);
        uploaded_expire(services, reader, clock_now());
        assert_int_equal(kept(two), 2);
        auto_free char *path = text_format("/uploads/%s", removed);
        expect(send_as(two, two->ben, "DELETE", path, NULL), 404, "upload_not_found");
        expect(send_as(two, two->ann, "DELETE", path, NULL), 200, "removed");
        assert_int_equal(kept(two), 1);
        auto_free char *orphan = text_format("%s/uploads/upload-orphan", two->fixture->root);
        assert_true(path_make_folder(orphan, 0700, &error));
        upload_sweep(services, reader);
        store_reader_close(reader);
        assert_int_equal(kept(two), 1);
        auto_free char *own = named(kept_one);
        expect(submit(two, two->ann, "", own), 200, "taskId");
}

static void tools_know_of_no_uploads(void **state)
{
        auto_people both_people = people(*state);
        struct people *two = &both_people;

        auto_free char *id = upload(two, two->ann, "a", "x");
        auto_free char *message = text_format(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
                "call\",\"params\":{\"name\":\"create_task\",\"arguments\":{"
                "\"environment\":\"main\",\"instructions\":\"x\",\"attachments\":[{\"uploadId\":\"%s\"}]}}}",
                id);
        rest_setting(two->fixture, "MCP_SERVER_ENABLED", "true");
        expect(send_as(two, two->ann, "POST", "/mcp", message), 200, "Input validation error");
        rest_setting(two->fixture, "MCP_SERVER_ENABLED", NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rest_set_up, rest_tear_down)

int run_upload_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(an_upload_is_taken_once_by_a_submission_of_its_person),
                TEST(what_was_sent_is_what_the_task_gets),
                TEST(a_submission_that_is_refused_leaves_its_uploads),
                TEST(a_follow_up_takes_uploads_too),
                TEST(uploads_have_maxima),
                TEST(an_upload_goes_when_nobody_takes_it),
                TEST(tools_know_of_no_uploads),
        };

        return cmocka_run_group_tests_name("uploads", tests, NULL, NULL);
}
