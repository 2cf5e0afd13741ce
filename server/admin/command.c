#include "server/admin/command.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/account.h"
#include "server/services/agent_program.h"
#include "server/services/audit.h"
#include "server/services/backup.h"
#include "server/services/build.h"
#include "server/services/doctor.h"
#include "server/services/environment.h"
#include "server/services/identity.h"
#include "server/services/key.h"
#include "server/services/role.h"
#include "server/services/secret_store.h"
#include "server/services/team.h"
#include "server/services/totp.h"
#include "server/services/user.h"

/* Brings a service to the table's type. */
#define RUN(service, type)                                                                                             \
        static bool run_##service(struct call *call, const void *input, json_t **result, struct error *error)          \
        {                                                                                                              \
                return service(call, (const type *)input, result, error);                                              \
        }
#define RUN_PLAIN(service)                                                                                             \
        static bool run_##service(struct call *call, const void *input, json_t **result, struct error *error)          \
        {                                                                                                              \
                (void)input;                                                                                           \
                return service(call, result, error);                                                                   \
        }

RUN(user_add, struct user_add_input)
RUN_PLAIN(user_list)
RUN(user_set_password, struct user_password_input)
RUN(user_disable, struct user_name_input)
RUN(user_enable, struct user_name_input)
RUN(user_remove, struct user_name_input)
RUN(identity_link, struct identity_input)
RUN(identity_unlink, struct identity_input)
RUN(identity_list, struct user_name_input)
RUN(totp_reset, struct user_name_input)
RUN(key_add, struct key_add_input)
RUN(key_list, struct key_list_input)
RUN(key_revoke, struct key_revoke_input)
RUN(team_add, struct team_input)
RUN_PLAIN(team_list)
RUN(team_add_member, struct team_member_input)
RUN(team_remove_member, struct team_member_input)
RUN(role_bind, struct role_bind_input)
RUN(role_unbind, struct role_unbind_input)
RUN_PLAIN(role_list_bindings)
RUN(setting_get, struct setting_get_input)
RUN(setting_set, struct setting_set_input)
RUN(setting_unset, struct setting_get_input)
RUN(secret_set, struct secret_set_input)
RUN(secret_list, struct secret_list_input)
RUN(secret_remove, struct secret_remove_input)
RUN_PLAIN(secret_forget)
RUN(account_set, struct account_set_input)
RUN(account_list, struct account_list_input)
RUN(account_remove, struct account_remove_input)
RUN(audit_list, struct audit_list_input)
RUN(agent_install, struct agent_install_input)
RUN_PLAIN(agent_list)
RUN_PLAIN(doctor_run)
RUN(backup_run, struct backup_input)
RUN(build_start, struct build_start_input)
RUN(build_list, struct build_list_input)
RUN(build_get, struct build_get_input)
RUN(build_output, struct build_output_input)
RUN(build_cancel, struct build_get_input)

static bool run_environment_reload(struct call *call, const void *input, json_t **result, struct error *error)
{
        (void)input;
        if (!call->services->environments)
                return error_set(error, ERROR_UNAVAILABLE,
                                 "no server runs on this data folder; it reads the setup folder when it starts");
        if (!environments_reload(call->services->environments, error))
                return false;
        return environment_list(call, result, error);
}

static const char *const by_name[] = {"name", NULL};
static const char *const by_id[] = {"id", NULL};
static const char *const by_user[] = {"user", NULL};
static const char *const by_agent[] = {"agent", NULL};
static const char *const by_environment[] = {"environment", NULL};
static const char *const by_build[] = {"buildId", NULL};
static const char *const by_role[] = {"role", NULL};
static const char *const by_file[] = {"file", NULL};
static const char *const name_and_value[] = {"name", "value", NULL};
static const char *const team_and_user[] = {"team", "user", NULL};

