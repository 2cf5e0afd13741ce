/* The resources of the MCP door: the files that tasks left.
 *
 * longshore://tasks/TASK/files/PATH is a file as read_task_file returns it, PATH with its bytes percent-encoded where
 * RFC 3986 wants that; "?offset=N&maxBytes=N" gives another page than the first one. */
#ifndef MCP_RESOURCE_H
#define MCP_RESOURCE_H

#include "server/base/error.h"
#include "server/base/text.h"

#define RESOURCE_TEMPLATE "longshore://tasks/{taskId}/files/{+path}{?offset,maxBytes}"
/* Bytes of a page unless the URI says otherwise: the most that one result holds. */
#define RESOURCE_PAGE 512000

/* The parts of a URI; owned. */
struct resource_file {
        char *task_id, *path;
        int64_t offset, maximum;
};
void resource_file_clear(struct resource_file *file);
#define auto_resource_file CLEANUP(resource_file_clear) struct resource_file

/* Appends the URI of a task's file. */
void resource_write_uri(struct text *out, const char *task_id, const char *path);
/* ERROR_NOT_FOUND for what is no such URI. */
MUST_CHECK bool resource_read_uri(const char *uri, struct resource_file *file, struct error *error);
/* What the file's name says it is: a media type, "application/octet-stream" at least. */
const char *resource_media_type(const char *path);

#endif
