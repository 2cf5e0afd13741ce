#include "server/store/group.h"

#include <stdio.h>

#include "server/store/group_row.h"
#include "server/store/task_row.h"

void store_group_clear(struct store_group *group)
{
        char *strings[] = {group->id,          group->environment_id, group->environment_name, group->name,
                           group->name_source, group->creator_id,     group->creator_name,     group->source};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *group = (struct store_group){0};
}

struct store_group group_row_read(struct query *query)
{
        return (struct store_group){.rid = query_column_integer(query, 0),
                                    .id = query_column_text(query, 1),
                                    .environment = query_column_integer(query, 2),
                                    .environment_id = query_column_text(query, 3),
                                    .environment_name = query_column_text(query, 4),
                                    .name = query_column_text(query, 5),
                                    .name_source = query_column_text(query, 6),
                                    .creator = query_column_integer(query, 7),
                                    .creator_id = query_column_text(query, 8),
                                    .creator_name = query_column_text(query, 9),
                                    .source = query_column_text(query, 10),
                                    .created_at = query_column_integer(query, 11)};
}

bool store_group_add(struct store_db *db, const struct store_group_new *group, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_GROUP_ADD);

        query_text(&query, group->id);
        query_integer(&query, group->environment);
        query_text(&query, group->name);
        query_text(&query, !group->name ? "unset" : group->is_name_generated ? "generated" : "chosen");
        query_optional(&query, group->creator);
        query_text(&query, group->source);
        query_integer(&query, group->created_at);
        return query_run(&query, NULL, error);
}

bool store_group_find(struct store_db *db, const char *id, struct store_group *group, bool *is_found,
                      struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_GROUP_BY_ID);

        query_text(&query, id);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *group = group_row_read(&query);
        return true;
}

bool store_group_rename(struct store_db *db, int64_t rid, const char *name, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_GROUP_NAME);

        query_text(&query, name);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

static bool take_index(struct store_db *db, const char *group_id, int64_t *index, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_GROUP_TAKE_INDEX);
        bool is_row;

        query_text(&query, group_id);
        if (!query_next(&query, &is_row, error))
                return false;
        if (!is_row)
                return error_set(error, ERROR_GROUP_NOT_FOUND, NULL);
        *index = query_column_integer(&query, 0);
        return true;
}

static bool join(struct store_db *db, const char *group_id, const int64_t *index, int64_t task, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_GROUP_JOIN);

        query_text(&query, group_id);
        query_maybe(&query, index);
        query_integer(&query, task);
        return query_run(&query, NULL, error);
}

bool store_group_add_variant(struct store_db *db, const char *group_id, int64_t task, int64_t *index,
                             struct error *error)
{
        return take_index(db, group_id, index, error) && join(db, group_id, index, task, error);
}

bool store_group_add_judge(struct store_db *db, const char *group_id, int64_t task, const char *mode,
                           struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_SET_JUDGE);

        query_integer(&query, 1);
        query_text(&query, mode);
        query_text(&query, group_id);
        query_integer(&query, task);
        return query_run(&query, NULL, error) && join(db, group_id, NULL, task, error);
}

static bool read_tasks(struct query *query, struct store_tasks *tasks, struct error *error)
{
        auto_store_tasks list = {0};
        size_t capacity = 0;
        bool is_row, is_good;

        while ((is_good = query_next(query, &is_row, error)) && is_row) {
                if (list.count == capacity) {
                        capacity = capacity ? capacity * 2 : 8;
                        list.items = memory_resize(list.items, capacity * sizeof *list.items);
                }
                list.items[list.count++] = task_row_read(query);
        }
        if (!is_good)
                return false;
        *tasks = list;
        list = (struct store_tasks){0};
        return true;
}

bool store_group_members(struct store_db *db, const char *group_id, int64_t viewer, struct store_tasks *members,
                         struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_GROUP_MEMBERS);

        query_integer(&query, viewer);
        query_text(&query, group_id);
        return read_tasks(&query, members, error);
}

bool store_group_judges(struct store_db *db, const char *group_id, int64_t viewer, struct store_tasks *judges,
                        struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_GROUP_JUDGES);

        query_integer(&query, viewer);
        query_text(&query, group_id);
        return read_tasks(&query, judges, error);
}

bool store_task_mark(struct store_db *db, int64_t rid, bool is_winner, bool is_loser, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_MARK);

        query_integer(&query, is_winner);
        query_integer(&query, is_loser);
        query_integer(&query, rid);
        return query_run(&query, NULL, error);
}

bool store_task_add_source(struct store_db *db, int64_t task, const char *source, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_SOURCE_ADD),
                   mark = query_begin(db, STATEMENT_TASK_HAS_SOURCES);

        query_integer(&query, task);
        query_text(&query, source);
        query_integer(&mark, task);
        store_changes_access(db);
        return query_run(&query, NULL, error) && query_run(&mark, NULL, error);
}

bool store_task_copy_sources(struct store_db *db, int64_t task, int64_t from, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_SOURCES_COPY),
                   mark = query_begin(db, STATEMENT_TASK_HAS_SOURCES);
        int copied = 0;

        query_integer(&query, task);
        query_integer(&query, from);
        query_integer(&mark, task);
        if (!query_run(&query, &copied, error))
                return false;
        if (!copied)
                return true;
        store_changes_access(db);
        return query_run(&mark, NULL, error);
}

bool store_task_sources(struct store_db *db, int64_t task, struct store_source **sources, size_t *count,
                        struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_TASK_SOURCES);
        auto_free struct store_source *list = NULL;
        size_t length = 0;
        bool is_row, is_good;

        query_integer(&query, task);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *id = query_column_text(&query, 0);
                list = memory_resize(list, (length + 1) * sizeof *list);
                list[length] = (struct store_source){.is_known = !query_column_is_null(&query, 1),
                                                     .environment = query_column_integer(&query, 1),
                                                     .creator = query_column_integer(&query, 2),
                                                     .is_shared = query_column_integer(&query, 3)};
                snprintf(list[length++].id, sizeof list->id, "%s", id);
        }
        if (!is_good)
                return false;
        *sources = take(list);
        *count = length;
        return true;
}
