#include "server/base/mapping.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

bool mapping_open(struct mapping *mapping, int file, uint64_t length, struct error *error)
{
        *mapping = (struct mapping){.bytes = ""};
        if (!length)
                return true;
        void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED)
                return error_set(error, ERROR_INTERNAL, "a file cannot be mapped: %s", strerror(errno));
        *mapping = (struct mapping){bytes, length};
        return true;
}

void mapping_close(struct mapping *mapping)
{
        if (mapping->length)
                munmap((void *)mapping->bytes, mapping->length);
        *mapping = (struct mapping){0};
}
