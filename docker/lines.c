#include "docker/lines.h"

#include <string.h>

#include "server/base/document.h"

static bool take_line(struct docker_lines *lines, struct error *error)
{
        struct text *partial = &lines->partial;
        size_t blanks = strspn(text_string(partial), " \t\r");

        if (blanks == partial->length) {
                text_clear(partial);
                return true;
        }
        /* A program's output may have NUL characters, which document_parse refuses. */
        auto_json *object = json_loadb(partial->data, partial->length, JSON_ALLOW_NUL, NULL);
        text_clear(partial);
        if (!object)
                return error_set(error, ERROR_ENGINE_FAILED, "the Docker engine's stream has a line that is no JSON");
        return lines->line(object, lines->context, error);
}

bool docker_lines_feed(struct docker_lines *lines, const char *bytes, size_t length, struct error *error)
{
        lines->partial.maximum = DOCKER_LINE_MAXIMUM;
        while (length > 0) {
                const char *end = memchr(bytes, '\n', length);
                size_t part = end ? (size_t)(end - bytes) : length;
                text_append(&lines->partial, bytes, part);
                if (lines->partial.is_cut)
                        return error_set(error, ERROR_ENGINE_FAILED,
                                         "the Docker engine's stream has a line of more than %u bytes",
                                         DOCKER_LINE_MAXIMUM);
                if (!end)
                        return true;
                if (!take_line(lines, error))
                        return false;
                bytes = end + 1;
                length -= part + 1;
        }
        return true;
}

bool docker_lines_end(struct docker_lines *lines, struct error *error)
{
        return take_line(lines, error);
}

void docker_lines_clear(struct docker_lines *lines)
{
        text_clear(&lines->partial);
}
