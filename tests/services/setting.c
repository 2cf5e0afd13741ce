#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/setting.h"
#include "tests/services/identity_fixture.h"
#include "tests/services/suites.h"

static int setting_open(void **state)
{
        unsetenv("PORT");
        unsetenv("TASK_CONCURRENCY");
        return identity_open(state);
}

static int setting_close(void **state)
{
        auto_error error = {0};

        unsetenv("PORT");
        unsetenv("TASK_CONCURRENCY");
        assert_true(settings_load(NULL, NULL, NULL, &error));
        return identity_close(state);
}

static void load(struct identity *identity, json_t *flags)
{
        auto_error error = {0};

        if (!settings_load(identity->db, identity->folder, flags, &error))
                fail_msg("%s", error.message);
}

static void write_config(struct identity *identity, const char *content)
{
        auto_free char *path = path_join(identity->folder, "config.json");
        auto_error error = {0};

        assert_true(path_write(path, content, strlen(content), 0600, &error));
}

static bool set(struct identity *identity, const char *name, const char *value, struct error *error)
{
        struct call call = identity_call(identity, &actor_local);
        auto_json *result = NULL;

        return setting_set(&call, &(struct setting_set_input){name, value}, &result, error);
}

static void the_defaults_are_those_of_the_table(void **state)
{
        load(*state, NULL);
        assert_int_equal(settings_current()->port, 3000);
        assert_string_equal(settings_current()->docker_host, "unix:///var/run/docker.sock");
        assert_false(settings_current()->mcp_server_enabled);
        assert_null(settings_current()->site_url);
        assert_string_equal(settings_current()->log_format, "text");
        assert_int_equal(settings_current()->task_concurrency, 8);
}

static void each_source_goes_before_the_one_below_it(void **state)
{
        struct identity *identity = *state;
        auto_json *flags = json_pack("{s:i}", "PORT", 5);
        auto_error error = {0};

        load(identity, NULL);
        assert_true(set(identity, "PORT", "2", &error));
        load(identity, NULL);
        assert_int_equal(settings_current()->port, 2);
        write_config(identity, "{\"PORT\": 3}");
        load(identity, NULL);
        assert_int_equal(settings_current()->port, 3);
        setenv("PORT", "4", 1);
        load(identity, NULL);
        assert_int_equal(settings_current()->port, 4);
        load(identity, flags);
        assert_int_equal(settings_current()->port, 5);
}

static void expect_pinned(struct identity *identity, const char *words)
{
        auto_error error = {0};

        assert_false(set(identity, "PORT", "9", &error));
        assert_int_equal(error.code, ERROR_CONFLICT);
        assert_non_null(strstr(error.message, words));
}

static void a_pinned_setting_is_not_stored_and_the_reason_names_the_source(void **state)
{
        struct identity *identity = *state;
        auto_json *flags = json_pack("{s:i}", "PORT", 5);

        write_config(identity, "{\"PORT\": 3}");
        load(identity, NULL);
        expect_pinned(identity, "config.json");
        setenv("PORT", "4", 1);
        load(identity, NULL);
        expect_pinned(identity, "environment variable PORT");
        load(identity, flags);
        expect_pinned(identity, "flag");
        unsetenv("PORT");
        write_config(identity, "{}");
        load(identity, NULL);
        assert_int_equal(settings_current()->port, 3000);
}

static void an_unknown_setting_is_refused_with_the_nearest(void **state)
{
        struct identity *identity = *state;
        auto_error mistyped = {0}, file = {0}, far = {0};

        load(identity, NULL);
        assert_false(set(identity, "TASK_CONCURENCY", "2", &mistyped));
        assert_string_equal(mistyped.message, "there is no setting TASK_CONCURENCY; did you mean TASK_CONCURRENCY?");
        assert_false(set(identity, "XYZZYXYZZY", "2", &far));
        assert_string_equal(far.message, "there is no setting XYZZYXYZZY");
        write_config(identity, "{\"PROT\": 3}");
        assert_false(settings_load(identity->db, identity->folder, NULL, &file));
        assert_non_null(strstr(file.message, "config.json: PROT is not known; did you mean PORT?"));
}

static void a_value_that_does_not_fit_is_refused_wherever_it_comes_from(void **state)
{
        struct identity *identity = *state;
        auto_error stored = {0}, variable = {0}, engine = {0};

        load(identity, NULL);
        assert_false(set(identity, "PORT", "70000", &stored));
        assert_string_equal(stored.message, "PORT must be from 0 to 65535");
        assert_false(set(identity, "DOCKER_HOST", "tcp://1.2.3.4", &engine));
        assert_string_equal(engine.message, "DOCKER_HOST must be unix:// and the path of a socket");
        setenv("TASK_CONCURRENCY", "many", 1);
        assert_false(settings_load(identity->db, identity->folder, NULL, &variable));
        assert_string_equal(variable.message,
                            "the environment variable TASK_CONCURRENCY: TASK_CONCURRENCY must be an integer");
}

