#include <dirent.h>
#include <string.h>

#include "docker/runner/control.h"
#include "server/base/text.h"

/* Removes the files of the folder whose name is an id with the prefix, other than `keep`, and the suffix. */
static void sweep(const char *path, const char *prefix, const char *keep, const char *suffix)
{
        DIR *listing = opendir(path);
        struct dirent *entry;

        if (!listing)
                return;
        while ((entry = readdir(listing))) {
                size_t length = strlen(entry->d_name), after = strlen(suffix);
                if (length <= after || strcmp(entry->d_name + length - after, suffix) ||
                    strncmp(entry->d_name, prefix, strlen(prefix)))
                        continue;
                if (length - after == strlen(keep) && !strncmp(entry->d_name, keep, length - after))
                        continue;
                unlinkat(dirfd(listing), entry->d_name, 0);
        }
        closedir(listing);
}

void control_forget(const char *folder, const char *prefix, const char *keep)
{
        auto_free char *runs = control_path_runs(folder), *prompts = text_format("%s/prompts", folder);

        /* A claim without its record would be taken for a lost run. */
        sweep(runs, prefix, keep, ".request.json");
        sweep(runs, prefix, keep, ".exit.json");
        sweep(prompts, prefix, keep, "");
}
