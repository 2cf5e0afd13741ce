/* Users, keys, their cache, the audit. */
#include <pthread.h>
#include <semaphore.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/secret.h"
#include "server/services/audit.h"
#include "server/services/key.h"
#include "server/services/toolset.h"
#include "server/services/user.h"
#include "server/store/key.h"
#include "server/store/user.h"
#include "tests/cpu.h"
#include "tests/services/identity_fixture.h"
#include "tests/services/suites.h"

static enum error_code authenticate(struct store_db *db, const char *key)
{
        struct actor actor;
        auto_error error = {0};

        if (access_authenticate_key(db, key, &actor, &error))
                return ERROR_NONE;
        assert_string_equal(error.message, "Invalid API key.");
        return error.code;
}

static void a_key_acts_for_its_user(void **state)
{
        struct identity *identity = *state;
        char id[ID_SIZE];
        struct actor actor;
        auto_error error = {0};

        identity_user(identity, "ann", NULL, NULL);
        auto_free char *key = identity_key(identity, "ann", 0, id);
        assert_true(access_authenticate_key(identity->db, key, &actor, &error));
        assert_string_equal(actor.user_name, "ann");
        assert_string_equal(actor.credential_id, id);
        assert_int_equal(actor.credential, CREDENTIAL_API_KEY);
}

static void a_wrong_key_is_refused_in_the_same_words_whatever_is_wrong(void **state)
{
        struct identity *identity = *state;
        char unknown[SECRET_KEY_SIZE];

        secret_key_new(unknown);
        assert_int_equal(authenticate(identity->db, unknown), ERROR_UNAUTHENTICATED);
        assert_int_equal(authenticate(identity->db, ""), ERROR_UNAUTHENTICATED);
        assert_int_equal(authenticate(identity->db, "lsk_short"), ERROR_UNAUTHENTICATED);
}

static void revoke_key(struct identity *identity, const char *id)
{
        struct call call = identity_call(identity, &actor_local);
        auto_error error = {0};
        auto_json *result = NULL;

        assert_true(key_revoke(&call, &(struct key_revoke_input){id}, &result, &error));
}

/* Another thread with a connection and a cache of its own, which authenticates when it is told to. */
struct other {
        struct identity *identity;
        const char *key;
        sem_t go, done;
        enum error_code first, second;
};

static void *run_other(void *argument)
{
        struct other *other = argument;
        auto_error error = {0};
        struct store_db *db = store_reader_open(other->identity->services.store, &error);

        other->first = authenticate(db, other->key);
        sem_post(&other->done);
        sem_wait(&other->go);
        other->second = authenticate(db, other->key);
        store_reader_close(db);
        return NULL;
}

static void a_revoked_key_stops_at_once_also_where_another_thread_has_cached_it(void **state)
{
        struct identity *identity = *state;
        char id[ID_SIZE];
        pthread_t thread;

        identity_user(identity, "ann", NULL, NULL);
        auto_free char *key = identity_key(identity, "ann", 0, id);
        struct other other = {.identity = identity, .key = key};
        sem_init(&other.go, 0, 0);
        sem_init(&other.done, 0, 0);
        assert_int_equal(pthread_create(&thread, NULL, run_other, &other), 0);
        sem_wait(&other.done);
        assert_int_equal(authenticate(identity->db, key), ERROR_NONE);
        revoke_key(identity, id);
        sem_post(&other.go);
        pthread_join(thread, NULL);
        assert_int_equal(other.first, ERROR_NONE);
        assert_int_equal(other.second, ERROR_UNAUTHENTICATED);
        assert_int_equal(authenticate(identity->db, key), ERROR_UNAUTHENTICATED);
}

static void a_disabled_user_is_locked_out_at_once_and_let_in_again(void **state)
{
        struct identity *identity = *state;
        struct call call = identity_call(identity, &actor_local);
        struct user_name_input ann = {"ann"};
        char id[ID_SIZE];
        auto_error error = {0};
        auto_json *disabled = NULL, *enabled = NULL;

        identity_user(identity, "ann", NULL, NULL);
        auto_free char *key = identity_key(identity, "ann", 0, id);
        assert_int_equal(authenticate(identity->db, key), ERROR_NONE);
        assert_true(user_disable(&call, &ann, &disabled, &error));
        assert_int_equal(authenticate(identity->db, key), ERROR_UNAUTHENTICATED);
        assert_true(user_enable(&call, &ann, &enabled, &error));
        assert_int_equal(authenticate(identity->db, key), ERROR_NONE);
}

