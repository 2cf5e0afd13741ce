/* Every tool of groups, pins and marks, for everybody and every kind of group: one table says what is answered. Each
 * cell runs on a group of its own. */
#include "tests/rest/fixture.h"

#include "server/base/document.h"

/* Who calls: who made the variants; a Developer and a Viewer of the environment; a Developer of another one, in a team
 * with the owner; and who may see and change private tasks of others. */
enum person { OWNER, MEMBER, VIEWER, OTHER, KEEPER, PERSON_COUNT };
static const char *const names[] = {"owner", "member", "viewer", "other", "keeper"};

/* What the group is: two shared variants of the owner's; the same private; and three of which the second is private to
 * somebody else. The first variant is what the calls are about. */
enum kind { SHARED, PRIVATE, MIXED, KIND_COUNT };
static const char *const kinds[] = {"shared", "private", "mixed"};

/* One letter a person, in their order, for each kind: A is done, D permission_denied, H task_not_found or
 * group_not_found, C conflicting_outcome, N not_found. In the arguments stand $G, the group, and $T, its first variant.
 * Before, with PINS, the caller has pinned what can be seen of the group, with STAR the second variant has got the
 * star. */
enum before { NOTHING, PINS, STAR };
static const struct row {
        const char *tool, *arguments;
        const char *expected[KIND_COUNT];
        enum before before;
} rows[] = {
        {"list_task_groups", "{\"environment\":\"main\"}", {"AAAHA", "AAAHA", "AAAHA"}, NOTHING},
        {"get_task_group", "{\"groupId\":\"$G\"}", {"AAAHA", "AHHHA", "AAAHA"}, NOTHING},
        {"list_tasks", "{\"groupId\":\"$G\"}", {"AAAAA", "AAAAA", "AAAAA"}, NOTHING},
        {"get_task", "{\"taskId\":\"$T\"}", {"AAAHA", "AHHHA", "AAAHA"}, NOTHING},
        {"list_task_comments", "{\"taskId\":\"$T\"}", {"AAAHA", "AHHHA", "AAAHA"}, NOTHING},
        {"list_task_changed_files", "{\"taskId\":\"$T\"}", {"AAAHA", "AHHHA", "AAAHA"}, NOTHING},
        {"get_task_review_summary", "{\"taskId\":\"$T\"}", {"AAAHA", "AHHHA", "AAAHA"}, NOTHING},
        {"read_task_diff",
         "{\"taskId\":\"$T\",\"repository\":\"r\",\"filePath\":\"f\"}",
         {"NNNHN", "NHHHN", "NNNHN"},
         NOTHING},
        {"rename_task", "{\"taskId\":\"$T\",\"name\":\"n\"}", {"AADHA", "AHHHA", "DDDHA"}, NOTHING},
        {"rename_task", "{\"taskId\":\"$T\",\"name\":\"n\",\"scope\":\"task\"}", {"AADHA", "AHHHA", "AADHA"}, NOTHING},
        {"rename_group", "{\"groupId\":\"$G\",\"name\":\"n\"}", {"AADHA", "AHHHA", "DDDHA"}, NOTHING},
        {"set_task_pinned", "{\"taskId\":\"$T\",\"pinned\":true}", {"AAAHA", "AHHHA", "AAAHA"}, NOTHING},
        {"set_task_pinned", "{\"taskId\":\"$T\",\"pinned\":false}", {"AAAHA", "AHHHA", "AAAHA"}, PINS},
        {"set_group_pinned", "{\"groupIds\":[\"$G\"],\"pinned\":true}", {"AAAHA", "AHHHA", "AAAHA"}, NOTHING},
        {"set_task_snooze", "{\"taskId\":\"$T\",\"snoozeForMinutes\":5}", {"AADHA", "AHHHA", "DDDHA"}, PINS},
        {"set_group_snooze", "{\"groupId\":\"$G\",\"until\":null}", {"AADHA", "AHHHA", "DDDHA"}, PINS},
        {"set_task_winner", "{\"taskId\":\"$T\",\"winner\":true}", {"AADHA", "AHHHA", "AADHA"}, NOTHING},
        {"set_task_winner", "{\"taskId\":\"$T\",\"winner\":true}", {"AADHA", "AHHHA", "DDDHA"}, STAR},
        {"set_task_loser", "{\"taskId\":\"$T\",\"loser\":true}", {"AADHA", "AHHHA", "AADHA"}, NOTHING},
        {"create_task",
         "{\"groupId\":\"$G\",\"instructions\":\"x\",\"staged\":true}",
         {"AADHA", "AHHHA", "AADHA"},
         NOTHING},
        {"create_task", "{\"sourceTaskId\":\"$T\",\"staged\":true}", {"AADHA", "AHHHA", "AADHA"}, NOTHING},
};

