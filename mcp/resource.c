#include "mcp/resource.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PREFIX "longshore://tasks/"
#define FILES "/files/"
/* Of a task's id and a path, decoded. */
#define PART_MAXIMUM 4096

void resource_file_clear(struct resource_file *file)
{
        free(file->task_id);
        free(file->path);
        *file = (struct resource_file){0};
}

void resource_write_uri(struct text *out, const char *task_id, const char *path)
{
        text_printf(out, PREFIX "%s" FILES, task_id);
        for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
                if (isalnum(*at) || strchr("-._~/!$&'()*+,;=:@", *at))
                        text_append(out, at, 1);
                else
                        text_printf(out, "%%%02X", *at);
        }
}

static int digit(char character)
{
        return isdigit((unsigned char)character) ? character - '0' : (character | 32) - 'a' + 10;
}

/* The bytes behind percent signs; NULL for a broken one, a NUL, bytes that are no UTF-8, or too many. */
static char *decode(const char *text, size_t length)
{
        auto_text out = TEXT_WITH_MAXIMUM(PART_MAXIMUM);

        for (size_t i = 0; i < length; i++) {
                char byte = text[i];
                if (byte == '%') {
                        if (i + 2 >= length || !isxdigit((unsigned char)text[i + 1]) ||
                            !isxdigit((unsigned char)text[i + 2]))
                                return NULL;
                        byte = (char)(digit(text[i + 1]) * 16 + digit(text[i + 2]));
                        i += 2;
                }
                if (!byte)
                        return NULL;
                text_append(&out, &byte, 1);
        }
        return out.is_cut || !utf8_is_valid(text_string(&out), out.length) ? NULL : text_take(&out);
}

static bool read_number(const char *text, size_t length, int64_t minimum, int64_t maximum, int64_t *number)
{
        char copy[20], *end;

        if (!length || length >= sizeof copy || !isdigit((unsigned char)*text))
                return false;
        memcpy(copy, text, length);
        copy[length] = '\0';
        errno = 0;
        *number = strtoll(copy, &end, 10);
        return !errno && !*end && *number >= minimum && *number <= maximum;
}

/* Reads "offset=N&maxBytes=N", either of them. */
static bool read_query(const char *query, struct resource_file *file)
{
        while (*query) {
                size_t length = strcspn(query, "&");
                bool is_good = !strncmp(query, "offset=", 7)
                                       ? read_number(query + 7, length - 7, 0, INT64_MAX, &file->offset)
                                       : !strncmp(query, "maxBytes=", 9) &&
                                                 read_number(query + 9, length - 9, 1, RESOURCE_PAGE, &file->maximum);
                if (!is_good)
                        return false;
                query += length + (query[length] == '&');
        }
        return true;
}

static bool read_parts(const char *uri, struct resource_file *file)
{
        size_t prefix = strlen(PREFIX);

        if (strncmp(uri, PREFIX, prefix))
                return false;
        const char *task = uri + prefix, *files = strstr(task, FILES);
        if (!files)
                return false;
        const char *path = files + strlen(FILES);
        size_t length = strcspn(path, "?#");
        file->task_id = decode(task, (size_t)(files - task));
        file->path = decode(path, length);
        return file->task_id && file->path && *file->task_id && *file->path && path[length] != '#' &&
               (!path[length] || read_query(path + length + 1, file));
}

bool resource_read_uri(const char *uri, struct resource_file *file, struct error *error)
{
        auto_resource_file found = {.maximum = RESOURCE_PAGE};

        if (!read_parts(uri, &found))
                return error_set(error, ERROR_NOT_FOUND, NULL);
        *file = found;
        found = (struct resource_file){0};
        return true;
}

const char *resource_media_type(const char *path)
{
        static const struct {
                const char *end, *type;
        } rows[] = {
                {".txt", "text/plain"},        {".log", "text/plain"},          {".md", "text/markdown"},
                {".json", "application/json"}, {".jsonl", "application/jsonl"}, {".patch", "text/x-diff"},
                {".diff", "text/x-diff"},      {".html", "text/html"},          {".css", "text/css"},
                {".csv", "text/csv"},          {".xml", "application/xml"},     {".yaml", "application/yaml"},
                {".yml", "application/yaml"},  {".png", "image/png"},           {".jpg", "image/jpeg"},
                {".jpeg", "image/jpeg"},       {".gif", "image/gif"},           {".svg", "image/svg+xml"},
                {".webp", "image/webp"},       {".pdf", "application/pdf"},     {".zip", "application/zip"},
                {".gz", "application/gzip"},   {".tar", "application/x-tar"},
        };
        const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

        for (size_t i = 0; dot && i < COUNT_OF(rows); i++)
                if (!strcasecmp(dot, rows[i].end))
                        return rows[i].type;
        return "application/octet-stream";
}
