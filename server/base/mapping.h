/* The bytes of an open file, readable in place: they take no memory that others need. */
#ifndef BASE_MAPPING_H
#define BASE_MAPPING_H

#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"

struct mapping {
        const char *bytes; /* "" when there are none */
        size_t length;
};

/* Maps the file, which must not get shorter while it is mapped and may be closed. mapping_close follows. */
MUST_CHECK bool mapping_open(struct mapping *mapping, int file, uint64_t length, struct error *error);
/* Zero-initialised is nothing. */
void mapping_close(struct mapping *mapping);
#define auto_mapping CLEANUP(mapping_close) struct mapping

#endif