struct short_key {
        const char *key;
        int64_t expires_at;
};

/* Adds a key that lives for less than the days that people can ask for. */
static bool add_short_key(struct store_db *db, void *context, struct error *error)
{
        const struct short_key *key = context;
        uint8_t hash[SECRET_HASH_SIZE];
        auto_store_user user = {0};
        char id[ID_SIZE];

        secret_hash(key->key, strlen(key->key), hash);
        return store_user_find(db, "ann", &user, error) &&
               store_key_add(db,
                             &(struct store_key_new){.hash = hash,
                                                     .user = user.rid,
                                                     .name = "short",
                                                     .hint = "lsk_",
                                                     .created_at = clock_now(),
                                                     .expires_at = key->expires_at},
                             id, error);
}

static void an_expired_key_is_refused_also_from_the_cache(void **state)
{
        struct identity *identity = *state;
        auto_error error = {0};
        char key[SECRET_KEY_SIZE], over[SECRET_KEY_SIZE];
        int64_t until = clock_now() + 10000;

        identity_user(identity, "ann", NULL, NULL);
        secret_key_new(key);
        secret_key_new(over);
        assert_true(
                store_write(identity->services.store, add_short_key, &(struct short_key){over, clock_now()}, &error));
        assert_int_equal(authenticate(identity->db, over), ERROR_UNAUTHENTICATED);
        assert_true(store_write(identity->services.store, add_short_key, &(struct short_key){key, clock_now() + 500},
                                &error));
        assert_int_equal(authenticate(identity->db, key), ERROR_NONE);
        while (authenticate(identity->db, key) == ERROR_NONE)
                assert_true(clock_now() < until);
}

static void a_full_cache_still_lets_everybody_in(void **state)
{
        struct identity *identity = *state;
        enum { KEYS = 400 };
        char id[ID_SIZE], *keys[KEYS];

        identity_user(identity, "ann", NULL, NULL);
        for (size_t i = 0; i < KEYS; i++)
                keys[i] = identity_key(identity, "ann", 0, id);
        for (size_t round = 0; round < 2; round++)
                for (size_t i = 0; i < KEYS; i++)
                        assert_int_equal(authenticate(identity->db, keys[i]), ERROR_NONE);
        for (size_t i = 0; i < KEYS; i++)
                free(keys[i]);
}

static void what_may_be_done_follows_a_change_at_once(void **state)
{
        struct identity *identity = *state;
        int64_t here = identity_environment(identity, "here");
        char id[ID_SIZE];
        struct actor actor;
        auto_error error = {0};

        identity_user(identity, "ann", NULL, NULL);
        auto_free char *key = identity_key(identity, "ann", 0, id);
        assert_true(access_authenticate_key(identity->db, key, &actor, &error));
        assert_false(access_allows(&actor, PERMISSION_TASKS_VIEW, here));
        identity_bind_everywhere(identity, "ann", "Viewer");
        assert_false(access_is_current(identity->db, &actor));
        assert_true(access_authenticate_key(identity->db, key, &actor, &error));
        assert_true(access_allows(&actor, PERMISSION_TASKS_VIEW, here));
        assert_true(access_is_current(identity->db, &actor));
}

static void a_copied_actor_keeps_its_grants(void **state)
{
        struct identity *identity = *state;
        int64_t here = identity_environment(identity, "here");

        identity_user(identity, "ann", "Viewer", "here");
        struct actor actor = identity_actor(identity, "ann");
        struct actor *copy = actor_copy(&actor);
        identity_bind_everywhere(identity, "ann", "Developer");
        identity_actor(identity, "ann");
        assert_true(access_allows(copy, PERMISSION_TASKS_VIEW, here));
        assert_false(access_allows(copy, PERMISSION_TASKS_CREATE, here));
        actor_free(copy);
}