struct matrix {
        struct rest_fixture *fixture;
        char *keys[PERSON_COUNT], *somebody;
        int faults;
        char *group, *first, *second;
};

/* The answer of a tool: its result, or {"error", ...}. */
static json_t *call(struct matrix *matrix, const char *key, const char *tool, const char *arguments)
{
        auto_free char *headers = rest_bearer(key);
        auto_free char *message = text_format("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                                              "\"name\":\"%s\",\"arguments\":%s}}",
                                              tool, arguments);
        auto_reply *reply = ask(matrix->fixture->connection, "POST", "/mcp", headers, message);
        auto_error error = {0};
        auto_json *answer = document_parse(reply->body, reply->length, &error);
        const json_t *result = json_object_get(answer, "result");
        const char *text = document_get_string(json_array_get(json_object_get(result, "content"), 0), "text");

        if (!text)
                fail_msg("%s answered %d: %s", tool, reply->status, reply->body);
        return document_parse(text, strlen(text), &error);
}

static char *made(struct matrix *matrix, const char *key, const char *arguments, const char *member)
{
        auto_json *result = call(matrix, key, "create_task", arguments);
        const char *value = document_get_string(result, member);

        if (!value)
                fail_msg("create_task %s: %s", arguments, document_get_string(result, "message"));
        return text_copy(value);
}

static void forget(struct matrix *matrix)
{
        free(matrix->group);
        free(matrix->first);
        free(matrix->second);
}

static void make_group(struct matrix *matrix, enum kind kind)
{
        const char *shared = kind == PRIVATE ? "false" : "true", *owner = matrix->keys[OWNER];
        auto_free char *source =
                text_format("{\"environment\":\"main\",\"instructions\":\"x\",\"staged\":true,\"shared\":%s}", shared);

        forget(matrix);
        matrix->first = made(matrix, owner, source, "taskId");
        auto_free char *variant = text_format("{\"sourceTaskId\":\"%s\",\"staged\":true,\"shared\":%s}", matrix->first,
                                              kind == MIXED ? "false" : shared);
        /* Somebody else's private variant is made before the owner's second. */
        matrix->second = made(matrix, kind == MIXED ? matrix->somebody : owner, variant, "taskId");
        auto_json *first = NULL;
        auto_free char *arguments = text_format("{\"taskId\":\"%s\"}", matrix->first);
        first = call(matrix, owner, "get_task", arguments);
        matrix->group = text_copy(document_get_string(first, "groupId"));
        if (kind != MIXED)
                return;
        auto_free char *third = text_format("{\"sourceTaskId\":\"%s\",\"staged\":true,\"shared\":true}", matrix->first);
        free(made(matrix, owner, third, "taskId"));
}

static void prepare(struct matrix *matrix, const struct row *row, enum person person, enum kind kind)
{
        auto_free char *pin = text_format("{\"groupIds\":[\"%s\"],\"pinned\":true}", matrix->group),
                       *star = text_format("{\"taskId\":\"%s\",\"winner\":true}", matrix->second);

        if (row->before == PINS) {
                auto_json *pinned = call(matrix, matrix->keys[person], "set_group_pinned", pin);
                assert_non_null(pinned);
        }
        if (row->before == STAR) {
                auto_json *marked =
                        call(matrix, kind == MIXED ? matrix->somebody : matrix->keys[OWNER], "set_task_winner", star);
                assert_true(json_is_true(json_object_get(marked, "isWinner")));
        }
}

static char *filled(const struct matrix *matrix, const char *text)
{
        struct text out = TEXT_WITH_MAXIMUM(10000);

        for (; *text; text++)
                if (*text == '$')
                        text_append_string(&out, *++text == 'G' ? matrix->group : matrix->first);
                else
                        text_append(&out, text, 1);
        return text_take(&out);
}

