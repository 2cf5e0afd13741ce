#include <inttypes.h>

#include "server/base/text.h"
#include "server/http/internal.h"
#include "server/http/range.h"

static const char *header_of(const struct http_request *request, const char *copied, const char *name)
{
        return request->is_suspended ? copied : http_request_header(request, name);
}

static void refuse_range(struct http_request *request, int file, uint64_t size)
{
        auto_free char *range = text_format("bytes */%" PRIu64, size);
        auto_error error = {0};

        close(file);
        error_set(&error, ERROR_RANGE, "The file has %" PRIu64 " bytes; nothing of the range is in it.", size);
        http_request_add_header(request, MHD_HTTP_HEADER_CONTENT_RANGE, range);
        http_respond_error(request, &error);
}

void http_respond_file(struct http_request *request, int file, uint64_t size, const char *content_type,
                       const char *etag)
{
        const char *range = header_of(request, request->range, MHD_HTTP_HEADER_RANGE),
                   *if_range = header_of(request, request->if_range, MHD_HTTP_HEADER_IF_RANGE);
        uint64_t first = 0, last = size ? size - 1 : 0;
        enum range_kind kind = range_is_current(if_range, etag) ? range_parse(range, size, &first, &last) : RANGE_WHOLE;

        http_request_add_header(request, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
        if (etag)
                http_request_add_header(request, MHD_HTTP_HEADER_ETAG, etag);
        if (kind == RANGE_UNSATISFIABLE) {
                refuse_range(request, file, size);
                return;
        }
        uint64_t length = size ? last - first + 1 : 0;
        if (kind == RANGE_PART) {
                auto_free char *part = text_format("bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, first, last, size);
                http_request_add_header(request, MHD_HTTP_HEADER_CONTENT_RANGE, part);
        }
        struct MHD_Response *response = MHD_create_response_from_fd_at_offset64(length, file, first);
        if (!response)
                abort();
        respond_with(request, kind == RANGE_PART ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK, content_type, response);
}
