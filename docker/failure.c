#include "docker/failure.h"

#include <ctype.h>
#include <string.h>

#include "docker/client.h"
#include "server/base/document.h"

#define ANY (-1)

/* The first row that fits decides. Where only the engine's words tell two cases apart, they are matched; newer engines
 * and Podman use the same words under other statuses. */
static const struct {
        int operation;
        int status;
        const char *words;
        enum error_code code;
} rows[] = {
        {ANY, 500, "no space left on device", ERROR_STORE_FULL},
        {DOCKER_ON_CREATE, ANY, "bind source path does not exist", ERROR_MOUNT_SOURCE_MISSING},
        {DOCKER_ON_CREATE, ANY, "already in use by", ERROR_CONTAINER_NAME_TAKEN},
        {DOCKER_ON_CREATE, 404, NULL, ERROR_IMAGE_NOT_FOUND},
        {DOCKER_ON_START, ANY, "bind source path does not exist", ERROR_MOUNT_SOURCE_MISSING},
        {DOCKER_ON_START, 404, "No such container", ERROR_CONTAINER_NOT_FOUND},
        {DOCKER_ON_START, ANY, NULL, ERROR_CONTAINER_START_FAILED},
        {DOCKER_ON_CONTAINER, 404, NULL, ERROR_CONTAINER_NOT_FOUND},
        {DOCKER_ON_CONTAINER, ANY, "is not running", ERROR_CONTAINER_NOT_RUNNING},
        {DOCKER_ON_EXEC, ANY, "cannot resize a ", ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, ANY, "no such exec", ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, ANY, "process does not exist", ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, 404, NULL, ERROR_NOT_FOUND},
        {DOCKER_ON_EXEC, ANY, "is not running", ERROR_CONTAINER_NOT_RUNNING},
        {DOCKER_ON_IMAGE, 404, NULL, ERROR_IMAGE_NOT_FOUND},
        {DOCKER_ON_BUILD, ANY, NULL, ERROR_IMAGE_BUILD_FAILED},
        {ANY, 400, NULL, ERROR_ENGINE_REQUEST_INVALID},
        {ANY, 409, NULL, ERROR_CONFLICT},
        {ANY, ANY, NULL, ERROR_ENGINE_FAILED},
};

void docker_reason(const char *body, size_t length, char reason[DOCKER_REASON_SIZE])
{
        auto_error ignored = {0};
        auto_json *document = document_parse(body, length, &ignored);
        const char *said = document_get_string(document, "message");
        auto_text clean = TEXT_WITH_MAXIMUM(4 * DOCKER_REASON_SIZE);

        if (said)
                text_append_string(&clean, said);
        else
                utf8_append_clean(&clean, body, length < DOCKER_REASON_SIZE ? length : DOCKER_REASON_SIZE);
        /* A character that the cut would split is left out whole. */
        size_t end = 0, step;
        bool is_partial;
        while (end < clean.length && (step = utf8_character(clean.data + end, clean.length - end, &is_partial)) > 0 &&
               end + step < DOCKER_REASON_SIZE)
                end += step;
        memcpy(reason, text_string(&clean), end);
        for (size_t i = 0; i < end; i++)
                if (iscntrl((unsigned char)reason[i]))
                        reason[i] = ' ';
        while (end > 0 && reason[end - 1] == ' ')
                end--;
        reason[end] = '\0';
}

/* The container id in the engine's words, as details; NULL when there is none. */
static json_t *id_details(const char *reason)
{
        static const char digits[] = "0123456789abcdef";

        for (const char *at = reason; *at; at += strcspn(at, digits)) {
                size_t run = strspn(at, digits);
                if (run == DOCKER_ID_SIZE - 1)
                        return json_pack("{s:s%}", "id", at, run);
                at += run;
        }
        return NULL;
}

bool docker_failure(enum docker_operation operation, long status, const char *body, size_t length, struct error *error)
{
        char reason[DOCKER_REASON_SIZE];
        size_t row = 0;

        docker_reason(body, length, reason);
        while ((rows[row].operation != ANY && rows[row].operation != (int)operation) ||
               (rows[row].status != ANY && rows[row].status != status) ||
               (rows[row].words && !strstr(reason, rows[row].words)))
                row++;
        json_t *details = rows[row].code == ERROR_CONTAINER_NAME_TAKEN ? id_details(reason) : NULL;
        if (reason[0])
                return error_set_details(error, rows[row].code, details, "Docker engine: %s", reason);
        return error_set_details(error, rows[row].code, details, "Docker engine: status %ld without a reason", status);
}
