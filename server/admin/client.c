#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "server/admin/line.h"
#include "server/admin/socket.h"
#include "server/base/document.h"

/* The address goes through an open folder: a data folder's path may be longer than a socket's address can be. */
bool admin_connect(const char *data_folder, int *out, struct error *error)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        auto_fd folder = open(data_folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        auto_fd opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        *out = -1;
        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" ADMIN_SOCKET_NAME, folder);
        if (folder < 0 && errno == EACCES)
                return error_set(error, ERROR_PERMISSION_DENIED, "you may not look into %s; try it as root",
                                 data_folder);
        if (folder < 0)
                return true;
        if (connect(opened, (struct sockaddr *)&address, sizeof address) == 0)
                *out = take_fd(&opened);
        else if (errno == EACCES || errno == EPERM)
                return error_set(error, ERROR_PERMISSION_DENIED, "you may not talk to the server of %s; try it as root",
                                 data_folder);
        return true;
}

static enum error_code code_of(const char *name)
{
        for (int i = 1; name && i < ERROR_COUNT; i++)
                if (!strcmp(error_kind((enum error_code)i)->code, name))
                        return (enum error_code)i;
        return ERROR_INTERNAL;
}

bool admin_ask(int socket, const char *command, json_t *arguments, json_t **result, struct error *error)
{
        auto_json *request = json_pack("{s:s, s:O*}", "command", command, "arguments", arguments);

        if (!line_write(socket, request, error))
                return false;
        auto_json *answer = line_read(socket, error);
        if (!answer)
                return error_prefix(error, "the server gave no answer");
        json_t *failure = json_object_get(answer, "error"), *given = json_object_get(answer, "result");
        if (given) {
                *result = json_incref(given);
                return true;
        }
        const char *message = document_get_string(failure, "message");
        return error_set(error, code_of(document_get_string(failure, "code")), "%s",
                         message ? message : "the server's answer is not understood");
}
