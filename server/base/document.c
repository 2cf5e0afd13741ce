#include "server/base/document.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"

json_t *document_text(const char *bytes, size_t length)
{
        json_t *string = json_stringn(bytes, length);

        if (string)
                return string;
        auto_text clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        utf8_append_clean(&clean, bytes, length);
        return json_stringn_nocheck(text_string(&clean), clean.length);
}

json_t *document_string(const char *string)
{
        return string ? document_text(string, strlen(string)) : json_null();
}

json_t *document_time(int64_t ms)
{
        char iso[CLOCK_ISO_SIZE];

        if (!ms)
                return json_null();
        clock_format(ms, iso);
        return json_string_nocheck(iso);
}

/* What is counted while the text is looked through. */
struct measure {
        const struct document_limits *limits;
        size_t depth, values, string; /* string: length of the one that was just read */
};

static bool refuse(struct error *error, const char *what, size_t maximum, const char *unit)
{
        return error_set(error, ERROR_INVALID_INPUT, "not accepted: %s %zu %s", what, maximum, unit);
}

static bool note_character(struct measure *measure, char c, struct error *error)
{
        const struct document_limits *limits = measure->limits;

        switch (c) {
        case '{':
        case '[':
                measure->values++;
                if (++measure->depth > limits->depth)
                        return refuse(error, "nested deeper than", limits->depth, "levels");
                break;
        case '}':
        case ']':
                measure->depth -= measure->depth > 0;
                break;
        case ',':
                measure->values++;
                break;
        case ':':
                if (measure->string > limits->name)
                        return refuse(error, "a member's name is longer than", limits->name, "bytes");
                break;
        default:
                return true;
        }
        if (measure->values > limits->values)
                return refuse(error, "more than", limits->values, "values");
        return true;
}

/* The parser recurses, and so does whoever walks what it made, on threads with small stacks. */
static bool is_within(const char *bytes, size_t length, const struct document_limits *limits, struct error *error)
{
        struct measure measure = {.limits = limits, .values = 1};

        for (size_t i = 0; i < length; i++) {
                if (bytes[i] != '"') {
                        if (!note_character(&measure, bytes[i], error))
                                return false;
                        continue;
                }
                size_t begin = ++i;
                while (i < length && bytes[i] != '"')
                        i += bytes[i] == '\\' ? 2 : 1;
                measure.string = i - begin;
        }
        return true;
}

json_t *document_parse_within(const char *bytes, size_t length, const struct document_limits *limits,
                              struct error *error)
{
        json_error_t failure;

        if (!is_within(bytes, length, limits, error))
                return NULL;
        json_t *document = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &failure);

        if (!document)
                error_set(error, ERROR_INVALID_INPUT, "not valid JSON: %s (line %d, column %d)", failure.text,
                          failure.line, failure.column);
        return document;
}

json_t *document_parse(const char *bytes, size_t length, struct error *error)
{
        static const struct document_limits usual = {DOCUMENT_DEPTH_MAXIMUM, DOCUMENT_VALUES_MAXIMUM, SIZE_MAX};

        return document_parse_within(bytes, length, &usual, error);
}

#define PRINT_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

static char *print(const json_t *document, size_t flags)
{
        char *printed = json_dumps(document, flags | PRINT_FLAGS);

        if (!printed)
                abort();
        return printed;
}

char *document_print(const json_t *document)
{
        return print(document, 0);
}

char *document_canonical(const json_t *document)
{
        return print(document, JSON_SORT_KEYS);
}

struct each {
        void (*each)(const char *bytes, size_t length, void *context);
        void *context;
};

static int pass_piece(const char *bytes, size_t length, void *context)
{
        const struct each *to = context;

        to->each(bytes, length, to->context);
        return 0;
}

void document_canonical_each(const json_t *document, void (*each)(const char *bytes, size_t length, void *context),
                             void *context)
{
        if (json_dump_callback(document, pass_piece, &(struct each){each, context}, JSON_SORT_KEYS | PRINT_FLAGS))
                abort();
}

