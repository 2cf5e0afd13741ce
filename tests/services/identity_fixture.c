#include "tests/services/identity_fixture.h"

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/key.h"
#include "server/services/role.h"
#include "server/services/user.h"
#include "server/store/environment.h"
#include "server/store/user.h"

int identity_open(void **state)
{
        struct identity *identity = memory_new(sizeof *identity);
        auto_error error = {0};

        strcpy(identity->folder, "/tmp/longshore-identity-XXXXXX");
        assert_non_null(mkdtemp(identity->folder));
        identity->services.data_folder = identity->folder;
        identity->services.store = store_open(identity->folder, &error);
        assert_non_null(identity->services.store);
        assert_true(role_seed(identity->services.store, &error));
        identity->db = store_reader_open(identity->services.store, &error);
        assert_non_null(identity->db);
        *state = identity;
        return 0;
}

int identity_close(void **state)
{
        struct identity *identity = *state;
        auto_error error = {0};

        store_reader_close(identity->db);
        store_close(identity->services.store);
        assert_true(path_remove_tree(identity->folder, &error));
        free(identity);
        return 0;
}

struct call identity_call(struct identity *identity, const struct actor *actor)
{
        return (struct call){.services = &identity->services,
                             .db = identity->db,
                             .actor = actor,
                             .source = "test",
                             .now = clock_now()};
}

void identity_user(struct identity *identity, const char *name, const char *role, const char *environment)
{
        struct call call = identity_call(identity, &actor_local);
        struct user_add_input input = {.name = name, .role = role, .environment = environment};
        auto_error error = {0};
        auto_json *result = NULL;

        if (!user_add(&call, &input, &result, &error))
                fail_msg("%s", error.message);
}

void identity_bind_everywhere(struct identity *identity, const char *user, const char *role)
{
        struct call call = identity_call(identity, &actor_local);
        struct role_bind_input input = {.user = user, .role = role, .everywhere = true};
        auto_error error = {0};
        auto_json *result = NULL;

        if (!role_bind(&call, &input, &result, &error))
                fail_msg("%s", error.message);
}

char *identity_key(struct identity *identity, const char *user, int64_t expires_days, char id[ID_SIZE])
{
        struct call call = identity_call(identity, &actor_local);
        struct key_add_input input = {.user = user, .name = "test", .expiresDays = expires_days};
        auto_error error = {0};
        auto_json *result = NULL;

        if (!key_add(&call, &input, &result, &error))
                fail_msg("%s", error.message);
        snprintf(id, ID_SIZE, "%s", document_get_string(result, "id"));
        return text_copy(document_get_string(result, "key"));
}

struct actor identity_actor(struct identity *identity, const char *user)
{
        char id[ID_SIZE];
        auto_free char *key = identity_key(identity, user, 0, id);
        struct actor actor;
        auto_error error = {0};

        assert_true(access_authenticate_key(identity->db, key, &actor, &error));
        return actor;
}

struct environment_made {
        const char *name;
        int64_t rid;
};

static bool make_environment(struct store_db *db, void *context, struct error *error)
{
        struct environment_made *made = context;
        auto_store_environment environment = {0};

        if (!store_environment_ensure(db, made->name, 1, &environment, error))
                return false;
        made->rid = environment.rid;
        return true;
}

int64_t identity_environment(struct identity *identity, const char *name)
{
        struct environment_made made = {.name = name};
        auto_error error = {0};

        assert_true(store_write(identity->services.store, make_environment, &made, &error));
        return made.rid;
}

static bool make_task(struct store_db *db, void *context, struct error *error)
{
        int64_t rid;

        return store_task_add(db, context, &rid, error);
}

char *identity_task(struct identity *identity, const char *creator, const char *environment, bool is_shared)
{
        char id[ID_SIZE];
        auto_store_user user = {0};
        auto_error error = {0};

        id_new_task(clock_now(), id);
        if (creator)
                assert_true(store_user_find(identity->db, creator, &user, &error));
        struct store_task_new task = {.id = id,
                                      .status = "staged",
                                      .type = "manual",
                                      .agent = "shell",
                                      .source = "mcp",
                                      .branches = "{}",
                                      .environment = identity_environment(identity, environment),
                                      .creator = user.rid,
                                      .is_shared = is_shared,
                                      .created_at = 1};
        if (!store_write(identity->services.store, make_task, &task, &error))
                fail_msg("%s", error.message);
        return text_copy(id);
}
