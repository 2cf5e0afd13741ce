#include "server/base/bound.h"

#include <stdint.h>
#include <string.h>

#include "server/base/document.h"

#define OMITTED "Omitted"
#define MARKER_SIZE 80
/* An exempt string is not cut until the limits are halved, and then to this many characters halved as often. */
#define EXEMPT_CHARACTERS 400000
#define FEWEST_CHARACTERS 8

struct limits {
        size_t characters, items, members, exempt;
};

struct writer {
        struct text *out;
        const struct bound_rules *rules;
        struct limits limits;
        const json_t *root;
};

static bool is_exempt(const struct writer *writer, const char *parent, const char *name)
{
        const struct bound_exemption *row = writer->rules->exempt;

        if (!row || !name)
                return false;
        for (; row->name; row++)
                if (!strcmp(row->name, name) && (row->parent ? parent && !strcmp(row->parent, parent) : !parent))
                        return true;
        return false;
}

/* Writes `limit` characters in all: the end of the text behind a marker, or its beginning before one. */
static void write_cut(struct text *out, const char *string, size_t length, size_t count, size_t limit, bool keeps_end)
{
        char marker[MARKER_SIZE];
        int marked = snprintf(marker, sizeof marker,
                              keeps_end ? "[... the end of %zu characters ...]\n" : "\n[... cut, %zu characters ...]",
                              count);
        size_t kept = limit > (size_t)marked ? limit - (size_t)marked : limit;
        auto_text cut = TEXT_WITH_MAXIMUM(length + MARKER_SIZE);

        if (keeps_end && kept < limit)
                text_append(&cut, marker, (size_t)marked);
        size_t offset = keeps_end ? utf8_tail_offset(string, length, kept) : 0;
        size_t end = keeps_end ? length : utf8_head_length(string, length, kept);
        text_append(&cut, string + offset, end - offset);
        if (!keeps_end && kept < limit)
                text_append(&cut, marker, (size_t)marked);
        document_append_quoted(out, text_string(&cut), cut.length);
}

static void write_string(struct writer *writer, const char *parent, const char *name, const json_t *value)
{
        const char *string = json_string_value(value);
        size_t length = json_string_length(value), limit = writer->limits.characters;
        bool keeps_end = false;

        if (length > limit) {
                keeps_end = is_exempt(writer, parent, name);
                if (keeps_end)
                        limit = writer->limits.exempt;
                size_t count = length > limit ? utf8_count(string, length) : 0;
                if (count > limit) {
                        write_cut(writer->out, string, length, count, limit, keeps_end);
                        return;
                }
        }
        document_append_quoted(writer->out, string, length);
}

static void write_value(struct writer *writer, const char *parent, const char *name, const json_t *value);

static void write_array(struct writer *writer, const char *name, const json_t *array)
{
        size_t count = json_array_size(array), limit = writer->limits.items;

        text_append(writer->out, "[", 1);
        for (size_t i = 0; i < count && i < limit; i++) {
                if (i)
                        text_append(writer->out, ",", 1);
                write_value(writer, name, NULL, json_array_get(array, i));
        }
        text_append(writer->out, "]", 1);
}

/* How many items or members of the value the limits leave out. */
static size_t omitted(const struct writer *writer, const json_t *value)
{
        size_t count = 0, limit = 0;

        if (json_is_array(value)) {
                count = json_array_size(value);
                limit = writer->limits.items;
        } else if (json_is_object(value)) {
                count = json_object_size(value);
                limit = writer->limits.members;
        }
        return count > limit ? count - limit : 0;
}

/* Whether a service's own count under this name is written with ours, beside what the count is of. */
static bool is_counted_elsewhere(const struct writer *writer, const json_t *object, const char *name, size_t length)
{
        size_t suffix = strlen(OMITTED);

        if (length <= suffix || memcmp(name + length - suffix, OMITTED, suffix))
                return false;
        return omitted(writer, json_object_getn(object, name, length - suffix));
}

static void write_integer(struct text *out, json_int_t value)
{
        char digits[24], *at = digits + sizeof digits;
        uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

        do {
                *--at = (char)('0' + left % 10);
                left /= 10;
        } while (left);
        if (value < 0)
                *--at = '-';
        text_append(out, at, (size_t)(digits + sizeof digits - at));
}