/* The escape of a character that may not stand as it is (RFC 8259, section 7); returns its length. */
static size_t escape(unsigned char c, char out[6])
{
        static const char letters[] = {
                ['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
        static const char digits[] = "0123456789abcdef";

        out[0] = '\\';
        if (letters[c]) {
                out[1] = letters[c];
                return 2;
        }
        memcpy(out + 1, "u00", 3);
        out[4] = digits[c >> 4];
        out[5] = digits[c & 15];
        return 6;
}

/* So many characters are taken at a time that their escapes have room in any case. */
#define PIECE 128
#define PIECE_ROOM(length) ((length)*6 + sizeof(uint64_t))

#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Non-zero when one of eight bytes has to be escaped; the lowest bit that is set is in the first of them. Each term
 * sets the highest bit of a byte that is below 0x20, or equal; what it borrows reaches only the bytes after that one.
 */
static uint64_t find_escaped(uint64_t bytes)
{
        uint64_t quotes = bytes ^ EIGHT('"'), slashes = bytes ^ EIGHT('\\');

        return (((bytes - EIGHT(0x20)) & ~bytes) | ((quotes - EIGHT(1)) & ~quotes) |
                ((slashes - EIGHT(1)) & ~slashes)) &
               EIGHT(0x80);
}

/* Writes a piece, escaped, where it has room for the worst that may become of it; returns its end. Eight bytes are
 * taken at a time; what the end leaves free of them is zero, which is to be escaped, and so ends what stands as it is.
 */
static char *write_piece(char *at, const char *bytes, size_t length)
{
        for (size_t i = 0; i < length;) {
                size_t left = length - i;
                uint64_t eight = 0;
                if (left < sizeof eight)
                        memcpy(&eight, bytes + i, left);
                else
                        memcpy(&eight, bytes + i, sizeof eight);
                memcpy(at, &eight, sizeof eight);
                uint64_t found = find_escaped(le64toh(eight));
                size_t plain = found ? (size_t)__builtin_ctzll(found) / 8 : sizeof eight;
                at += plain;
                i += plain;
                if (plain < sizeof eight && plain < left)
                        at += escape((unsigned char)bytes[i++], at);
        }
        return at;
}

static void append_piece(struct text *out, const char *bytes, size_t length)
{
        char elsewhere[PIECE_ROOM(PIECE)], *room = text_room(out, sizeof elsewhere), *at = room ? room : elsewhere;
        size_t written = (size_t)(write_piece(at, bytes, length) - at);

        if (room)
                text_grow(out, written);
        else
                text_append(out, elsewhere, written);
}

/* Appends the string between quotes, with `before` before and `after` behind them. */
static void append_between(struct text *out, const char *before, const char *bytes, size_t length, const char *after)
{
        char *room = length <= PIECE ? text_room(out, PIECE_ROOM(length) + strlen(before) + strlen(after)) : NULL;

        if (room) {
                char *at = write_piece(stpcpy(room, before), bytes, length);
                text_grow(out, (size_t)(stpcpy(at, after) - room));
                return;
        }
        text_append_string(out, before);
        for (size_t from = 0; from < length; from += PIECE)
                append_piece(out, bytes + from, length - from < PIECE ? length - from : PIECE);
        text_append_string(out, after);
}

void document_append_quoted(struct text *out, const char *bytes, size_t length)
{
        append_between(out, "\"", bytes, length, "\"");
}

void document_append_name(struct text *out, const char *name, size_t length, bool is_first)
{
        append_between(out, is_first ? "\"" : ",\"", name, length, "\":");
}

void document_append_real(struct text *out, const json_t *real)
{
        char digits[40];
        size_t length = json_dumpb(real, digits, sizeof digits - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

        digits[length] = '\0';
        if (strtod(digits, NULL) < json_real_value(real) || strtod(digits, NULL) > json_real_value(real))
                length = json_dumpb(real, digits, sizeof digits, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        text_append(out, digits, length);
}

const char *document_get_string(const json_t *object, const char *name)
{
        return json_string_value(json_object_get(object, name));
}

int64_t document_get_integer(const json_t *object, const char *name, int64_t fallback)
{
        const json_t *value = json_object_get(object, name);

        return json_is_integer(value) ? json_integer_value(value) : fallback;
}