static char letter_of(const json_t *result)
{
        static const struct {
                const char *code;
                char letter;
        } letters[] = {{"permission_denied", 'D'},     {"task_not_found", 'H'},      {"group_not_found", 'H'},
                       {"environment_not_found", 'H'}, {"conflicting_outcome", 'C'}, {"not_found", 'N'}};
        const char *code = document_get_string(result, "error");

        for (size_t i = 0; code && i < COUNT_OF(letters); i++)
                if (!strcmp(letters[i].code, code))
                        return letters[i].letter;
        return code ? '?' : 'A';
}

/* Whoever does not see the second variant of a mixed group is never told of it. */
static bool tells_too_much(const struct matrix *matrix, const json_t *result, enum person person, enum kind kind)
{
        auto_free char *told = document_print(result);

        return kind == MIXED && person != KEEPER && strstr(told, matrix->second) != NULL;
}

static void check_cell(struct matrix *matrix, const struct row *row, enum kind kind, enum person person)
{
        make_group(matrix, kind);
        prepare(matrix, row, person, kind);
        auto_free char *arguments = filled(matrix, row->arguments);
        auto_json *result = call(matrix, matrix->keys[person], row->tool, arguments);
        auto_free char *told = document_print(result);
        char expected = row->expected[kind][person], found = letter_of(result);

        if (found != expected || tells_too_much(matrix, result, person, kind)) {
                print_error("%s %s of the %s on a %s group answered %c, not %c: %s\n", row->tool, arguments,
                            names[person], kinds[kind], found, expected, told);
                matrix->faults++;
        }
}

static void put(struct matrix *matrix, const char *method, const char *path, const char *body)
{
        auto_free char *headers = rest_bearer(matrix->fixture->administrator);
        auto_reply *reply = ask(matrix->fixture->connection, method, path, headers, body);

        if (reply->status >= 300)
                fail_msg("%s %s answered %d: %s", method, path, reply->status, reply->body);
}

static void every_tool_of_groups_answers_everybody_as_the_table_says(void **state)
{
        struct matrix matrix = {.fixture = *state};

        rest_environment(matrix.fixture, "main");
        rest_environment(matrix.fixture, "elsewhere");
        put(&matrix, "PUT", "/settings/MCP_SERVER_ENABLED", "{\"value\":\"true\"}");
        matrix.keys[OWNER] = rest_key_in(matrix.fixture, "owner", "Developer", "main");
        matrix.keys[MEMBER] = rest_key_in(matrix.fixture, "member", "Developer", "main");
        matrix.keys[VIEWER] = rest_key_in(matrix.fixture, "viewer", "Viewer", "main");
        matrix.keys[OTHER] = rest_key_in(matrix.fixture, "other", "Developer", "elsewhere");
        matrix.keys[KEEPER] = rest_key_in(matrix.fixture, "keeper", "Environment Admin", "main");
        matrix.somebody = rest_key_in(matrix.fixture, "somebody", "Developer", "main");
        put(&matrix, "POST", "/teams", "{\"name\":\"team\"}");
        put(&matrix, "POST", "/teams/team/members", "{\"user\":\"owner\"}");
        put(&matrix, "POST", "/teams/team/members", "{\"user\":\"other\"}");
        for (size_t i = 0; i < COUNT_OF(rows); i++)
                for (int kind = 0; kind < KIND_COUNT; kind++)
                        for (int person = 0; person < PERSON_COUNT; person++)
                                check_cell(&matrix, &rows[i], (enum kind)kind, (enum person)person);
        put(&matrix, "DELETE", "/settings/MCP_SERVER_ENABLED", NULL);
        forget(&matrix);
        for (int i = 0; i < PERSON_COUNT; i++)
                free(matrix.keys[i]);
        free(matrix.somebody);
        assert_int_equal(matrix.faults, 0);
}

int run_group_matrix_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(every_tool_of_groups_answers_everybody_as_the_table_says, rest_set_up,
                                                rest_tear_down),
        };

        return cmocka_run_group_tests_name("group matrix", tests, NULL, NULL);
}
