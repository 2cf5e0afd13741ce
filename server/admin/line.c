#include "server/admin/line.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "server/admin/socket.h"
#include "server/base/document.h"

json_t *line_read(int socket, struct error *error)
{
        auto_text line = TEXT_WITH_MAXIMUM(ADMIN_LINE_MAXIMUM);
        char buffer[4096];

        while (!line.length || line.data[line.length - 1] != '\n') {
                ssize_t got = recv(socket, buffer, sizeof buffer, 0);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got <= 0) {
                        error_set(error, ERROR_UNAVAILABLE, "the other side ended before its line did");
                        return NULL;
                }
                text_append(&line, buffer, (size_t)got);
                if (line.is_cut) {
                        error_set(error, ERROR_TOO_LARGE, NULL);
                        return NULL;
                }
        }
        return document_parse(text_string(&line), line.length - 1, error);
}

bool line_write(int socket, const json_t *document, struct error *error)
{
        auto_free char *printed = document_print(document);
        size_t length = strlen(printed);

        printed[length++] = '\n';
        for (size_t sent = 0; sent < length;) {
                ssize_t done = send(socket, printed + sent, length - sent, MSG_NOSIGNAL);
                if (done < 0 && errno == EINTR)
                        continue;
                if (done < 0)
                        return error_set(error, ERROR_UNAVAILABLE, "the other side is gone: %s", strerror(errno));
                sent += (size_t)done;
        }
        return true;
}
