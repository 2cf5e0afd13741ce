/* API keys for command lines on other machines, by device authorisation (RFC 8628).
 *
 * A program asks for a code pair and shows the user code; the person opens a page of this server in a browser where
 * they are signed in, compares the code, and allows or denies; the program, which asks again and again, gets an API key
 * of that person, once. */
#ifndef SERVICES_DEVICE_H
#define SERVICES_DEVICE_H

#include "server/base/field.h"
#include "server/services/services.h"

#define DEVICE_PAGE "/device"
#define DEVICE_LIFE_MS (INT64_C(10) * 60 * 1000)
#define DEVICE_INTERVAL_MS 5000
#define DEVICE_WAITING_MAXIMUM 1000

struct device_begin_input {
        const char *name;
};
extern const struct field_table device_begin_table;
/* {device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval}. ERROR_TOO_MANY. For
 * everybody; blocks: writes. */
MUST_CHECK bool device_begin(struct call *call, const struct device_begin_input *input, json_t **result,
                             struct error *error);

struct device_poll_input {
        const char *device_code;
};
extern const struct field_table device_poll_table;
/* {access_token, token_type, id, user, name}: the key, this once. ERROR_DEVICE_PENDING, ERROR_DEVICE_SLOW (asked before
 * the interval, which is longer from now on), ERROR_DEVICE_DENIED, ERROR_DEVICE_EXPIRED. For everybody; blocks: writes.
 */
MUST_CHECK bool device_poll(struct call *call, const struct device_poll_input *input, json_t **result,
                            struct error *error);

struct device_show_input {
        const char *userCode;
};
extern const struct field_table device_show_table;
/* {userCode, name, address, createdAt, expiresAt} of one that waits. Needs a session, as the next. ERROR_NOT_FOUND;
 * ERROR_TOO_MANY after too many codes that are none. Reads. */
MUST_CHECK bool device_show(struct call *call, const struct device_show_input *input, json_t **result,
                            struct error *error);

struct device_decide_input {
        const char *userCode;
        bool allow;
};
extern const struct field_table device_decide_table;
/* {userCode, allowed}. Final. In a piece of work. */
MUST_CHECK bool device_decide(struct call *call, const struct device_decide_input *input, json_t **result,
                              struct error *error);

/* Forgets how many attempts there were. */
void device_limit_reset(void);

#endif