static void write_omitted(struct writer *writer, const json_t *object, const char *name, const json_t *value)
{
        size_t count = omitted(writer, value);

        if (!count)
                return;
        auto_text member = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        text_append_string(&member, name);
        text_append_string(&member, OMITTED);
        int64_t before = document_get_integer(object, text_string(&member), 0);
        document_append_name(writer->out, text_string(&member), member.length, false);
        write_integer(writer->out, before + (int64_t)count);
}

/* The result itself keeps all its members. */
static void write_object(struct writer *writer, const char *parent, const json_t *object)
{
        size_t left = object == writer->root ? SIZE_MAX : writer->limits.members;
        bool is_first = true;

        text_append(writer->out, "{", 1);
        for (void *at = json_object_iter((json_t *)object); at && left;
             at = json_object_iter_next((json_t *)object, at), left--) {
                const char *name = json_object_iter_key(at);
                size_t length = json_object_iter_key_len(at);
                const json_t *value = json_object_iter_value(at);
                if (is_counted_elsewhere(writer, object, name, length))
                        continue;
                document_append_name(writer->out, name, length, is_first);
                is_first = false;
                write_value(writer, parent, name, value);
                write_omitted(writer, object, name, value);
        }
        text_append(writer->out, "}", 1);
}

static void write_value(struct writer *writer, const char *parent, const char *name, const json_t *value)
{
        switch (json_typeof(value)) {
        case JSON_OBJECT:
                write_object(writer, value == writer->root ? NULL : name ? name : parent, value);
                return;
        case JSON_ARRAY:
                write_array(writer, name ? name : parent, value);
                return;
        case JSON_STRING:
                write_string(writer, parent, name, value);
                return;
        case JSON_INTEGER:
                write_integer(writer->out, json_integer_value(value));
                return;
        case JSON_REAL:
                document_append_real(writer->out, value);
                return;
        case JSON_TRUE:
                text_append(writer->out, "true", 4);
                return;
        case JSON_FALSE:
                text_append(writer->out, "false", 5);
                return;
        case JSON_NULL:
                text_append(writer->out, "null", 4);
                return;
        }
}

/* Whether what was written from `start` on is within the ceiling. A character has one to four bytes. */
static bool fits(const struct text *out, size_t start, size_t ceiling)
{
        size_t length = out->length - start;

        if (out->is_cut)
                return false;
        return length <= ceiling || (length <= ceiling * 4 && utf8_count(out->data + start, length) <= ceiling);
}

static void write_limits(struct writer *writer)
{
        const struct limits *limits = &writer->limits;

        writer->out->length--;
        text_printf(writer->out,
                    "%s\"responseTruncated\":true,\"responseLimits\":"
                    "{\"maxStringChars\":%zu,\"maxArrayItems\":%zu,\"maxObjectKeys\":%zu}}",
                    json_object_size(writer->root) ? "," : "", limits->characters, limits->items, limits->members);
}

static void halve(struct limits *limits)
{
        limits->characters /= 2;
        limits->exempt /= 2;
        limits->items = limits->items > 1 ? limits->items / 2 : 1;
        limits->members = limits->members > 1 ? limits->members / 2 : 1;
}

bool bound_write(struct text *out, const json_t *result, const struct bound_rules *rules, struct error *error)
{
        size_t ceiling = rules->ceiling ? rules->ceiling : BOUND_CEILING;
        size_t start = out->length, maximum = out->maximum;
        struct writer writer = {.out = out,
                                .rules = rules,
                                .limits = {BOUND_CHARACTERS, BOUND_ITEMS, BOUND_MEMBERS, SIZE_MAX},
                                .root = result};

        out->maximum = start + ceiling * 4 < maximum ? start + ceiling * 4 : maximum;
        write_value(&writer, NULL, NULL, result);
        if (!fits(out, start, ceiling))
                writer.limits.exempt = EXEMPT_CHARACTERS;
        while (!fits(out, start, ceiling) && writer.limits.characters > FEWEST_CHARACTERS) {
                out->length = start;
                out->is_cut = false;
                halve(&writer.limits);
                write_value(&writer, NULL, NULL, result);
                write_limits(&writer);
        }
        out->maximum = maximum;
        if (fits(out, start, ceiling))
                return true;
        out->length = start;
        out->is_cut = false;
        return error_set(error, ERROR_LOOKUP_FAILED, "The result of %zu members cannot be made to fit.",
                         json_object_size(result));
}
