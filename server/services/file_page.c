#include "server/services/file_page.h"

#include "server/base/document.h"
#include "server/base/secret.h"
#include "server/services/output_files.h"

bool file_read_masked(const struct redactor *redactor, int file, int64_t offset, size_t maximum, struct text *page,
                      struct error *error)
{
        int64_t before = offset < (int64_t)redact_reach(redactor) ? offset : (int64_t)redact_reach(redactor);
        auto_text whole = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        if (!output_file_read(file, offset - before, (size_t)before + maximum + redact_reach(redactor), &whole, error))
                return false;
        if (whole.length <= (size_t)before)
                return true;
        redact_mask(redactor, whole.data, whole.length);
        size_t length = whole.length - (size_t)before;
        text_append(page, whole.data + before, length < maximum ? length : maximum);
        return true;
}

/* Bytes of the page that are whole characters, 0 when it is no text (RFC 3629) or begins inside a character. */
static size_t text_length(const struct text *page)
{
        bool is_partial = false;
        size_t at = 0, step;

        while (at < page->length && (step = utf8_character(page->data + at, page->length - at, &is_partial)))
                at += step;
        return at == page->length || is_partial ? at : 0;
}

static size_t escaped_length(const char *bytes, size_t length)
{
        size_t total = 0;

        for (size_t i = 0; i < length; i++) {
                unsigned char c = (unsigned char)bytes[i];
                total += c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' ? 2 : c < 0x20 ? 6 : 1;
        }
        return total;
}

static void set_content(json_t *result, const struct text *page, size_t *delivered)
{
        size_t text = text_length(page);

        if (page->length && (!text || escaped_length(page->data, text) > 4 * ((text + 2) / 3))) {
                auto_free char *encoded = secret_base64(page->data, page->length);
                json_object_set_new(result, "encoding", json_string("base64"));
                json_object_set_new(result, "content", json_string(encoded));
                *delivered = page->length;
                return;
        }
        json_object_set_new(result, "encoding", json_string("utf8"));
        json_object_set_new(result, "content", json_stringn(text_string(page), text));
        *delivered = text;
}

bool file_page_read(const struct redactor *redactor, int file, int64_t offset, int64_t maximum_bytes, int64_t size,
                    json_t *result, struct error *error)
{
        auto_text page = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        /* The file may grow or shrink meanwhile: no page goes behind the size it tells, or promises what is gone. */
        int64_t left = size - offset, maximum = left < maximum_bytes ? left : maximum_bytes;
        size_t delivered;

        if (left > 0 && !file_read_masked(redactor, file, offset, (size_t)maximum, &page, error))
                return false;
        json_object_set_new(result, "size", json_integer(size));
        json_object_set_new(result, "offset", json_integer(offset));
        set_content(result, &page, &delivered);
        int64_t next = offset + (int64_t)delivered;
        json_object_set_new(result, "bytesReturned", json_integer((json_int_t)delivered));
        bool is_more = delivered && next < size;
        json_object_set_new(result, "truncated", json_boolean(is_more));
        json_object_set_new(result, "nextOffset", is_more ? json_integer(next) : json_null());
        return true;
}