static void a_stored_setting_acts_at_once_and_an_old_snapshot_stays_valid(void **state)
{
        struct identity *identity = *state;
        auto_error error = {0};
        uint64_t generation = store_generation(identity->db);

        load(identity, NULL);
        const struct settings *old = settings_current();
        assert_true(set(identity, "site-url", "https://example.test", &error));
        assert_string_equal(settings_current()->site_url, "https://example.test");
        assert_null(old->site_url);
        assert_true(store_generation(identity->db) > generation);
        load(identity, NULL);
        assert_string_equal(settings_current()->site_url, "https://example.test");
}

/* Who is let in by which name, and whose the files are, follows from where the server listens and what it began with.
 */
static void what_acts_at_the_next_start_stays_in_force_until_then(void **state)
{
        struct identity *identity = *state;
        struct call call = identity_call(identity, &actor_local);
        auto_error error = {0};
        auto_json *told = NULL;

        load(identity, NULL);
        assert_true(set(identity, "HOST", "0.0.0.0", &error));
        assert_true(set(identity, "AGENT_UID", "70000", &error));
        assert_true(set(identity, "SETUP_FOLDER", "/srv/setup", &error));
        assert_true(set(identity, "TASK_CONCURRENCY", "2", &error));
        assert_string_equal(settings_current()->host, "127.0.0.1");
        assert_int_equal(settings_current()->agent_uid, 64500);
        assert_null(settings_current()->setup_folder);
        assert_int_equal(settings_current()->task_concurrency, 2);
        assert_true(setting_get(&call, &(struct setting_get_input){"HOST"}, &told, &error));
        assert_string_equal(document_get_string(told, "value"), "0.0.0.0");
        load(identity, NULL);
        assert_string_equal(settings_current()->host, "0.0.0.0");
        assert_int_equal(settings_current()->agent_uid, 70000);
}

static void the_help_says_which_settings_wait_for_the_next_start(void **state)
{
        (void)state;
        for (size_t i = 0; i < settings_table.count; i++) {
                const struct field *row = &settings_table.rows[i];
                if (row->is_late != (strstr(row->help, "At the next start.") != NULL))
                        fail_msg("%s", row->name);
        }
}

static void an_unset_setting_is_its_default_again(void **state)
{
        struct identity *identity = *state;
        struct call call = identity_call(identity, &actor_local);
        auto_error error = {0};
        auto_json *result = NULL;

        load(identity, NULL);
        assert_true(set(identity, "TASK_CONCURRENCY", "2", &error));
        assert_int_equal(settings_current()->task_concurrency, 2);
        assert_true(setting_unset(&call, &(struct setting_get_input){"TASK_CONCURRENCY"}, &result, &error));
        assert_int_equal(settings_current()->task_concurrency, 8);
        assert_string_equal(document_get_string(result, "source"), "default");
}

static void a_setting_is_shown_with_its_source(void **state)
{
        struct identity *identity = *state;
        struct call call = identity_call(identity, &actor_local);
        auto_error error = {0};
        auto_json *one = NULL, *all = NULL;

        setenv("PORT", "4", 1);
        load(identity, NULL);
        assert_true(setting_get(&call, &(struct setting_get_input){"port"}, &one, &error));
        auto_free char *printed = document_print(one);
        assert_string_equal(printed, "{\"name\":\"PORT\",\"value\":4,\"source\":\"environment\"}");
        assert_true(setting_get(&call, &(struct setting_get_input){NULL}, &all, &error));
        assert_int_equal(json_array_size(json_object_get(all, "settings")), settings_table.count);
}

static void who_may_not_manage_settings_changes_none(void **state)
{
        struct identity *identity = *state;
        auto_error error = {0};
        auto_json *result = NULL;

        load(identity, NULL);
        identity_user(identity, "ann", "Developer", NULL);
        struct actor ann = identity_actor(identity, "ann");
        struct call call = identity_call(identity, &ann);
        assert_false(setting_set(&call, &(struct setting_set_input){"PORT", "2"}, &result, &error));
        assert_int_equal(error.code, ERROR_PERMISSION_DENIED);
        assert_int_equal(settings_current()->port, 3000);
}

int run_setting_tests(void)
{
#define WITH_SETTINGS(test) cmocka_unit_test_setup_teardown(test, setting_open, setting_close)
        const struct CMUnitTest tests[] = {
                WITH_SETTINGS(the_defaults_are_those_of_the_table),
                WITH_SETTINGS(each_source_goes_before_the_one_below_it),
                WITH_SETTINGS(a_pinned_setting_is_not_stored_and_the_reason_names_the_source),
                WITH_SETTINGS(an_unknown_setting_is_refused_with_the_nearest),
                WITH_SETTINGS(a_value_that_does_not_fit_is_refused_wherever_it_comes_from),
                WITH_SETTINGS(a_stored_setting_acts_at_once_and_an_old_snapshot_stays_valid),
                WITH_SETTINGS(what_acts_at_the_next_start_stays_in_force_until_then),
                cmocka_unit_test(the_help_says_which_settings_wait_for_the_next_start),
                WITH_SETTINGS(an_unset_setting_is_its_default_again),
                WITH_SETTINGS(a_setting_is_shown_with_its_source),
                WITH_SETTINGS(who_may_not_manage_settings_changes_none),
        };

        return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
