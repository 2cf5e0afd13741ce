#include "server/services/environment_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/text.h"

void environment_names_clear(struct environment_names *names)
{
        for (size_t i = 0; i < names->count; i++)
                free(names->items[i]);
        free(names->items);
        *names = (struct environment_names){0};
}

static void close_listing(DIR **listing)
{
        if (*listing)
                closedir(*listing);
}

/* A link to a folder counts, so that it is reported as broken and not passed over in silence. */
static bool is_folder(int folder, const char *name)
{
        struct stat info;

        return fstatat(folder, name, &info, 0) == 0 && S_ISDIR(info.st_mode);
}

/* The listing gets an open folder of its own: reading moves the position that a duplicate would share. */
static DIR *open_listing(int folder)
{
        auto_fd own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *listing = own < 0 ? NULL : fdopendir(own);

        if (listing)
                take_fd(&own);
        return listing;
}

bool environment_folder_list(int folder, struct environment_names *names, struct error *error)
{
        CLEANUP(close_listing) DIR *listing = open_listing(folder);
        auto_environment_names found = {0};
        struct dirent *entry;

        while (listing && (errno = 0, entry = readdir(listing))) {
                if (entry->d_name[0] == '.' || !is_folder(folder, entry->d_name))
                        continue;
                if (found.count == ENVIRONMENT_FOLDER_MAXIMUM)
                        return error_set(error, ERROR_TOO_MANY, "there are more than %d environments",
                                         ENVIRONMENT_FOLDER_MAXIMUM);
                found.items = memory_resize(found.items, (found.count + 1) * sizeof *found.items);
                found.items[found.count++] = text_copy(entry->d_name);
        }
        if (errno)
                return error_set(error, ERROR_UNAVAILABLE, "the folder " ENVIRONMENT_FOLDER_NAME " cannot be read: %s",
                                 strerror(errno));
        *names = found;
        found = (struct environment_names){0};
        return true;
}
