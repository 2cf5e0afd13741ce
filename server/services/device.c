#include "server/services/device.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/attempts.h"
#include "server/services/audit.h"
#include "server/services/key.h"
#include "server/services/letter_code.h"
#include "server/services/write.h"
#include "server/store/device.h"
#include "server/store/user.h"

#define CODE_LENGTH 48
#define USER_CODE_LETTERS 8
#define USER_CODE_SIZE LETTER_CODE_SIZE(USER_CODE_LETTERS)
#define BEGIN_MAXIMUM 10
#define BEGIN_WINDOW_MS 60000
/* A code is one of 20 to the power of 8; whoever guesses must be signed in. */
#define GUESS_MAXIMUM 20
#define GUESS_WINDOW_MS (INT64_C(15) * 60 * 1000)

static struct attempts begins = ATTEMPTS_INITIALIZER, guesses = ATTEMPTS_INITIALIZER;

void device_limit_reset(void)
{
        attempts_reset(&begins);
        attempts_reset(&guesses);
}

static const struct field begin_rows[] = {
        STRING_FIELD(struct device_begin_input, name, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "What the key is for, as the person will see it."),
};
const struct field_table device_begin_table = FIELD_TABLE(struct device_begin_input, begin_rows);

static const struct field poll_rows[] = {
        STRING_FIELD(struct device_poll_input, device_code, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "As POST /device/code gave it."),
};
const struct field_table device_poll_table = FIELD_TABLE(struct device_poll_input, poll_rows);

#define USER_CODE_ROW(S)                                                                                               \
        STRING_FIELD(S, userCode, .is_required = true, .minimum = 1, .maximum = 32, .help = "What the program shows.")

static const struct field show_rows[] = {USER_CODE_ROW(struct device_show_input)};
const struct field_table device_show_table = FIELD_TABLE(struct device_show_input, show_rows);

static const struct field decide_rows[] = {
        USER_CODE_ROW(struct device_decide_input),
        BOOLEAN_FIELD(struct device_decide_input, allow, .is_required = true,
                      .help = "Whether the program gets a key of yours."),
};
const struct field_table device_decide_table = FIELD_TABLE(struct device_decide_input, decide_rows);

/* One code pair that is being made. */
struct pair {
        char code[CODE_LENGTH + 1], user_code[USER_CODE_SIZE];
        const char *name;
};

static bool begin_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct pair *pair = context;
        const struct store_device device = {.user_code = (char *)pair->user_code,
                                            .name = (char *)pair->name,
                                            .address = (char *)(call->address ? call->address : ""),
                                            .created_at = call->now,
                                            .expires_at = call->now + DEVICE_LIFE_MS,
                                            .interval_ms = DEVICE_INTERVAL_MS};
        uint8_t hash[SECRET_HASH_SIZE];
        int64_t waiting;

        (void)result;
        if (!store_device_expire(call->db, call->now, &waiting, error))
                return false;
        if (waiting >= DEVICE_WAITING_MAXIMUM)
                return error_set(error, ERROR_TOO_MANY, "Too many programs wait for their people; retry later.");
        secret_hash(pair->code, CODE_LENGTH, hash);
        return store_device_add(call->db, hash, &device, error);
}

bool device_begin(struct call *call, const struct device_begin_input *input, json_t **result, struct error *error)
{
        const char *site = settings_current()->site_url ? settings_current()->site_url : call->services->address;
        struct pair pair = {.name = input->name};
        json_t *nothing = NULL;

        int64_t wait = attempts_take(&begins, call->address ? call->address : "", BEGIN_MAXIMUM, BEGIN_WINDOW_MS,
                                     clock_monotonic());
        if (wait)
                return attempts_refuse(wait, "begin a sign-in", error);
        secret_token_new(pair.code, CODE_LENGTH);
        letter_code_new(pair.user_code, USER_CODE_LETTERS);
        if (!call_write(call, begin_work, &pair, &nothing, error))
                return false;
        auto_free char *page = text_format("%s%s", site, DEVICE_PAGE);
        auto_free char *complete = text_format("%s?code=%s", page, pair.user_code);
        *result = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "device_code", pair.code, "user_code", pair.user_code,
                            "verification_uri", page, "verification_uri_complete", complete, "expires_in",
                            (int)(DEVICE_LIFE_MS / 1000), "interval", DEVICE_INTERVAL_MS / 1000);
        return true;
}

/* What a question leads to; it is written also when the answer is an error. */
struct polling {
        const char *code;
        enum error_code outcome;
};

