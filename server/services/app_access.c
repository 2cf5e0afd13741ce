#include "server/services/app_access.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>

#include "docker/runner/connect.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/secret.h"
#include "server/base/url.h"
#include "server/services/app_server.h"
#include "server/services/audit.h"
#include "server/services/task_paths.h"
#include "server/services/task_run.h"

/* Of all people together, and of one person for one task: the oldest goes for a new one. */
#define PASSES_MAXIMUM 4096
#define PASSES_PER_PERSON 20
#define CONNECT_MS 5000
/* Somebody who uses an application keeps its container from being idle; that is noted this often. */
#define TOUCH_MS 60000

/* One token or cookie. */
struct pass {
        TAILQ_ENTRY(pass) all; /* oldest first */
        uint8_t hash[SECRET_HASH_SIZE];
        bool is_cookie;
        int64_t expires_at; /* monotonic */
        int64_t task, run, port, touched_at;
        char task_id[ID_SIZE];
        struct actor *actor;
};

struct app_access {
        struct services *services;
        char *scheme, *host, *port; /* port: "" for the scheme's own */
        pthread_mutex_t mutex;      /* guards all below */
        struct store_db *db;
        TAILQ_HEAD(, pass) passes;
        size_t count;
};

struct app_access *app_access_new(struct services *services, const char *address, struct error *error)
{
        struct app_access *access = memory_new(sizeof *access);
        struct url url;

        pthread_mutex_init(&access->mutex, NULL);
        TAILQ_INIT(&access->passes);
        access->services = services;
        bool is_good = url_parse(address, &url) && !url.is_ipv6;
        if (is_good) {
                access->scheme = text_format("%.*s", (int)url.scheme.length, url.scheme.at);
                access->host = text_format("%.*s", (int)url.host.length, url.host.at);
                access->port = text_format("%.*s", url.port.at ? (int)url.port.length : 0, url.port.at);
                access->db = store_reader_open(services->store, error);
        } else {
                error_set(error, ERROR_INVALID_INPUT,
                          "The proxy's address %s has no host that a name can stand before.", address);
        }
        if (access->db)
                return access;
        app_access_free(access);
        return NULL;
}

static void remove_pass(struct app_access *access, struct pass *pass)
{
        TAILQ_REMOVE(&access->passes, pass, all);
        access->count--;
        actor_free(pass->actor);
        free(pass);
}

void app_access_free(struct app_access *access)
{
        struct pass *pass;

        if (!access)
                return;
        while ((pass = TAILQ_FIRST(&access->passes)))
                remove_pass(access, pass);
        if (access->db)
                store_reader_close(access->db);
        pthread_mutex_destroy(&access->mutex);
        free(access->scheme);
        free(access->host);
        free(access->port);
        free(access);
}

bool app_access_is_on(const struct services *services)
{
        return services->app_access;
}

char *app_access_origin(const struct services *services, const char *task_id)
{
        const struct app_access *access = services->app_access;

        if (!access)
                return NULL;
        return text_format("%s://%s.%s%s%s", access->scheme, task_id, access->host, *access->port ? ":" : "",
                           access->port);
}

char *app_access_task(const struct app_access *access, const char *host)
{
        const char *dot = strchr(host, '.');
        size_t length = strlen(access->host);

        if (!dot || strncasecmp(dot + 1, access->host, length) != 0 || (dot[1 + length] && dot[1 + length] != ':'))
                return NULL;
        auto_free char *task = text_format("%.*s", (int)(dot - host), host);
        return id_is_task(task) ? take(task) : NULL;
}

void app_access_revoke(const struct services *services, int64_t task)
{
        struct app_access *access = services->app_access;

        if (!access)
                return;
        pthread_mutex_lock(&access->mutex);
        for (struct pass *pass = TAILQ_FIRST(&access->passes), *next; pass; pass = next) {
                next = TAILQ_NEXT(pass, all);
                if (pass->task == task)
                        remove_pass(access, pass);
        }
        pthread_mutex_unlock(&access->mutex);
}

static void new_secret(char secret[APP_ACCESS_SECRET_SIZE], uint8_t hash[SECRET_HASH_SIZE])
{
        secret_token_new(secret, APP_ACCESS_SECRET_SIZE - 1);
        secret_hash(secret, strlen(secret), hash);
}

/* Makes room for another one, with the mutex held. */
static void make_room(struct app_access *access, int64_t user, int64_t task)
{
        int64_t now = clock_monotonic();
        struct pass *oldest = NULL;
        int own = 0;

        for (struct pass *pass = TAILQ_FIRST(&access->passes), *next; pass; pass = next) {
                next = TAILQ_NEXT(pass, all);
                bool is_own = pass->actor->user == user && pass->task == task;
                if (pass->expires_at <= now) {
                        remove_pass(access, pass);
                        continue;
                }
                own += is_own;
                if (is_own && !oldest)
                        oldest = pass;
        }
        if (own >= PASSES_PER_PERSON)
                remove_pass(access, oldest);
        else if (access->count >= PASSES_MAXIMUM)
                remove_pass(access, TAILQ_FIRST(&access->passes));
}

static void add(struct app_access *access, const struct store_task_run *run, const struct actor *actor,
                char token[APP_ACCESS_SECRET_SIZE])
{
        struct pass *pass = memory_new(sizeof *pass);

        new_secret(token, pass->hash);
        pass->expires_at = clock_monotonic() + APP_ACCESS_TOKEN_MS;
        pass->task = run->task;
        pass->run = run->rid;
        pass->port = run->port;
        snprintf(pass->task_id, sizeof pass->task_id, "%s", run->task_id);
        pass->actor = actor_copy(actor);
        pthread_mutex_lock(&access->mutex);
        make_room(access, actor->user, run->task);
        TAILQ_INSERT_TAIL(&access->passes, pass, all);
        access->count++;
        pthread_mutex_unlock(&access->mutex);
}

