#include <git2/sys/repository.h>

#include "git/change.h"
#include "git/change_place.h"

/* How deep folders are followed. */
#define DEPTH_MAXIMUM 200

struct keeping {
        git_repository *own; /* the repository without the other's objects: what is written is written there */
        git_odb *own_objects, *all_objects;
        git_repository *all;
};

/* Two folders of the same place, either of which may be missing, and what is kept of them. */
struct sides {
        git_tree *trees[2];
        git_treebuilder *builders[2];
};

static void sides_clear(struct sides *sides)
{
        for (int i = 0; i < 2; i++) {
                git_tree_free(sides->trees[i]);
                git_treebuilder_free(sides->builders[i]);
        }
}

/* Another repository's object becomes this one's too. A file that is too large to be compared is never looked into. */
static bool keep_file(struct keeping *keeping, const git_tree_entry *entry, struct error *error)
{
        const git_oid *id = git_tree_entry_id(entry);
        git_odb_object *object = NULL;
        git_object_t kind;
        git_oid written;
        size_t size = 0;

        if (git_tree_entry_type(entry) != GIT_OBJECT_BLOB || git_odb_exists(keeping->own_objects, id))
                return true;
        if (git_odb_read_header(&size, &kind, keeping->all_objects, id))
                return change_fail(error, "a file's content is missing");
        if (size > REPOSITORY_PATCH_MAXIMUM)
                return true;
        if (git_odb_read(&object, keeping->all_objects, id))
                return change_fail(error, "a file's content cannot be read");
        int status = git_odb_write(&written, keeping->own_objects, git_odb_object_data(object), size, kind);
        git_odb_object_free(object);
        return !status || change_fail(error, "a file's content cannot be kept");
}

static bool is_folder(const git_tree_entry *entry)
{
        return entry && git_tree_entry_type(entry) == GIT_OBJECT_TREE;
}

static bool open_folder(struct keeping *keeping, const git_tree_entry *entry, git_tree **tree, struct error *error)
{
        return !is_folder(entry) || !git_tree_lookup(tree, keeping->all, git_tree_entry_id(entry)) ||
               change_fail(error, "a folder is missing");
}

static bool insert(struct sides *sides, int side, const char *name, const git_oid *id, git_filemode_t mode,
                   struct error *error)
{
        return !git_treebuilder_insert(NULL, sides->builders[side], name, id, mode) ||
               error_set(error, ERROR_GIT_OBJECT_REFUSED, "a folder has an entry that no folder may have: %s",
                         repository_library_reason());
}

static bool keep_sides(struct keeping *keeping, struct sides *sides, int depth, git_oid kept[2], struct error *error);

static bool keep_folders(struct keeping *keeping, struct sides *sides, const git_tree_entry *pair[2], int depth,
                         struct error *error)
{
        CLEANUP(sides_clear) struct sides inner = {0};
        git_oid kept[2];

        for (int i = 0; i < 2; i++)
                if (!open_folder(keeping, pair[i], &inner.trees[i], error))
                        return false;
        if (!keep_sides(keeping, &inner, depth + 1, kept, error))
                return false;
        for (int i = 0; i < 2; i++)
                if (is_folder(pair[i]) &&
                    !insert(sides, i, git_tree_entry_name(pair[i]), &kept[i], GIT_FILEMODE_TREE, error))
                        return false;
        return true;
}

/* Entries of one name that differ. */
static bool keep_pair(struct keeping *keeping, struct sides *sides, const git_tree_entry *pair[2], int depth,
                      struct error *error)
{
        for (int i = 0; i < 2; i++)
                if (pair[i] && !is_folder(pair[i]) &&
                    (!keep_file(keeping, pair[i], error) ||
                     !insert(sides, i, git_tree_entry_name(pair[i]), git_tree_entry_id(pair[i]),
                             git_tree_entry_filemode(pair[i]), error)))
                        return false;
        return (!is_folder(pair[0]) && !is_folder(pair[1])) || keep_folders(keeping, sides, pair, depth, error);
}

static bool is_same(const git_tree_entry *one, const git_tree_entry *other)
{
        return one && other && git_oid_equal(git_tree_entry_id(one), git_tree_entry_id(other)) &&
               git_tree_entry_filemode_raw(one) == git_tree_entry_filemode_raw(other);
}

/* Every name that one side has and, of the other, those that only it has. */
static bool keep_entries(struct keeping *keeping, struct sides *sides, int side, int depth, struct error *error)
{
        const git_tree *mine = sides->trees[side], *its = sides->trees[!side];

        for (size_t i = 0; mine && i < git_tree_entrycount(mine); i++) {
                const git_tree_entry *pair[2] = {0};
                pair[side] = git_tree_entry_byindex(mine, i);
                pair[!side] = its ? git_tree_entry_byname(its, git_tree_entry_name(pair[side])) : NULL;
                if (is_same(pair[0], pair[1]) || (side && pair[0]))
                        continue;
                if (!keep_pair(keeping, sides, pair, depth, error))
                        return false;
        }
        return true;
}

static bool keep_sides(struct keeping *keeping, struct sides *sides, int depth, git_oid kept[2], struct error *error)
{
        if (depth > DEPTH_MAXIMUM)
                return error_set(error, ERROR_GIT_OBJECT_REFUSED, "folders are nested deeper than %d", DEPTH_MAXIMUM);
        for (int i = 0; i < 2; i++)
                if (git_treebuilder_new(&sides->builders[i], keeping->own, NULL))
                        return change_fail(error, "a folder cannot be kept");
        if (!keep_entries(keeping, sides, 0, depth, error) || !keep_entries(keeping, sides, 1, depth, error))
                return false;
        for (int i = 0; i < 2; i++)
                if (git_treebuilder_write(&kept[i], sides->builders[i]))
                        return change_fail(error, "a folder cannot be kept");
        return true;
}

bool change_keep(git_repository *repository, git_tree *from, git_tree *to, git_oid kept[2], struct error *error)
{
        auto_free char *objects = text_format("%sobjects", git_repository_path(repository));
        struct keeping keeping = {.all = repository};
        struct sides sides = {.trees = {from, to}};

        /* What the import has checked is not looked up once more for every entry; submodules are elsewhere anyway. */
        git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
        bool is_good = (!git_odb_open(&keeping.own_objects, objects) &&
                        !git_repository_wrap_odb(&keeping.own, keeping.own_objects) &&
                        !git_repository_odb(&keeping.all_objects, repository)) ||
                       change_fail(error, "the objects cannot be opened");
        is_good = is_good && keep_sides(&keeping, &sides, 0, kept, error);
        sides.trees[0] = sides.trees[1] = NULL;
        sides_clear(&sides);
        git_repository_free(keeping.own);
        git_odb_free(keeping.own_objects);
        git_odb_free(keeping.all_objects);
        return is_good;
}