static json_t *keys_of(struct identity *identity, const struct actor *actor, const char *user)
{
        struct call call = identity_call(identity, actor);
        auto_error error = {0};
        auto_json *result = NULL;

        if (!key_list(&call, &(struct key_list_input){user}, &result, &error))
                return NULL;
        return json_incref(json_object_get(result, "keys"));
}

static void a_key_is_shown_once_and_its_use_is_noted(void **state)
{
        struct identity *identity = *state;
        char id[ID_SIZE];
        int64_t until = clock_now() + 10000;

        identity_user(identity, "ann", NULL, NULL);
        auto_free char *key = identity_key(identity, "ann", 0, id);
        auto_json *before = keys_of(identity, &actor_local, "ann");
        auto_free char *printed = document_print(before);
        assert_null(strstr(printed, key));
        assert_true(json_is_null(json_object_get(json_array_get(before, 0), "lastUsedAt")));
        assert_int_equal(authenticate(identity->db, key), ERROR_NONE);
        for (bool is_noted = false; !is_noted;) {
                auto_json *after = keys_of(identity, &actor_local, "ann");
                is_noted = json_is_string(json_object_get(json_array_get(after, 0), "lastUsedAt"));
                assert_true(clock_now() < until);
        }
}

/* The toolsets that authenticating with a new key says; the refusal's code when it cannot be made. */
static enum error_code make_limited_key(struct identity *identity, const char *names, uint32_t *set)
{
        struct call call = identity_call(identity, &actor_local);
        auto_error error = {0};
        auto_json *result = NULL;
        struct actor actor;

        if (!key_add(&call, &(struct key_add_input){.user = "ann", .name = "limited", .toolsets = names}, &result,
                     &error))
                return error.code;
        assert_string_equal(document_get_string(result, "toolsets"), names);
        assert_true(access_authenticate_key(identity->db, document_get_string(result, "key"), &actor, &error));
        *set = actor.toolsets;
        return ERROR_NONE;
}

static void a_key_may_be_limited_to_toolsets(void **state)
{
        struct identity *identity = *state;
        char id[ID_SIZE];
        struct actor actor;
        auto_error error = {0};
        uint32_t set;

        identity_user(identity, "ann", NULL, NULL);
        auto_free char *plain = identity_key(identity, "ann", 0, id);
        assert_true(access_authenticate_key(identity->db, plain, &actor, &error));
        assert_int_equal(actor.toolsets, 0);
        assert_int_equal(make_limited_key(identity, "core,judges", &set), ERROR_NONE);
        assert_int_equal(set, toolset_bit("core") | toolset_bit("judges"));
        assert_int_equal(make_limited_key(identity, "cores", &set), ERROR_INVALID_INPUT);
        auto_json *keys = keys_of(identity, &actor_local, "ann");
        assert_int_equal(json_array_size(keys), 2);
        assert_true(json_is_null(json_object_get(json_array_get(keys, 0), "toolsets")));
        assert_string_equal(document_get_string(json_array_get(keys, 1), "toolsets"), "core,judges");
}

static void people_manage_their_own_keys_and_no_others(void **state)
{
        struct identity *identity = *state;
        auto_error denied = {0}, error = {0};
        auto_json *result = NULL;
        char others[ID_SIZE];

        identity_user(identity, "ann", NULL, NULL);
        identity_user(identity, "bob", NULL, NULL);
        auto_free char *key = identity_key(identity, "bob", 0, others);
        assert_non_null(key);
        struct actor ann = identity_actor(identity, "ann");
        struct call call = identity_call(identity, &ann);
        assert_false(key_revoke(&call, &(struct key_revoke_input){others}, &result, &denied));
        assert_int_equal(denied.code, ERROR_PERMISSION_DENIED);
        assert_false(key_add(&call, &(struct key_add_input){.user = "bob", .name = "x"}, &result, &denied));
        auto_json *others_keys = keys_of(identity, &ann, "bob");
        assert_null(others_keys);
        assert_true(key_add(&call, &(struct key_add_input){.name = "x"}, &result, &error));
        auto_json *mine = keys_of(identity, &ann, NULL);
        assert_int_equal(json_array_size(mine), 2);
        auto_json *own = keys_of(identity, &ann, "ann");
        assert_int_equal(json_array_size(own), 2);
}

