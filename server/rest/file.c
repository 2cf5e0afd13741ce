#include <stdlib.h>
#include <unistd.h>

#include "server/rest/bearer.h"
#include "server/rest/operations.h"
#include "server/services/reader.h"
#include "server/services/task.h"

/* A download on its way. Owns itself. */
struct download {
        const struct rest_door *door;
        struct http_request *request;
        struct caller caller;
        char *token;
};

static void download_free(struct download *download)
{
        free(download->token);
        free(download);
}

/* The copy for whoever may still see it once it is made; -1 on error. */
static int copy(struct download *download, int64_t *size, struct error *error)
{
        struct caller *caller = &download->caller;
        struct task_copy_input input = {http_request_param(download->request, "taskId"),
                                        http_request_param(download->request, "path")};

        caller->db = services_reader(caller->services, error);
        if (!caller->db || !caller_authenticate(caller, error))
                return -1;
        struct call call = caller_as_call(caller, "rest", NULL);
        int file = task_file_copy(&call, &input, size, error);
        if (file >= 0 && !access_is_current(caller->db, &caller->actor)) {
                close(file);
                error_set(error, ERROR_CHANGED, NULL);
                return -1;
        }
        return file;
}

static void serve(void *context)
{
        struct download *download = context;
        auto_error error = {0};
        int64_t size;
        int file = copy(download, &size, &error);

        if (file < 0) {
                rest_refuse(download->request, &error);
        } else {
                http_request_add_header(download->request, "Content-Disposition", "attachment");
                http_respond_file(download->request, file, (uint64_t)size, "application/octet-stream", NULL);
        }
        download_free(download);
}

void rest_file_answer(const struct rest_door *door, struct http_request *request)
{
        struct download *download = memory_new(sizeof *download);
        auto_error error = {0};

        *download = (struct download){.door = door, .request = request, .caller = rest_caller(door->services, request)};
        download->caller.token = download->token = text_copy(download->caller.token);
        if (!http_suspend(request)) {
                download_free(download);
        } else if (!pool_submit(door->pool, serve, download)) {
                error_set(&error, ERROR_TOO_MANY, "All workers are busy; retry in a moment.");
                rest_refuse(request, &error);
                download_free(download);
        }
}
