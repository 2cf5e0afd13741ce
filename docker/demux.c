#include "docker/demux.h"

#include <string.h>

/* Takes bytes of a header, and its length when it is whole; false when it is none. */
static bool take_header(struct docker_demux *demux, const char **bytes, size_t *length, struct error *error)
{
        size_t part = sizeof demux->header - demux->header_length;

        part = part < *length ? part : *length;
        memcpy(demux->header + demux->header_length, *bytes, part);
        demux->header_length += part;
        *bytes += part;
        *length -= part;
        if (demux->header_length < sizeof demux->header)
                return true;
        const unsigned char *header = demux->header;
        demux->header_length = 0;
        if (header[0] > DOCKER_STDERR || header[1] || header[2] || header[3])
                return error_set(error, ERROR_ENGINE_FAILED, "the Docker engine's output is not in frames");
        demux->left = (uint32_t)header[4] << 24 | (uint32_t)header[5] << 16 | (uint32_t)header[6] << 8 | header[7];
        return true;
}

bool docker_demux_feed(struct docker_demux *demux, const char *bytes, size_t length, docker_output *output,
                       void *context, struct error *error)
{
        while (length > 0) {
                if (demux->left == 0) {
                        if (!take_header(demux, &bytes, &length, error))
                                return false;
                        continue;
                }
                size_t part = demux->left < length ? demux->left : length;
                demux->left -= (uint32_t)part;
                if (!output((enum docker_stream_kind)demux->header[0], bytes, part, context))
                        return error_set(error, ERROR_CANCELLED, NULL);
                bytes += part;
                length -= part;
        }
        return true;
}

bool docker_demux_is_whole(const struct docker_demux *demux)
{
        return demux->left == 0 && demux->header_length == 0;
}
