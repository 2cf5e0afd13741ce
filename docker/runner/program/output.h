/* What a run writes to its standard output and errors, recorded byte for byte beneath the records folder. */
#ifndef RUNNER_PROGRAM_OUTPUT_H
#define RUNNER_PROGRAM_OUTPUT_H

#include "docker/runner/message.h"

enum { OUTPUT_STDOUT, OUTPUT_STDERR, OUTPUT_COUNT };

struct output_stream {
        int pipe;      /* the end we read, -1 once it has ended */
        int file;      /* what it is appended to */
        int64_t bytes; /* recorded so far */
};

/* Owns its descriptors until the process ends. */
struct output {
        struct output_stream streams[OUTPUT_COUNT];
        int log;     /* what both are appended to in the order of their coming, -1: nothing */
        int failure; /* errno of the write that failed, 0: none; what comes later is dropped */
};

/* Opens (or makes) the files of the run and makes its pipes, whose other ends go to ends[]: the pipes belong to the
 * run's user, so that it can open /dev/stdout anew. Missing folders are made; links are not followed.
 * ERROR_STORE_FULL, ERROR_INTERNAL. */
MUST_CHECK bool output_open(struct output *output, const char *records, const struct runner_start *start,
                            int ends[OUTPUT_COUNT], struct error *error);
/* Records what one read of the stream gives, without blocking. */
void output_pump(struct output *output, int stream);
/* Records what both pipes hold now, and no more: somebody may still write. */
void output_drain(struct output *output);
/* Makes the files durable; what the disk could not take after all becomes a failure. */
void output_sync(struct output *output);

#endif
