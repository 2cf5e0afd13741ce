#include "docker/runner/write.h"

#include <errno.h>
#include <fcntl.h>

#include "server/base/cleanup.h"

bool write_whole(int file, const char *bytes, size_t length)
{
        while (length) {
                ssize_t done = write(file, bytes, length);
                if (done < 0 && errno == EINTR)
                        continue;
                if (done < 0)
                        return false;
                bytes += done;
                length -= (size_t)done;
        }
        return true;
}

bool write_sync_folder(const char *folder)
{
        auto_fd opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        return opened >= 0 && fsync(opened) == 0;
}
