#include <ctype.h>
#include <string.h>

#include "docker/image.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/build.h"
#include "server/services/builder_parts.h"

/* Images of an environment that stay although they are not in use any more: two besides the newest. */
#define KEPT 3

/* Small letters and digits, in between single separators: what is between two slashes of an image's name. */
char *build_image_reference(const char *environment_name, const char *build_id)
{
        auto_text name = TEXT_WITH_MAXIMUM(128);
        char separator = '\0';

        for (const char *at = environment_name; *at; at++) {
                char letter = (char)tolower((unsigned char)*at);
                if (!isalnum((unsigned char)letter)) {
                        separator = letter;
                        continue;
                }
                if (separator && name.length)
                        text_append(&name, &separator, 1);
                separator = '\0';
                text_append(&name, &letter, 1);
        }
        return text_format("longshore-env/%s:%s", name.length ? text_string(&name) : "environment", build_id);
}

static bool gone_work(struct store_db *db, void *context, struct error *error)
{
        return store_build_set_image_gone(db, ((const struct store_build *)context)->rid, error);
}

/* One that a container uses stays until the next time. */
static bool remove_image(struct builder *builder, struct store_build *build, struct error *error)
{
        auto_error removing = {0};

        if (docker_image_remove(builder->services->docker, build->reference, false, &removing))
                return store_write(builder->services->store, gone_work, build, error);
        return removing.code == ERROR_CONFLICT || error_move(error, &removing);
}

static bool delete_work(struct store_db *db, void *context, struct error *error)
{
        return store_build_delete(db, ((const struct store_build *)context)->rid, error);
}

static bool forget(struct builder *builder, struct store_build *build, struct error *error)
{
        auto_free char *folder = build_path_folder(builder->services->data_folder, build->id);

        return path_remove_tree(folder, error) && store_write(builder->services->store, delete_work, build, error);
}

void build_records_sweep(struct builder *builder, struct store_db *db)
{
        auto_store_builds old = {0};
        auto_error error = {0};

        bool is_good = store_build_list_old(db, BUILDS_KEPT, &old, &error);
        for (size_t i = 0; is_good && i < old.count; i++)
                is_good = forget(builder, &old.items[i], &error);
        if (!is_good)
                log_warning("what is kept of old builds could not be removed", "reason", error.message);
}

void build_images_sweep(struct builder *builder, struct store_db *db)
{
        auto_store_builds waste = {0};
        auto_error error = {0};

        bool is_good = store_build_list_waste(db, KEPT, &waste, &error);
        for (size_t i = 0; is_good && i < waste.count; i++)
                is_good = remove_image(builder, &waste.items[i], &error);
        if (!is_good)
                log_warning("images of earlier builds could not be removed", "reason", error.message);
}

char *build_image(struct store_db *db, const struct environment *environment, struct error *error)
{
        auto_store_build build = {0};
        bool is_found;

        if (!environment->build_source)
                return text_copy(environment->file.image);
        if (!store_build_newest_good(db, environment->rid, &build, &is_found, error))
                return NULL;
        if (is_found)
                return take(build.image);
        error_set(error, ERROR_ENVIRONMENT_NOT_BUILT,
                  "The image of the environment %s has not been built from its %s yet; build it first.",
                  environment->name, environment->build_source);
        return NULL;
}
