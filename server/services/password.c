#include "server/services/password.h"

#include <pthread.h>
#include <string.h>

#include "server/base/text.h"

/* One check, or (with `out`) the making of a hash. */
struct job {
        struct job *next;
        char *hash, *password;
        char *out;
        password_done *done;
        void *context;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_pending = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static size_t waiting;
static bool is_started;

/* Of no password; checked in place of a hash that does not exist. */
static char nobody[SECRET_PASSWORD_HASH_SIZE];

static void job_free(struct job *job)
{
        secret_wipe(job->password, strlen(job->password));
        free(job->password);
        free(job->hash);
        free(job);
}

static bool check(const struct job *job)
{
        if (job->hash)
                return secret_password_verify(job->hash, job->password);
        if (!*nobody && !secret_password_hash("", nobody))
                return false;
        return secret_password_verify(nobody, job->password) && false;
}

static struct job *next_job(void)
{
        pthread_mutex_lock(&mutex);
        while (!first)
                pthread_cond_wait(&is_pending, &mutex);
        struct job *job = first;
        first = job->next;
        if (!first)
                last = &first;
        waiting--;
        pthread_mutex_unlock(&mutex);
        return job;
}

static void *run(void *argument)
{
        for (;;) {
                struct job *job = next_job();
                bool is_good = job->out ? secret_password_hash(job->password, job->out) : check(job);
                job->done(job->context, is_good);
                job_free(job);
        }
        return argument;
}

static bool start_thread(void)
{
        pthread_t thread;

        if (!is_started && pthread_create(&thread, NULL, run, NULL) == 0) {
                pthread_detach(thread);
                is_started = true;
        }
        return is_started;
}

static bool submit(const char *hash, const char *password, char *out, password_done *done, void *context,
                   struct error *error)
{
        bool is_taken = false;

        pthread_mutex_lock(&mutex);
        if (waiting < PASSWORD_QUEUE_MAXIMUM && start_thread()) {
                struct job *job = memory_new(sizeof *job);
                *job = (struct job){NULL, text_copy(hash), text_copy(password), out, done, context};
                *last = job;
                last = &job->next;
                waiting++;
                is_taken = true;
                pthread_cond_signal(&is_pending);
        }
        pthread_mutex_unlock(&mutex);
        return is_taken || error_set(error, ERROR_TOO_MANY, NULL);
}

bool password_verify_later(const char *hash, const char *password, password_done *done, void *context,
                           struct error *error)
{
        return submit(hash, password, NULL, done, context, error);
}

struct answer {
        pthread_mutex_t mutex;
        pthread_cond_t is_there;
        bool is_done, is_good;
};

static void answer_done(void *context, bool is_good)
{
        struct answer *answer = context;

        pthread_mutex_lock(&answer->mutex);
        answer->is_done = true;
        answer->is_good = is_good;
        pthread_cond_signal(&answer->is_there);
        pthread_mutex_unlock(&answer->mutex);
}

static bool submit_and_wait(const char *hash, const char *password, char *out, bool *is_good, struct error *error)
{
        struct answer answer = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false};

        if (!submit(hash, password, out, answer_done, &answer, error))
                return false;
        pthread_mutex_lock(&answer.mutex);
        while (!answer.is_done)
                pthread_cond_wait(&answer.is_there, &answer.mutex);
        pthread_mutex_unlock(&answer.mutex);
        *is_good = answer.is_good;
        return true;
}

bool password_hash(const char *password, char hash[SECRET_PASSWORD_HASH_SIZE], struct error *error)
{
        bool is_good;

        if (!submit_and_wait(NULL, password, hash, &is_good, error))
                return false;
        return is_good || error_set(error, ERROR_UNAVAILABLE, "there is not enough memory to hash a password");
}

bool password_verify(const char *hash, const char *password, bool *is_right, struct error *error)
{
        return submit_and_wait(hash, password, NULL, is_right, error);
}
