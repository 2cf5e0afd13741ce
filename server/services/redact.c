#include "server/services/redact.h"

#include <string.h>

#include "server/base/document.h"

/* The longest userinfo of a URL that is looked for. */
#define USERINFO_MAXIMUM 1024

void redactor_clear(struct redactor *redactor)
{
        secret_values_clear(&redactor->values);
}

bool redactor_init(struct redactor *redactor, const struct services *services, struct error *error)
{
        return credential_values(services, &redactor->values, error);
}

/* Length of the user:password of a URL that begins right behind "://" at `bytes`, 0 when there is none. */
static size_t userinfo_length(const char *bytes, size_t length)
{
        bool has_colon = false;

        for (size_t i = 0; i < length && i < USERINFO_MAXIMUM; i++) {
                if (bytes[i] == '@')
                        return has_colon ? i : 0;
                if (bytes[i] == ':')
                        has_colon = true;
                else if (strchr("/ \t\r\n\"'<>\\`", bytes[i]))
                        return 0;
        }
        return 0;
}

/* The first match at or behind `from`: sets *at, returns its length, 0 when there is none. */
static size_t find(const struct redactor *redactor, const char *bytes, size_t length, size_t from, size_t *at)
{
        size_t best = length, best_length = 0;

        for (size_t i = 0; i < redactor->values.count; i++) {
                size_t wanted = strlen(redactor->values.items[i]);
                const char *hit = memmem(bytes + from, length - from, redactor->values.items[i], wanted);
                if (hit && (size_t)(hit - bytes) < best) {
                        best = (size_t)(hit - bytes);
                        best_length = wanted;
                }
        }
        for (size_t scan = from; scan < best;) {
                const char *hit = memmem(bytes + scan, length - scan, "://", 3);
                if (!hit || (size_t)(hit - bytes) + 3 >= best)
                        break;
                size_t start = (size_t)(hit - bytes) + 3, found = userinfo_length(bytes + start, length - start);
                if (found) {
                        best = start;
                        best_length = found;
                        break;
                }
                scan = start;
        }
        *at = best;
        return best_length;
}

void redact_append(const struct redactor *redactor, struct text *out, const char *bytes, size_t length)
{
        size_t from = 0, at, found;

        while ((found = find(redactor, bytes, length, from, &at))) {
                text_append(out, bytes + from, at - from);
                text_append_string(out, REDACTED);
                from = at + found;
        }
        text_append(out, bytes + from, length - from);
}

json_t *redact_string(const struct redactor *redactor, const char *string)
{
        size_t at;

        if (!string)
                return json_null();
        size_t length = strlen(string);
        if (!find(redactor, string, length, 0, &at))
                return document_text(string, length);
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        redact_append(redactor, &text, string, length);
        return document_text(text.data, text.length);
}

void redact_mask(const struct redactor *redactor, char *bytes, size_t length)
{
        size_t from = 0, at, found;

        while ((found = find(redactor, bytes, length, from, &at))) {
                memset(bytes + at, '*', found);
                from = at + found;
        }
}

size_t redact_reach(const struct redactor *redactor)
{
        size_t reach = USERINFO_MAXIMUM + 3;

        for (size_t i = 0; i < redactor->values.count; i++)
                if (strlen(redactor->values.items[i]) > reach)
                        reach = strlen(redactor->values.items[i]);
        return reach;
}
