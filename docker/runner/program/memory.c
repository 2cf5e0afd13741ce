#include "docker/runner/program/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/path.h"

static bool read_counter(const char *cgroup, const char *file, int64_t *count)
{
        static const char name[] = "oom_kill ";
        char content[4096];
        auto_free char *path = path_join(cgroup, file);
        auto_fd opened = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = opened < 0 ? -1 : read(opened, content, sizeof content - 1);

        if (length < 0)
                return false;
        content[length] = '\0';
        for (const char *line = content; line; line = strchr(line, '\n')) {
                line += *line == '\n';
                if (!strncmp(line, name, sizeof name - 1)) {
                        *count = strtoll(line + sizeof name - 1, NULL, 10);
                        return true;
                }
        }
        return false;
}

int64_t memory_oom_kills(const char *cgroup)
{
        int64_t count = 0;

        if (!read_counter(cgroup, "memory.events", &count) &&
            !read_counter(cgroup, "memory/memory.oom_control", &count))
                return 0;
        return count;
}

int64_t memory_oom_kills_since(const char *cgroup, int64_t before)
{
        int64_t more = memory_oom_kills(cgroup) - before;

        return more > 0 ? more : 0;
}
