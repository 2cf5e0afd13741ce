#include "tests/rest/fixture.h"

#include <sqlite3.h>

#include "docker/client.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/environment.h"
#include "server/services/feed.h"
#include "server/services/key.h"
#include "server/services/login_limit.h"
#include "server/services/role.h"
#include "server/services/user.h"

int rest_set_up_empty(void **state)
{
        struct rest_fixture *fixture = memory_new(sizeof *fixture);
        struct http_server_options options = {.threads = 1, .stop_timeout_ms = 1000};
        auto_error error = {0};

        strcpy(fixture->root, "/tmp/longshore-rest-XXXXXX");
        assert_non_null(mkdtemp(fixture->root));
        auto_free char *setup = path_join(fixture->root, "setup");
        struct services *services = &fixture->services;
        services->data_folder = fixture->root;
        services->address = "http://127.0.0.1:3000";
        services->store = store_open(fixture->root, &error);
        assert_non_null(services->store);
        assert_true(role_seed(services->store, &error));
        services->environments = environments_open(services->store, setup, &error);
        assert_non_null(services->environments);
        assert_non_null(feed_start(services, &error));
        fixture->runtime.services = services;
        pthread_mutex_init(&fixture->runtime.mutex, NULL);
        pthread_cond_init(&fixture->runtime.changed, NULL);
        services->runtime = &fixture->runtime;
        services->docker = docker_new("unix:///nonexistent/docker.sock", &error);
        assert_non_null(services->docker);
        fixture->context.services = fixture->context.mcp.services = services;
        fixture->context.rest.services = fixture->context.oauth.services = services;
        fixture->context.oauth.pool = fixture->context.rest.pool = fixture->context.mcp.pool = pool_new(2, 20);
        routes_apply(&fixture->context, &options);
        fixture->server = http_server_start(&options, &error);
        assert_string_equal(error.message, "");
        fixture->connection = connection_open(fixture->server);
        login_limit_reset();
        *state = fixture;
        return 0;
}

int rest_set_up(void **state)
{
        int failed = rest_set_up_empty(state);
        struct rest_fixture *fixture = *state;

        if (!failed)
                fixture->administrator = rest_key(fixture, "root", "Server Admin");
        return failed;
}

int rest_tear_down(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_error error = {0};

        connection_close(fixture->connection);
        http_server_stop(fixture->server);
        pool_free(fixture->context.mcp.pool);
        feed_stop(fixture->services.feed);
        docker_free(fixture->services.docker);
        environments_close(fixture->services.environments);
        store_close(fixture->services.store);
        assert_true(path_remove_tree(fixture->root, &error));
        free(fixture->administrator);
        free(fixture);
        return 0;
}

char *rest_key(struct rest_fixture *fixture, const char *user, const char *role)
{
        return rest_key_in(fixture, user, role, NULL);
}

char *rest_key_in(struct rest_fixture *fixture, const char *user, const char *role, const char *environment)
{
        auto_error error = {0};
        struct store_db *reader = store_reader_open(fixture->services.store, &error);
        struct call call = {.services = &fixture->services,
                            .db = reader,
                            .actor = &actor_local,
                            .source = "cli",
                            .now = clock_now()};
        struct user_add_input person = {.name = user, .role = role, .environment = environment};
        struct key_add_input key = {.user = user, .name = "test"};
        json_t *added = NULL, *made = NULL;

        bool is_good = user_add(&call, &person, &added, &error) && key_add(&call, &key, &made, &error);
        assert_string_equal(error.message, "");
        assert_true(is_good);
        char *result = text_copy(document_get_string(made, "key"));
        json_decref(added);
        json_decref(made);
        store_reader_close(reader);
        return result;
}

char *rest_bearer(const char *key)
{
        return text_format("Authorization: Bearer %s\r\nContent-Type: application/json\r\n", key);
}

void rest_environment(struct rest_fixture *fixture, const char *name)
{
        auto_free char *folder = text_format("%s/setup/environments/%s", fixture->root, name);
        auto_free char *file = text_format("%s/environment.json", folder);
        auto_error error = {0};

        assert_true(path_make_folder(folder, 0700, &error) && path_write(file, "{}", 2, 0600, &error));
        assert_true(environments_reload(fixture->services.environments, &error));
}

void rest_set_variable(const char *name, const char *value)
{
        auto_error error = {0};

        value ? setenv(name, value, 1) : unsetenv(name);
        if (!settings_load(NULL, NULL, NULL, &error))
                fail_msg("%s", error.message);
}

void rest_sql(struct rest_fixture *fixture, const char *sql)
{
        auto_free char *path = path_join(fixture->root, "store.db");
        char *message = NULL;
        sqlite3 *connection;

        assert_int_equal(sqlite3_open(path, &connection), SQLITE_OK);
        sqlite3_busy_timeout(connection, 10000);
        if (sqlite3_exec(connection, sql, NULL, NULL, &message))
                fail_msg("%s: %s", sql, message);
        sqlite3_close(connection);
}

void rest_setting(struct rest_fixture *fixture, const char *name, const char *value)
{
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_free char *path = text_format("/settings/%s", name);
        auto_free char *body = value ? text_format("{\"value\":\"%s\"}", value) : NULL;
        auto_reply *reply = ask(fixture->connection, value ? "PUT" : "DELETE", path, headers, body);

        assert_int_equal(reply->status, 200);
}

struct reply *rest_open_stream(struct rest_fixture *fixture, const char *path, const char *first, const char *headers)
{
        struct connection *connection = connection_open(fixture->server);
        auto_free char *request = text_format("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", path, headers);
        struct reply *reply;

        connection_send(connection, request);
        connection_await(connection, "\r\n\r\n");
        if (!strncmp(connection->bytes, "HTTP/1.1 200", 12)) {
                size_t at = connection_await(connection, first);
                while (!strstr(connection->bytes + at, "\n\n"))
                        connection_await_more(connection);
                reply = memory_new(sizeof *reply + connection->used + 1);
                reply->status = 200;
                reply->length = connection->used;
                memcpy(reply->body, connection->bytes, connection->used);
        } else {
                reply = connection_read(connection, true);
        }
        connection_close(connection);
        return reply;
}
