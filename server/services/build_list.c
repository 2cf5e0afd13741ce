#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/build_view.h"

/* As many as certainly make no number that is too large. */
#define CURSOR_DIGITS 18

static const struct field rows[] = {
        STRING_FIELD(struct build_list_input, environment, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The environment whose builds are listed."),
        INTEGER_FIELD(struct build_list_input, limit, .minimum = 1, .maximum = 100, .preset = 25,
                      .help = "Builds on a page."),
        STRING_FIELD(struct build_list_input, cursor, .minimum = 1, .maximum = 40,
                     .help = "nextCursor of the page before."),
};
const struct field_table build_list_table = FIELD_TABLE(struct build_list_input, rows);

/* Cursors are the rid of the last build given, marked as one of this list. */
static bool read_cursor(const char *cursor, int64_t *before, struct error *error)
{
        if (!cursor)
                return true;
        size_t length = *cursor == 'b' ? strspn(cursor + 1, "0123456789") : 0;
        *before = length && length <= CURSOR_DIGITS && !cursor[1 + length] ? strtoll(cursor + 1, NULL, 10) : 0;
        return *before > 0 || error_set(error, ERROR_INVALID_CURSOR, NULL);
}

static json_t *next_cursor(const struct store_builds *builds, int64_t limit)
{
        if ((int64_t)builds->count <= limit)
                return json_null();
        auto_free char *cursor = text_format("b%" PRId64, builds->items[limit - 1].rid);
        return json_string(cursor);
}

static bool list(struct call *call, const struct environment *environment, int64_t before, int64_t limit,
                 json_t **result, struct error *error)
{
        auto_store_builds builds = {0};
        auto_redactor redactor = {0};
        auto_free char *used = NULL;

        /* One more than asked for tells whether there is a next page. */
        if (!redactor_init(&redactor, call->services, call->db, error) ||
            !store_build_list(call->db, environment->rid, before, limit + 1, &builds, error) ||
            !build_used(call, environment->rid, &used, error))
                return false;
        json_t *items = json_array();
        for (size_t i = 0; i < builds.count && (int64_t)i < limit; i++)
                json_array_append_new(items, build_view(call, &builds.items[i], used, &redactor));
        *result = json_object();
        json_object_set_new(*result, "builds", items);
        json_object_set_new(*result, "nextCursor", next_cursor(&builds, limit));
        return true;
}

bool build_list(struct call *call, const struct build_list_input *input, json_t **result, struct error *error)
{
        int64_t before = 0;

        if (!build_check_caller(call, error))
                return false;
        auto_environment *environment = environment_require(call, input->environment, error);
        return environment && build_check_read(call, environment->rid, environment->name, error) &&
               read_cursor(input->cursor, &before, error) &&
               list(call, environment, before, input->limit, result, error);
}
