/* The server's process: lock, socket, signals. */
#include <signal.h>
#include <sys/wait.h>

#include "server/base/path.h"
#include "server/lock.h"
#include "tests/admin/fixture.h"
#include "tests/admin/suites.h"

static void the_lock_names_its_holder_and_is_free_when_it_is_let_go(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        auto_free char *holder = text_format("is in use by the process %d", (int)getpid());
        int first = data_lock_take(fixture->data, &error);

        assert_true(first >= 0);
        assert_int_equal(data_lock_take(fixture->data, &error), -1);
        assert_int_equal(error.code, ERROR_CONFLICT);
        assert_non_null(strstr(error.message, holder));
        close(first);
        auto_fd second = data_lock_take(fixture->data, &error);
        assert_true(second >= 0);
}

static void a_second_server_on_the_folder_says_who_holds_it(void **state)
{
        struct fixture *fixture = *state;

        start_server(fixture);
        auto_free char *holder = text_format("is in use by the process %d\n", (int)fixture->server);
        auto_ran second = run(fixture, "serve|--port|0");
        assert_int_equal(second.status, 1);
        assert_non_null(strstr(text_string(&second.errors), holder));
}

static void a_second_server_on_the_port_says_that_it_is_taken(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *address = path_join(fixture->data, "address");
        auto_text text = TEXT_WITH_MAXIMUM(100);
        auto_error error = {0};

        start_server(fixture);
        assert_true(path_read(address, 100, &text, NULL, &error));
        auto_free char *words = text_format("serve|--data|%s/other|--port|%.*s", fixture->root,
                                            (int)strcspn(strrchr(text_string(&text), ':') + 1, "\n"),
                                            strrchr(text_string(&text), ':') + 1);
        auto_ran second = run(fixture, words);
        assert_int_equal(second.status, 1);
        assert_non_null(strstr(text_string(&second.errors), "taken"));
}

static void a_command_acts_at_once_in_the_running_server(void **state)
{
        struct fixture *fixture = *state;

        start_server(fixture);
        auto_json *made = run_json(fixture, "user|add|ann|--role|Server Admin");
        auto_json *set = run_json(fixture, "setting|set|TASK_CONCURRENCY|3");
        auto_json *shown = run_json(fixture, "setting|get|TASK_CONCURRENCY");
        auto_json *pinned = run_json(fixture, "setting|get|PORT");
        auto_json *environments = run_json(fixture, "environment|reload");

        assert_int_equal(document_get_integer(shown, "value", 0), 3);
        assert_string_equal(document_get_string(pinned, "source"), "flag");
        assert_true(json_is_array(json_object_get(environments, "environments")));
        auto_ran refused = run(fixture, "setting|set|PORT|1");
        assert_int_equal(refused.status, 1);
        assert_non_null(strstr(text_string(&refused.errors), "pinned by a flag on the server's command line"));
}

static void a_terminated_server_ends_well_and_soon(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *address = path_join(fixture->data, "address"), *socket = path_join(fixture->data, "admin.sock");
        int64_t elapsed;

        start_server(fixture);
        assert_int_equal(access(address, F_OK) | access(socket, F_OK), 0);
        assert_int_equal(stop_server(fixture, &elapsed), 0);
        assert_true(elapsed < 5000);
        assert_int_not_equal(access(address, F_OK), 0);
        assert_int_not_equal(access(socket, F_OK), 0);
}

static void a_command_works_after_a_server_was_killed(void **state)
{
        struct fixture *fixture = *state;
        int status;

        start_server(fixture);
        kill(fixture->server, SIGKILL);
        waitpid(fixture->server, &status, 0);
        fixture->server = 0;
        close(fixture->server_errors);
        auto_json *user = run_json(fixture, "user|add|ann");
        assert_string_equal(document_get_string(user, "name"), "ann");
}

/* A backup whose process is killed leaves its copy of the store; what a person put beside it stays. */
static void the_copy_of_a_killed_backup_is_removed_at_the_next_start(void **state)
{
        struct fixture *fixture = *state;
        static const char *const left[] = {"backup-0123456789abcdef", "backup-zzzzzzzzzzzzzzzz"},
                                 *const kept[] = {"backup-0123456789abcde", "backup-0123456789ABCDEF",
                                                  "backup-2026.tar"};
        auto_free char *link = text_format("%s/backup-aaaaaaaaaaaaaaaa", fixture->data);

        auto_json *first = run_json(fixture, "user|add|ann");
        for (size_t i = 0; i < COUNT_OF(left); i++) {
                auto_free char *path = text_format("%s/%s/store.db", fixture->data, left[i]);
                write_file(path, "old");
        }
        for (size_t i = 0; i < COUNT_OF(kept); i++) {
                auto_free char *path = text_format("%s/%s/x", fixture->data, kept[i]);
                write_file(path, "mine");
        }
        assert_int_equal(symlink("/nowhere", link), 0);
        auto_json *second = run_json(fixture, "user|list");
        auto_free char *copy = path_join(fixture->data, left[0]);
        assert_int_not_equal(access(copy, F_OK), 0);
        auto_free char *again = path_join(copy, "store.db"), *other = path_join(fixture->data, left[1]);
        write_file(again, "old");
        start_server(fixture);
        assert_int_not_equal(access(copy, F_OK) & access(other, F_OK), 0);
        for (size_t i = 0; i < COUNT_OF(kept); i++) {
                auto_free char *path = text_format("%s/%s/x", fixture->data, kept[i]);
                assert_int_equal(access(path, F_OK), 0);
        }
}

int run_process_tests(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
        const struct CMUnitTest tests[] = {
                WITH_FIXTURE(the_lock_names_its_holder_and_is_free_when_it_is_let_go),
                WITH_FIXTURE(a_second_server_on_the_folder_says_who_holds_it),
                WITH_FIXTURE(a_second_server_on_the_port_says_that_it_is_taken),
                WITH_FIXTURE(a_command_acts_at_once_in_the_running_server),
                WITH_FIXTURE(a_terminated_server_ends_well_and_soon),
                WITH_FIXTURE(a_command_works_after_a_server_was_killed),
                WITH_FIXTURE(the_copy_of_a_killed_backup_is_removed_at_the_next_start),
        };

        return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