struct granting {
        const struct call *call;
        const char *task_id;
};

static bool audit_work(struct store_db *db, void *context, struct error *error)
{
        const struct granting *granting = context;

        return audit_write(db, granting->call->actor, "task.app.access", granting->task_id, NULL, error);
}

bool app_access_grant(struct call *call, const struct app_access_input *input, json_t **result, struct error *error)
{
        struct app_access *access = call->services->app_access;
        auto_app_server_look look = {0};
        auto_store_task task = {0};
        char token[APP_ACCESS_SECRET_SIZE], until[CLOCK_ISO_SIZE];

        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_EXECUTE,
                                 PERMISSION_TASKS_EXECUTE_ANY, &task, error) ||
            !access_require_content(&task, error))
                return false;
        if (!access)
                return error_set(error, ERROR_UNAVAILABLE,
                                 "Application servers are not reachable here: APP_PROXY_PORT is not set.");
        if (!app_server_look(call->services, call->db, &task, &look, error))
                return false;
        if (!look.is_alive)
                return error_set(error, ERROR_APP_SERVER_STATE, "The application server is %s; start it first.",
                                 look.status);
        struct granting granting = {call, task.id};
        if (!store_write(call->services->store, audit_work, &granting, error))
                return false;
        add(access, &look.run, call->actor, token);
        clock_format(clock_now() + APP_ACCESS_TOKEN_MS, until);
        auto_free char *origin = app_access_origin(call->services, task.id),
                       *url = text_format("%s" APP_ACCESS_PATH "?token=%s", origin, token);
        *result =
                json_pack("{s:s, s:s, s:s, s:s}", "taskId", task.id, "url", url, "origin", origin, "expiresAt", until);
        return true;
}

/* With the mutex held. */
static struct pass *find(struct app_access *access, const char *task_id, const char *secret, bool is_cookie)
{
        uint8_t hash[SECRET_HASH_SIZE];
        struct pass *pass;

        secret_hash(secret, strlen(secret), hash);
        TAILQ_FOREACH(pass, &access->passes, all)
        {
                if (pass->is_cookie == is_cookie && !strcmp(pass->task_id, task_id) &&
                    secret_is_equal(pass->hash, hash, sizeof hash))
                        return pass->expires_at > clock_monotonic() ? pass : NULL;
        }
        return NULL;
}

bool app_access_enter(struct app_access *access, const char *task_id, const char *token,
                      char cookie[APP_ACCESS_SECRET_SIZE])
{
        pthread_mutex_lock(&access->mutex);
        struct pass *pass = find(access, task_id, token, false);
        if (pass) {
                new_secret(cookie, pass->hash);
                pass->is_cookie = true;
                pass->expires_at = clock_monotonic() + APP_ACCESS_COOKIE_MS;
        }
        pthread_mutex_unlock(&access->mutex);
        return pass;
}

/* Resolves the credential again when something has changed that decides on access. */
static bool is_credential_good(struct app_access *access, struct pass *pass, struct error *error)
{
        struct actor *fresh = NULL;
        int64_t expires_at;

        if (access_is_current(access->db, pass->actor))
                return true;
        if (!access_renew(access->db, pass->actor, &fresh, &expires_at, error))
                return false;
        actor_free(pass->actor);
        pass->actor = fresh;
        return true;
}

/* Whether it is still the run that access was given to, and the person may still run things in the task. */
static bool is_good(struct app_access *access, struct pass *pass, struct error *error)
{
        auto_store_task_run run = {0};
        auto_store_task task = {0};
        bool is_found = false;

        return is_credential_good(access, pass, error) &&
               access_task_require(access->db, pass->actor, pass->task_id, PERMISSION_TASKS_EXECUTE,
                                   PERMISSION_TASKS_EXECUTE_ANY, &task, error) &&
               access_require_content(&task, error) &&
               store_task_run_latest(access->db, pass->task, TASK_RUN_APP, "", &run, &is_found, error) && is_found &&
               run.rid == pass->run && !run.ended_at;
}

struct touch {
        int64_t task;
};

static bool touch_work(struct store_db *db, void *context, struct error *error)
{
        return store_task_touch(db, ((struct touch *)context)->task, clock_now(), error);
}

static void touch(struct app_access *access, int64_t task)
{
        struct touch touched = {task};
        auto_error error = {0};

        if (!store_write(access->services->store, touch_work, &touched, &error))
                log_warning("the use of an application could not be noted", "reason", error.message);
}

bool app_access_admits(struct app_access *access, const char *task_id, const char *cookie, int64_t *port)
{
        auto_error error = {0};
        bool is_due = false;
        int64_t task = 0;

        pthread_mutex_lock(&access->mutex);
        struct pass *pass = find(access, task_id, cookie, true);
        bool is_admitted = pass && is_good(access, pass, &error);
        if (is_admitted) {
                *port = pass->port;
                task = pass->task;
                is_due = clock_monotonic() - pass->touched_at >= TOUCH_MS || !pass->touched_at;
                if (is_due)
                        pass->touched_at = clock_monotonic();
        } else if (pass && error.code != ERROR_STORE_FAILED) {
                remove_pass(access, pass);
        }
        pthread_mutex_unlock(&access->mutex);
        if (is_due)
                touch(access, task);
        return is_admitted;
}

int app_access_connect(const struct app_access *access, const char *task_id, int64_t port, struct error *error)
{
        auto_free char *control = task_path_control(access->services->data_folder, task_id);

        return control_connect(control, (uint16_t)port, CONNECT_MS, error);
}
