/* Who may reach which application server through the proxy.
 *
 * Each task's application has an origin of its own: the task's id is a label in front of the proxy's host, so that
 * pages of one application can read neither another's nor the product's. Somebody who may run things in the task asks
 * for an address with a token that is good once and for a minute; the proxy gives a cookie of that origin for it. Both
 * stand for the person, the credential that asked, the task and this run of its application: every request is checked
 * against all four. They are kept in memory only, as hashes: after a restart of the server the address is asked for
 * again. */
#ifndef SERVICES_APP_ACCESS_H
#define SERVICES_APP_ACCESS_H

#include "server/services/services.h"

/* Where the token is exchanged, at the application's origin. */
#define APP_ACCESS_PATH "/.longshore/enter"
#define APP_ACCESS_TOKEN_MS 60000
#define APP_ACCESS_COOKIE_MS (8 * INT64_C(3600000))
#define APP_ACCESS_SECRET_SIZE 41

struct app_access;

/* `address` is scheme://host[:port] of the proxy as people reach it (copied). The caller owns it; it goes into the
 * services. NULL on error. */
struct app_access *app_access_new(struct services *services, const char *address, struct error *error);
/* NULL is allowed. */
void app_access_free(struct app_access *access);

/* Whether there is a proxy. */
bool app_access_is_on(const struct services *services);
/* scheme://TASK.host[:port] of the task's application, on the heap; NULL when there is no proxy. */
char *app_access_origin(const struct services *services, const char *task_id);
/* The task that a Host header names, on the heap; NULL when it names none. */
char *app_access_task(const struct app_access *access, const char *host);
/* Ends all access to the task's application. */
void app_access_revoke(const struct services *services, int64_t task);

struct app_access_input {
        const char *taskId;
};
/* {taskId, url, expiresAt}. Needs what start_task_app_server needs, and an application that runs
 * (ERROR_APP_SERVER_STATE otherwise). ERROR_UNAVAILABLE without a proxy. Asks the container: not on a thread that must
 * not wait. */
MUST_CHECK bool app_access_grant(struct call *call, const struct app_access_input *input, json_t **result,
                                 struct error *error);

/* Exchanges the token, once, for what goes into the cookie. False when it is not good for that task. On any thread. */
bool app_access_enter(struct app_access *access, const char *task_id, const char *token,
                      char cookie[APP_ACCESS_SECRET_SIZE]);
/* Whether the cookie lets somebody reach the task's application now, and at which port. On any thread; reads the store.
 */
bool app_access_admits(struct app_access *access, const char *task_id, const char *cookie, int64_t *port);
/* A connection to that port of the task's container; -1 with ERROR_CONTAINER_NOT_RUNNING or ERROR_UNAVAILABLE. */
int app_access_connect(const struct app_access *access, const char *task_id, int64_t port, struct error *error);

#endif