static json_t *audit_of(struct identity *identity)
{
        struct call call = identity_call(identity, &actor_local);
        auto_error error = {0};
        auto_json *result = NULL;

        assert_true(audit_list(&call, &(struct audit_list_input){.limit = 50}, &result, &error));
        return json_incref(json_object_get(result, "entries"));
}

static void every_change_leaves_an_entry_that_holds_no_secret(void **state)
{
        struct identity *identity = *state;
        char id[ID_SIZE];

        identity_environment(identity, "here");
        identity_user(identity, "ann", "Viewer", "here");
        auto_free char *key = identity_key(identity, "ann", 0, id);
        revoke_key(identity, id);
        auto_json *entries = audit_of(identity);
        static const char *const actions[] = {"key.revoke", "key.add", "user.add"};
        assert_int_equal(json_array_size(entries), COUNT_OF(actions));
        for (size_t i = 0; i < COUNT_OF(actions); i++) {
                json_t *entry = json_array_get(entries, i);
                assert_string_equal(document_get_string(entry, "action"), actions[i]);
                assert_string_equal(document_get_string(entry, "credential"), "local");
        }
        auto_free char *printed = document_print(entries);
        assert_null(strstr(printed, key));
}

static void a_refused_change_leaves_neither_trace_nor_entry(void **state)
{
        struct identity *identity = *state;
        struct call call = identity_call(identity, &actor_local);
        struct user_add_input input = {.name = "ann", .role = "Emperor"};
        auto_error error = {0};
        auto_json *result = NULL;

        assert_false(user_add(&call, &input, &result, &error));
        assert_int_equal(error.code, ERROR_NOT_FOUND);
        assert_null(result);
        auto_json *entries = audit_of(identity), *users = NULL;
        assert_int_equal(json_array_size(entries), 0);
        assert_true(user_list(&call, &users, &error));
        assert_int_equal(json_array_size(json_object_get(users, "users")), 0);
}

static void an_authenticated_call_is_cheap(void **state)
{
        struct identity *identity = *state;
        enum { CALLS = 2000 };
        char id[ID_SIZE];

        identity_user(identity, "ann", NULL, NULL);
        auto_free char *key = identity_key(identity, "ann", 0, id);
        uint64_t before = store_counters(identity->services.store).works;
        int64_t start = cpu_ms();
        for (size_t i = 0; i < CALLS; i++)
                assert_int_equal(authenticate(identity->db, key), ERROR_NONE);
        assert_true(cpu_ms() - start < CALLS / 2);
        assert_true(store_counters(identity->services.store).works <= before + 1);
}

int run_identity_tests(void)
{
#define WITH_IDENTITY(test) cmocka_unit_test_setup_teardown(test, identity_open, identity_close)
        const struct CMUnitTest tests[] = {
                WITH_IDENTITY(a_key_acts_for_its_user),
                WITH_IDENTITY(a_wrong_key_is_refused_in_the_same_words_whatever_is_wrong),
                WITH_IDENTITY(a_revoked_key_stops_at_once_also_where_another_thread_has_cached_it),
                WITH_IDENTITY(a_disabled_user_is_locked_out_at_once_and_let_in_again),
                WITH_IDENTITY(an_expired_key_is_refused_also_from_the_cache),
                WITH_IDENTITY(a_full_cache_still_lets_everybody_in),
                WITH_IDENTITY(what_may_be_done_follows_a_change_at_once),
                WITH_IDENTITY(a_copied_actor_keeps_its_grants),
                WITH_IDENTITY(a_key_is_shown_once_and_its_use_is_noted),
                WITH_IDENTITY(a_key_may_be_limited_to_toolsets),
                WITH_IDENTITY(people_manage_their_own_keys_and_no_others),
                WITH_IDENTITY(every_change_leaves_an_entry_that_holds_no_secret),
                WITH_IDENTITY(a_refused_change_leaves_neither_trace_nor_entry),
                WITH_IDENTITY(an_authenticated_call_is_cheap),
        };

        return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
