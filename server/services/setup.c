#include "server/services/setup.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/attempts.h"
#include "server/services/audit.h"
#include "server/services/password.h"
#include "server/services/role.h"
#include "server/services/setup_code.h"
#include "server/services/user.h"
#include "server/services/write.h"
#include "server/store/user.h"

#define ATTEMPTS_MAXIMUM 10
#define ATTEMPTS_WINDOW_MS 60000

static const struct field rows[] = {
        STRING_FIELD(struct setup_input, code, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The one-time code."),
        STRING_FIELD(struct setup_input, name, .is_required = true, .minimum = 1, .maximum = 64,
                     .is_valid = user_name_is_valid, .shape = USER_NAME_SHAPE, .help = "The administrator's name."),
        STRING_FIELD(struct setup_input, password, .is_required = true, .minimum = 8, .maximum = 256,
                     .help = "The administrator's password."),
};
const struct field_table setup_table = FIELD_TABLE(struct setup_input, rows);

/* By address only: a code of 69 bits is not guessed, and a count for all would let anybody keep the right one out. */
static struct attempts attempts = ATTEMPTS_INITIALIZER;

void setup_limit_reset(void)
{
        attempts_reset(&attempts);
}

bool setup_is_needed(struct store_db *db, bool *is_needed, struct error *error)
{
        bool is_anybody;

        if (!store_user_exists(db, &is_anybody, error))
                return false;
        *is_needed = !is_anybody;
        return true;
}

bool setup_open(const struct services *services, struct store_db *db, struct error *error)
{
        char code[SETUP_CODE_SIZE];
        bool is_needed;

        if (!setup_is_needed(db, &is_needed, error))
                return false;
        if (!is_needed) {
                setup_code_remove(services->data_folder);
                return true;
        }
        if (!setup_code_make(services->data_folder, code, error))
                return false;
        log_info("there is no user yet: this one-time code makes the first administrator", "code", code, "file",
                 SETUP_CODE_NAME);
        return true;
}

bool setup_status(struct call *call, json_t **result, struct error *error)
{
        bool is_needed;

        if (!setup_is_needed(call->db, &is_needed, error))
                return false;
        *result = json_pack("{s:b}", "needed", is_needed);
        return true;
}

static bool check_needed(struct store_db *db, struct error *error)
{
        bool is_needed;

        if (!setup_is_needed(db, &is_needed, error))
                return false;
        return is_needed || error_set(error, ERROR_CONFLICT, "The server has users already; log in.");
}

static bool check_code(struct call *call, const char *typed, struct error *error)
{
        int64_t wait = attempts_take(&attempts, call->address ? call->address : "", ATTEMPTS_MAXIMUM,
                                     ATTEMPTS_WINDOW_MS, clock_monotonic());

        if (wait)
                return attempts_refuse(wait, "set the server up", error);
        return setup_code_is_right(call->services->data_folder, typed) ||
               error_set(error, ERROR_PERMISSION_DENIED, "The one-time code is wrong; the server's log shows it.");
}

struct first {
        const struct setup_input *input;
        char hash[SECRET_PASSWORD_HASH_SIZE];
        struct session_started started;
};

/* As the command line would do it: nobody else may before there is anybody. */
static bool work(struct call *call, const void *context, json_t **result, struct error *error)
{
        struct first *first = (struct first *)(uintptr_t)context;
        const struct setup_input *input = first->input;
        const struct session_origin origin = {.signed_in_at = call->now};
        struct call local = *call;
        struct actor actor;
        char id[ID_SIZE];
        int64_t rid;

        (void)result;
        local.actor = &actor_local;
        return check_needed(call->db, error) &&
               store_user_add(call->db, input->name, first->hash, call->now, id, &rid, error) &&
               role_bind_user(&local, input->name, ROLE_SERVER_ADMIN, NULL, error) &&
               audit_write(call->db, call->actor, "setup", input->name, json_pack("{s:s}", "id", id), error) &&
               session_begin(call->db, rid, &origin, &actor, &first->started, error);
}

bool setup_run(struct call *call, const struct setup_input *input, json_t **result, struct error *error)
{
        struct first first = {.input = input};
        json_t *nothing = NULL;

        if (!check_needed(call->db, error) || !check_code(call, input->code, error) ||
            !password_hash(input->password, first.hash, error))
                return false;
        if (!call_write(call, work, &first, &nothing, error)) {
                json_decref(first.started.result);
                return false;
        }
        setup_code_remove(call->services->data_folder);
        json_object_set_new(first.started.result, "token", json_string(first.started.token));
        *result = first.started.result;
        return true;
}
