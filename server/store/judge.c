#include "server/store/judge.h"

#include <stdio.h>

#include "server/store/query.h"

void store_judge_clear(struct store_judge *judge)
{
        char *strings[] = {judge->run,   judge->instructions, judge->agent, judge->model, judge->reasoning_effort,
                           judge->speed, judge->loop};

        for (size_t i = 0; i < COUNT_OF(strings); i++)
                free(strings[i]);
        *judge = (struct store_judge){0};
}

void store_judge_variants_clear(struct store_judge_variants *variants)
{
        for (size_t i = 0; i < variants->count; i++)
                free(variants->items[i].agent);
        free(variants->items);
        *variants = (struct store_judge_variants){0};
}

bool store_judge_add(struct store_db *db, const struct store_judge_new *judge, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_ADD);

        query_integer(&query, judge->task);
        query_text(&query, judge->run);
        query_text(&query, judge->instructions);
        query_text(&query, judge->agent);
        query_text(&query, judge->model);
        query_text(&query, judge->reasoning_effort);
        query_text(&query, judge->speed);
        query_text(&query, judge->loop);
        query_optional(&query, judge->round);
        return query_run(&query, NULL, error);
}

bool store_judge_find(struct store_db *db, int64_t task, struct store_judge *judge, bool *is_found, struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_FIND);

        query_integer(&query, task);
        if (!query_next(&query, is_found, error))
                return false;
        if (*is_found)
                *judge = (struct store_judge){.run = query_column_text(&query, 0),
                                              .instructions = query_column_text(&query, 1),
                                              .agent = query_column_text(&query, 2),
                                              .model = query_column_text(&query, 3),
                                              .reasoning_effort = query_column_text(&query, 4),
                                              .speed = query_column_text(&query, 5),
                                              .loop = query_column_text(&query, 6),
                                              .round = query_column_integer(&query, 7)};
        return true;
}

bool store_judge_add_variant(struct store_db *db, int64_t task, const struct store_judge_variant *variant,
                             struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_VARIANT_ADD);
        const char label[] = {variant->label, '\0'};

        query_integer(&query, task);
        query_text(&query, label);
        query_text(&query, variant->id);
        query_text(&query, variant->agent);
        query_integer(&query, variant->position);
        return query_run(&query, NULL, error);
}

bool store_judge_variant_list(struct store_db *db, int64_t task, struct store_judge_variants *variants,
                              struct error *error)
{
        auto_query query = query_begin(db, STATEMENT_JUDGE_VARIANTS);
        auto_store_judge_variants list = {0};
        bool is_row, is_good;

        query_integer(&query, task);
        while ((is_good = query_next(&query, &is_row, error)) && is_row) {
                auto_free char *label = query_column_text(&query, 0), *id = query_column_text(&query, 1);
                list.items = memory_resize(list.items, (list.count + 1) * sizeof *list.items);
                struct store_judge_variant *variant = &list.items[list.count++];
                *variant = (struct store_judge_variant){.label = *label,
                                                        .agent = query_column_text(&query, 2),
                                                        .position = query_column_integer(&query, 3)};
                snprintf(variant->id, sizeof variant->id, "%s", id);
        }
        if (!is_good)
                return false;
        *variants = list;
        list = (struct store_judge_variants){0};
        return true;
}
