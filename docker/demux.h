/* Splits the engine's multiplexed output ("stdcopy" frames: one byte stream, three zero bytes, a big-endian 32-bit
 * length, then the bytes) into its streams. Fed in pieces of any size; keeps no payload. */
#ifndef DOCKER_DEMUX_H
#define DOCKER_DEMUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"

enum docker_stream_kind { DOCKER_STDIN = 0, DOCKER_STDOUT = 1, DOCKER_STDERR = 2 };

/* Zero-initialised is a demultiplexer at the start of a stream. */
struct docker_demux {
        unsigned char header[8];
        size_t header_length;
        uint32_t left; /* bytes of the present frame that are still to come */
};

/* Gets bytes of one stream; returns false to stop. */
typedef bool docker_output(enum docker_stream_kind kind, const char *bytes, size_t length, void *context);

/* Takes the next bytes. ERROR_ENGINE_FAILED when they are no frames (a stream of a terminal has none),
 * ERROR_CANCELLED when the callback stopped. */
MUST_CHECK bool docker_demux_feed(struct docker_demux *demux, const char *bytes, size_t length, docker_output *output,
                                  void *context, struct error *error);

/* Whether the stream may end here: false in the middle of a frame. */
bool docker_demux_is_whole(const struct docker_demux *demux);

#endif
