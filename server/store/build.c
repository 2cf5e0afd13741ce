#include "server/store/build.h"

#include <stdint.h>

#include "server/store/query.h"

void store_build_clear(struct store_build *build)
{
        char *strings[] = {build->id,        build->state,       build->creator_id, build->creator_name,
                           build->source,    build->base_image,  build->image,      build->cancelled_by,
                           build->reference, build->inputs_hash, build->end_type,   build->environment_name,
                           build->message};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *build = (struct store_build){0};
}

void store_builds_clear(struct store_builds *builds)
{
        for (size_t i = 0; i < builds->count; i++)
                store_build_clear(&builds->items[i]);
        free(builds->items);
        *builds = (struct store_builds){0};
}

/* The order of BUILD_COLUMNS. */
static struct store_build read_row(struct query *query)
{
        return (struct store_build){.rid = query_column_integer(query, 0),
                                    .environment = query_column_integer(query, 1),
                                    .id = query_column_text(query, 2),
                                    .state = query_column_text(query, 3),
                                    .is_fresh = query_column_integer(query, 4) != 0,
                                    .creator_id = query_column_text(query, 5),
                                    .creator_name = query_column_text(query, 6),
                                    .created_at = query_column_integer(query, 7),
                                    .started_at = query_column_integer(query, 8),
                                    .ended_at = query_column_integer(query, 9),
                                    .cancelled_by = query_column_text(query, 10),
                                    .cancelled_at = query_column_integer(query, 11),
                                    .source = query_column_text(query, 12),
                                    .base_image = query_column_text(query, 13),
                                    .inputs_hash = query_column_text(query, 14),
                                    .reference = query_column_text(query, 15),
                                    .image = query_column_text(query, 16),
                                    .image_size = query_column_integer(query, 17),
                                    .end_type = query_column_text(query, 18),
                                    .has_exit_code = !query_column_is_null(query, 19),
                                    .exit_code = query_column_integer(query, 19),
                                    .message = query_column_text(query, 20),
                                    .is_image_gone = query_column_integer(query, 21) != 0,
                                    .environment_name = query_column_text(query, 22),
                                    .is_environment_removed = !query_column_is_null(query, 23)};
}

static bool find(struct query *query, struct store_build *build, bool *is_found, struct error *error)
{
        if (!query_next(query, is_found, error))
                return false;
        if (*is_found)
                *build = read_row(query);
        return true;
}

static bool find_in_environment(struct store_db *db, enum statement which, int64_t environment,
                                struct store_build *build, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, which);

        query_integer(&query, environment);
        return find(&query, build, is_found, error);
}

static bool list(struct query *query, struct store_builds *builds, struct error *error)
{
        auto_store_builds found = {0};
        bool is_row, is_good;

        while ((is_good = query_next(query, &is_row, error)) && is_row) {
                found.items = memory_resize(found.items, (found.count + 1) * sizeof *found.items);
                found.items[found.count++] = read_row(query);
        }
        if (!is_good)
                return false;
        *builds = found;
        found = (struct store_builds){0};
        return true;
}

bool store_build_add(struct store_db *db, const char *id, int64_t environment, bool is_fresh, int64_t creator,
                     int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILD_ADD);

        query_text(&query, id);
        query_integer(&query, environment);
        query_integer(&query, is_fresh);
        query_optional(&query, creator);
        query_integer(&query, now);
        return query_run(&query, NULL, error);
}

bool store_build_find(struct store_db *db, const char *id, struct store_build *build, bool *is_found,
                      struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILD_BY_ID);

        query_text(&query, id);
        return find(&query, build, is_found, error);
}

bool store_build_unfinished(struct store_db *db, int64_t environment, struct store_build *build, bool *is_found,
                            struct error *error)
{
        return find_in_environment(db, STATEMENT_BUILD_UNFINISHED, environment, build, is_found, error);
}

bool store_build_newest_good(struct store_db *db, int64_t environment, struct store_build *build, bool *is_found,
                             struct error *error)
{
        return find_in_environment(db, STATEMENT_BUILD_NEWEST_GOOD, environment, build, is_found, error);
}

bool store_build_next(struct store_db *db, struct store_build *build, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILD_NEXT);

        return find(&query, build, is_found, error);
}

bool store_build_list(struct store_db *db, int64_t environment, int64_t before, int64_t limit,
                      struct store_builds *builds, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILDS_OF_ENVIRONMENT);

        query_integer(&query, environment);
        query_integer(&query, before ? before : INT64_MAX);
        query_integer(&query, limit);
        return list(&query, builds, error);
}

bool store_build_list_running(struct store_db *db, struct store_builds *builds, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILDS_RUNNING);

        return list(&query, builds, error);
}

bool store_build_list_waste(struct store_db *db, int64_t kept, struct store_builds *builds, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILDS_WASTE);

        query_integer(&query, kept);
        return list(&query, builds, error);
}

bool store_build_list_old(struct store_db *db, int64_t kept, struct store_builds *builds, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILDS_OLD);

        query_integer(&query, kept);
        return list(&query, builds, error);
}

bool store_build_begin(struct store_db *db, int64_t rid, const char *reference, int64_t now, bool *is_done,
                       struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILD_BEGIN);
        int changed;

        query_text(&query, reference);
        query_integer(&query, now);
        query_integer(&query, rid);
        if (!query_run(&query, &changed, error))
                return false;
        *is_done = changed == 1;
        return true;
}

bool store_build_set_inputs(struct store_db *db, int64_t rid, const char *source, const char *base_image,
                            const char *inputs_hash, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILD_INPUTS);

        query_text(&query, source);
        query_text(&query, base_image);
        query_text(&query, inputs_hash);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_build_cancel(struct store_db *db, int64_t rid, const char *name, int64_t now, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILD_CANCEL);

        query_text(&query, name);
        query_integer(&query, now);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_build_end(struct store_db *db, int64_t rid, const struct store_build_end *end, int64_t now,
                     struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_BUILD_END);

        query_text(&query, end->state);
        query_text(&query, end->type);
        query_text(&query, end->message);
        query_text(&query, end->image);
        query_optional(&query, end->image_size);
        query_maybe(&query, end->has_exit_code ? &end->exit_code : NULL);
        query_integer(&query, now);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

static bool run_on(struct store_db *db, enum statement which, int64_t rid, struct error *error)
{
        auto_query query = query_begin(db, which);

        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_build_delete(struct store_db *db, int64_t rid, struct error *error)
{
        return run_on(db, STATEMENT_BUILD_DELETE, rid, error);
}

bool store_build_set_image_gone(struct store_db *db, int64_t rid, struct error *error)
{
        return run_on(db, STATEMENT_BUILD_IMAGE_GONE, rid, error);
}