const struct admin_command admin_commands[] = {
        {"user.add", &user_add_table, by_name, "Add a user, with a role at once if wanted.", run_user_add, false},
        {"user.list", NULL, NULL, "List the users.", run_user_list, false},
        {"user.password", &user_password_table, by_name, "Set a user's password.", run_user_set_password, false},
        {"user.disable", &user_name_table, by_name, "Lock a user out at once.", run_user_disable, false},
        {"user.enable", &user_name_table, by_name, "Let a disabled user in again.", run_user_enable, false},
        {"user.remove", &user_name_table, by_name, "Remove a user; the name is free again.", run_user_remove, false},
        {"user.link", &identity_table, by_name, "Link an account at the OpenID provider to a user.", run_identity_link,
         false},
        {"user.unlink", &identity_table, by_name, "Take such a link away.", run_identity_unlink, false},
        {"user.identities", &user_name_table, by_name, "List the accounts that are a user.", run_identity_list, false},
        {"user.totp-reset", &user_name_table, by_name, "Remove the authenticator app of a user who has lost it.",
         run_totp_reset, false},
        {"key.add", &key_add_table, by_user, "Make an API key; it is shown this once.", run_key_add, false},
        {"key.list", &key_list_table, by_user, "List the API keys.", run_key_list, false},
        {"key.revoke", &key_revoke_table, by_id, "Revoke an API key at once.", run_key_revoke, false},
        {"team.add", &team_table, by_name, "Add a team.", run_team_add, false},
        {"team.list", NULL, NULL, "List the teams and their members.", run_team_list, false},
        {"team.join", &team_member_table, team_and_user, "Add a user to a team.", run_team_add_member, false},
        {"team.leave", &team_member_table, team_and_user, "Take a user out of a team.", run_team_remove_member, false},
        {"access.bind", &role_bind_table, by_role, "Give a user or team a role.", run_role_bind, false},
        {"access.unbind", &role_unbind_table, by_id, "Take a role back.", run_role_unbind, false},
        {"access.list", NULL, NULL, "List who has which role where.", run_role_list_bindings, false},
        {"setting.get", &setting_get_table, by_name, "Show settings and where their values come from.", run_setting_get,
         false},
        {"setting.set", &setting_set_table, name_and_value, "Store a setting; it acts at once, or as its help says.",
         run_setting_set, false},
        {"setting.secret", &setting_secret_table, by_name, "Store a setting; its value comes on standard input.",
         run_setting_set, false},
        {"setting.unset", &setting_unset_table, by_name, "Remove a stored setting.", run_setting_unset, false},
        {"secret.set", &secret_set_table, by_name, "Set a secret; its value comes on standard input.", run_secret_set,
         false},
        {"secret.list", &secret_list_table, NULL, "List secrets, never their values.", run_secret_list, false},
        {"secret.rm", &secret_remove_table, by_name, "Remove a secret.", run_secret_remove, false},
        {"secret.forget", NULL, NULL, "Give up all sealed values, when the key file is lost.", run_secret_forget,
         false},
        {"account.set", &account_set_table, by_agent, "Set an agent's provider account; it comes on standard input.",
         run_account_set, false},
        {"account.list", &account_list_table, NULL, "List provider accounts, never their credentials.",
         run_account_list, false},
        {"account.rm", &account_remove_table, by_agent, "Remove a provider account.", run_account_remove, false},
        {"audit.list", &audit_list_table, NULL, "Show who did what, newest first.", run_audit_list, false},
        {"agent.install", &agent_install_table, by_name, "Fetch an agent's program, or `all`.", run_agent_install,
         false},
        {"agent.list", NULL, NULL, "List the agents and the versions of their programs.", run_agent_list, false},
        {"environment.reload", NULL, NULL, "Read the setup folder again now.", run_environment_reload, false},
        {"environment.build", &build_start_table, by_environment, "Build an environment's image.", run_build_start,
         false},
        {"environment.builds", &build_list_table, by_environment, "List the builds of an environment's image.",
         run_build_list, false},
        {"environment.build-show", &build_get_table, by_build, "Show a build.", run_build_get, false},
        {"environment.build-output", &build_output_table, by_build, "Show what a build printed.", run_build_output,
         false},
        {"environment.build-cancel", &build_get_table, by_build, "End a build.", run_build_cancel, false},
        {"doctor", NULL, NULL, "Check the engine, folders, disk, clock and store.", run_doctor_run, true},
        {"backup", &backup_table, by_file, "Write store, setup folder and records to a tar file.", run_backup_run,
         false},
};
const size_t admin_command_count = COUNT_OF(admin_commands);

const struct admin_command *admin_command_find(const char *name)
{
        for (size_t i = 0; i < admin_command_count; i++)
                if (!strcmp(admin_commands[i].name, name))
                        return &admin_commands[i];
        return NULL;
}

bool admin_command_run(const struct admin_command *command, struct call *call, json_t *arguments, json_t **result,
                       struct error *error)
{
        static const struct field_table no_arguments = {.name = "nothing", .size = sizeof(char)};
        const struct field_table *table = command->table ? command->table : &no_arguments;
        auto_json *owned = arguments ? json_incref(arguments) : json_object();
        auto_field_memory memory = {0};
        auto_free void *input = memory_new(table->size);

        if (!field_read(table, owned, &memory, input, error))
                return false;
        if (!call->db && !command->is_store_optional)
                return error_set(error, ERROR_UNAVAILABLE, "the store is not open");
        call->arguments = owned;
        return command->run(call, input, result, error);
}
