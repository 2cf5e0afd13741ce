#include "git/mirror_clean.h"

#include <dirent.h>
#include <fts.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "server/base/path.h"

void mirror_remove_tree(const char *path)
{
        auto_error ignored = {0};

        if (!path_remove_tree(path, &ignored))
                error_clear(&ignored);
}

static bool ends_with(const char *name, size_t length, const char *end)
{
        size_t size = strlen(end);

        return length > size && !strcmp(name + length - size, end);
}

/* `path` is relative to the mirror. No reference may end in .lock, and only git's own temporary files lie among the
 * objects under such a name. */
static bool is_left_over(const char *path, const char *name, size_t length)
{
        return ends_with(name, length, ".lock") || (!strncmp(path, "objects/", 8) && !strncmp(name, "tmp_", 4));
}

static void clean_inside(const char *mirror)
{
        auto_free char *root = text_copy(mirror);
        char *roots[] = {root, NULL};
        size_t prefix = strlen(mirror) + 1;
        FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
        FTSENT *entry;

        while (tree && (entry = fts_read(tree))) {
                if (entry->fts_level < 1 || entry->fts_info == FTS_DP)
                        continue;
                if (!is_left_over(entry->fts_path + prefix, entry->fts_name, entry->fts_namelen))
                        continue;
                if (entry->fts_info == FTS_D)
                        fts_set(tree, entry, FTS_SKIP);
                mirror_remove_tree(entry->fts_path);
        }
        if (tree)
                fts_close(tree);
}

static void clean_beside(const char *stem)
{
        const char *slash = strrchr(stem, '/');
        auto_free char *folder = text_format("%.*s", (int)(slash - stem), stem);
        DIR *listing = opendir(folder);
        struct dirent *entry;

        while (listing && (entry = readdir(listing)))
                if (!strncmp(entry->d_name, slash + 1, strlen(slash + 1))) {
                        auto_free char *path = path_join(folder, entry->d_name);
                        mirror_remove_tree(path);
                }
        if (listing)
                closedir(listing);
}

void mirror_clean(const char *mirror, const char *stem)
{
        clean_beside(stem);
        clean_inside(mirror);
}
