/* The admin socket in this process. */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "server/admin/line.h"
#include "server/admin/socket.h"
#include "server/base/path.h"
#include "server/services/role.h"
#include "tests/admin/fixture.h"
#include "tests/admin/suites.h"

#define STRANGER 65533

struct door {
        struct fixture *fixture;
        struct services services;
        struct admin_socket *admin;
};

static int door_open(void **state)
{
        struct door *door = memory_new(sizeof *door);
        auto_error error = {0};

        fixture_open((void **)&door->fixture);
        assert_true(path_make_folder(door->fixture->data, 0700, &error));
        door->services.data_folder = door->fixture->data;
        door->services.store = store_open(door->fixture->data, &error);
        assert_non_null(door->services.store);
        assert_true(role_seed(door->services.store, &error));
        door->admin = admin_socket_open(&door->services, &error);
        assert_non_null(door->admin);
        *state = door;
        return 0;
}

static int door_close(void **state)
{
        struct door *door = *state;

        assert_true(admin_socket_close(door->admin, 10000));
        store_close(door->services.store);
        fixture_close((void **)&door->fixture);
        free(door);
        return 0;
}

static int connect_to(struct door *door)
{
        auto_error error = {0};
        int opened;

        assert_true(admin_connect(door->fixture->data, &opened, &error));
        assert_true(opened >= 0);
        return opened;
}

static void a_command_is_answered(void **state)
{
        auto_fd opened = connect_to(*state);
        auto_json *arguments = json_pack("{s:s}", "name", "ann"), *result = NULL;
        auto_error error = {0};

        assert_true(admin_ask(opened, "user.add", arguments, &result, &error));
        assert_string_equal(document_get_string(result, "name"), "ann");
}

static void expect_refusal(struct door *door, const char *command, json_t *arguments, enum error_code code,
                           const char *message)
{
        auto_fd opened = connect_to(door);
        auto_json *result = NULL, *owned = arguments;
        auto_error error = {0};

        assert_false(admin_ask(opened, command, owned, &result, &error));
        assert_int_equal(error.code, code);
        assert_string_equal(error.message, message);
}

static void a_wrong_command_is_refused(void **state)
{
        expect_refusal(*state, "user.fly", NULL, ERROR_INVALID_INPUT, "the server knows no command user.fly");
        expect_refusal(*state, "user.add", NULL, ERROR_INVALID_INPUT, "name is required: The new user's name.");
        expect_refusal(*state, "user.list", json_pack("{s:i}", "x", 1), ERROR_INVALID_INPUT, "x is not known");
        expect_refusal(*state, "user.disable", json_pack("{s:s}", "name", "eve"), ERROR_USER_NOT_FOUND,
                       "there is no user eve");
}

static void what_is_no_request_is_refused_and_the_door_stays_open(void **state)
{
        const char *const lines[] = {"nonsense\n", "[]\n", "{\"command\": 7}\n", "\n"};

        for (size_t i = 0; i < COUNT_OF(lines); i++) {
                auto_fd opened = connect_to(*state);
                auto_error error = {0};
                assert_int_equal(send(opened, lines[i], strlen(lines[i]), 0), strlen(lines[i]));
                auto_json *answer = line_read(opened, &error);
                assert_string_equal(document_get_string(json_object_get(answer, "error"), "code"), "invalid_input");
        }
        auto_fd gone = connect_to(*state);
        shutdown(gone, SHUT_WR);
        a_command_is_answered(state);
}

static void the_socket_is_for_its_owner_only(void **state)
{
        struct door *door = *state;
        auto_free char *path = path_join(door->fixture->data, ADMIN_SOCKET_NAME);
        struct stat info;

        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
}

/* As another user, with the modes opened so that only the server's own check is left. */
static int ask_as_stranger(struct door *door)
{
        auto_json *result = NULL;
        auto_error error = {0};
        int opened;

        if (setgid(STRANGER) || setuid(STRANGER) || !admin_connect(door->fixture->data, &opened, &error) || opened < 0)
                return 1;
        if (admin_ask(opened, "user.list", NULL, &result, &error))
                return 2;
        return error.code == ERROR_PERMISSION_DENIED ? 0 : 3;
}

static void another_user_is_refused_whatever_the_modes_say(void **state)
{
        struct door *door = *state;
        auto_free char *path = path_join(door->fixture->data, ADMIN_SOCKET_NAME);
        int status;

        assert_int_equal(chmod(door->fixture->root, 0755) | chmod(door->fixture->data, 0755) | chmod(path, 0666), 0);
        pid_t child = fork();
        if (!child)
                _exit(ask_as_stranger(door));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
}

static void a_folder_without_a_server_is_told_apart(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        int opened = 7;

        assert_true(admin_connect(fixture->data, &opened, &error));
        assert_int_equal(opened, -1);
}

int run_socket_tests(void)
{
#define WITH_DOOR(test) cmocka_unit_test_setup_teardown(test, door_open, door_close)
        const struct CMUnitTest tests[] = {
                WITH_DOOR(a_command_is_answered),
                WITH_DOOR(a_wrong_command_is_refused),
                WITH_DOOR(what_is_no_request_is_refused_and_the_door_stays_open),
                WITH_DOOR(the_socket_is_for_its_owner_only),
                WITH_DOOR(another_user_is_refused_whatever_the_modes_say),
                cmocka_unit_test_setup_teardown(a_folder_without_a_server_is_told_apart, fixture_open, fixture_close),
        };

        return cmocka_run_group_tests_name("admin socket", tests, NULL, NULL);
}
