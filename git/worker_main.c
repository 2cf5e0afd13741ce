#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "git/request.h"
#include "git/worker.h"
#include "server/base/document.h"
#include "server/base/text.h"

#define REQUEST_MAXIMUM (1024 * 1024)

struct operation {
        const char *name;
        request_work *work;
};

static const struct operation operations[] = {
        {"mirror", mirror_work},
        {"workspace", workspace_work},
        {"bundle", bundle_work},
        {"change import", change_import_work},
        {"change patch", change_patch_work},
};

static void end_group(int number)
{
        (void)number;
        kill(0, SIGKILL);
}

/* Nothing outlives the server, nor (should it not get to kill us) a deadline. */
static void bound(const json_t *request)
{
        struct rlimit none = {0, 0};
        struct sigaction action = {.sa_handler = end_group};
        struct itimerval last = {.it_value.tv_sec = document_get_integer(request, "deadline_ms", 0) / 1000 + 2};

        umask(022);
        if (chdir("/"))
                end_group(SIGTERM);
        setrlimit(RLIMIT_CORE, &none);
        sigaction(SIGTERM, &action, NULL);
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &last, NULL);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != (pid_t)document_get_integer(request, "parent", -1))
                end_group(SIGTERM);
}

/* A sanitizer's shadow memory would count against the limit; git, which does the heavy work, has it in every build. */
static void bound_memory(const json_t *request)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        rlim_t bytes = (rlim_t)document_get_integer(request, "memory_bytes", 0);
        struct rlimit limit = {bytes, bytes};
        setrlimit(RLIMIT_DATA, &limit);
#else
        (void)request;
#endif
}

static bool work(const json_t *request, json_t *result, struct error *error)
{
        const char *name = document_get_string(request, "operation");

        for (size_t i = 0; name && i < COUNT_OF(operations); i++)
                if (!strcmp(operations[i].name, name))
                        return operations[i].work(request, result, error);
        return error_set(error, ERROR_GIT_FAILED, "The git worker does not know the operation %s", name ? name : "");
}

static json_t *request_read(struct error *error)
{
        auto_text text = TEXT_WITH_MAXIMUM(REQUEST_MAXIMUM);
        char buffer[4096];
        ssize_t got;

        while ((got = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
                text_append(&text, buffer, (size_t)got);
        return document_parse(text_string(&text), text.length, error);
}

static bool answer_write(const json_t *answer)
{
        auto_free char *printed = document_print(answer);
        size_t length = strlen(printed);

        for (size_t at = 0; at < length;) {
                ssize_t done = write(STDOUT_FILENO, printed + at, length - at);
                if (done < 0)
                        return false;
                at += (size_t)done;
        }
        return true;
}

int repository_worker_main(int argc, char **argv)
{
        auto_error error = {0};
        auto_json *result = json_object();
        auto_json *answer = json_object();
        auto_json *request = request_read(&error);

        (void)argc;
        (void)argv;
        if (request) {
                bound(request);
                bound_memory(request);
        }
        if (request && work(request, result, &error))
                json_object_set(answer, "result", result);
        else
                json_object_set_new(answer, "error", request_failure_write(&error));
        return answer_write(answer) ? 0 : 1;
}