/* The key, made in the name of the person who allowed it. */
static bool make_key(struct call *call, const struct store_device *device, const struct store_user *user,
                     json_t **result, struct error *error)
{
        struct actor actor = {.user = user->rid, .credential = CREDENTIAL_NONE, .grants = actor_nobody.grants};
        struct key_add_input input = {.name = device->name};
        struct call theirs = *call;
        auto_json *made = NULL;

        snprintf(actor.user_id, sizeof actor.user_id, "%s", user->id);
        snprintf(actor.user_name, sizeof actor.user_name, "%s", user->name);
        theirs.actor = &actor;
        if (!store_device_delete(call->db, device->rid, error) || !key_add_now(&theirs, &input, &made, error))
                return false;
        *result = json_pack("{s:O, s:s, s:O, s:s, s:O}", "access_token", json_object_get(made, "key"), "token_type",
                            "Bearer", "id", json_object_get(made, "id"), "user", user->name, "name",
                            json_object_get(made, "name"));
        return true;
}

static bool answer_allowed(struct call *call, const struct store_device *device, struct polling *polling,
                           json_t **result, struct error *error)
{
        auto_store_user user = {0};

        if (!store_user_find_rid(call->db, device->user, &user, error))
                return false;
        if (!user.is_disabled)
                return make_key(call, device, &user, result, error);
        polling->outcome = ERROR_DEVICE_DENIED;
        return store_device_delete(call->db, device->rid, error);
}

static bool poll_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        struct polling *polling = (struct polling *)(uintptr_t)context;
        uint8_t hash[SECRET_HASH_SIZE];
        auto_store_device device = {0};

        secret_hash(polling->code, strlen(polling->code), hash);
        if (!store_device_find(call->db, hash, &device, error))
                return false;
        if (!device.rid || device.expires_at <= call->now) {
                polling->outcome = ERROR_DEVICE_EXPIRED;
                return true;
        }
        if (device.is_denied) {
                polling->outcome = ERROR_DEVICE_DENIED;
                return store_device_delete(call->db, device.rid, error);
        }
        bool is_soon = device.polled_at && call->now - device.polled_at < device.interval_ms;
        if (!is_soon && device.user)
                return answer_allowed(call, &device, polling, result, error);
        polling->outcome = is_soon ? ERROR_DEVICE_SLOW : ERROR_DEVICE_PENDING;
        return store_device_polled(call->db, device.rid, call->now,
                                   device.interval_ms + (is_soon ? DEVICE_INTERVAL_MS : 0), error);
}

bool device_poll(struct call *call, const struct device_poll_input *input, json_t **result, struct error *error)
{
        struct polling polling = {.code = input->device_code};

        if (!call_write(call, poll_work, &polling, result, error))
                return false;
        return polling.outcome == ERROR_NONE || error_set(error, polling.outcome, NULL);
}

static bool require_session(const struct call *call, struct error *error)
{
        return call->actor->credential == CREDENTIAL_SESSION ||
               error_set(error, ERROR_PERMISSION_DENIED, "only a person who is signed in allows this");
}

/* The one that waits under the code. */
static bool find_waiting(struct call *call, const char *typed, struct store_device *device, struct error *error)
{
        char code[USER_CODE_SIZE];

        int64_t wait = attempts_take(&guesses, call->actor->user_id, GUESS_MAXIMUM, GUESS_WINDOW_MS, clock_monotonic());
        if (wait)
                return attempts_refuse(wait, "give a code", error);
        if (letter_code_read(typed, code, USER_CODE_LETTERS) && !store_device_find_code(call->db, code, device, error))
                return false;
        if (!device->rid || device->expires_at <= call->now || device->user || device->is_denied)
                return error_set(error, ERROR_NOT_FOUND, "No program waits under this code: it may have expired.");
        return true;
}

bool device_show(struct call *call, const struct device_show_input *input, json_t **result, struct error *error)
{
        auto_store_device device = {0};

        if (!require_session(call, error) || !find_waiting(call, input->userCode, &device, error))
                return false;
        *result = json_pack("{s:s, s:s, s:s, s:o, s:o}", "userCode", device.user_code, "name", device.name, "address",
                            device.address, "createdAt", document_time(device.created_at), "expiresAt",
                            document_time(device.expires_at));
        return true;
}

bool device_decide(struct call *call, const struct device_decide_input *input, json_t **result, struct error *error)
{
        auto_store_device device = {0};

        if (!require_session(call, error) || !find_waiting(call, input->userCode, &device, error) ||
            (input->allow ? !store_device_allow(call->db, device.rid, call->actor->user, error)
                          : !store_device_deny(call->db, device.rid, error)) ||
            !audit_write(call->db, call->actor, input->allow ? "device.allow" : "device.deny", device.name,
                         json_pack("{s:s}", "address", device.address), error))
                return false;
        attempts_forget(&guesses, call->actor->user_id);
        *result = json_pack("{s:s, s:b}", "userCode", device.user_code, "allowed", input->allow);
        return true;
}
