#include "server/base/text.h"

#include <stdio.h>
#include <string.h>

void *memory_new(size_t size)
{
        void *pointer = calloc(1, size ? size : 1);

        if (!pointer)
                abort();
        return pointer;
}

void *memory_resize(void *pointer, size_t size)
{
        void *resized = realloc(pointer, size ? size : 1);

        if (!resized)
                abort();
        return resized;
}

void text_clear(struct text *text)
{
        free(text->data);
        text->data = NULL;
        text->length = text->capacity = 0;
        text->is_cut = false;
}

static void reserve(struct text *text, size_t more)
{
        size_t wanted = text->length + more + 1;

        if (wanted <= text->capacity)
                return;
        size_t capacity = text->capacity ? text->capacity : 128;
        while (capacity < wanted)
                capacity *= 2;
        text->data = memory_resize(text->data, capacity);
        text->capacity = capacity;
}

char *text_room(struct text *text, size_t length)
{
        if (length > text->maximum - text->length)
                return NULL;
        reserve(text, length);
        return text->data + text->length;
}

void text_grow(struct text *text, size_t length)
{
        text->length += length;
        text->data[text->length] = '\0';
}

void text_append(struct text *text, const void *bytes, size_t length)
{
        size_t room = text->maximum - text->length;

        if (length > room) {
                length = room;
                text->is_cut = true;
        }
        reserve(text, length);
        if (length)
                memcpy(text->data + text->length, bytes, length);
        text->length += length;
        text->data[text->length] = '\0';
}

void text_append_string(struct text *text, const char *string)
{
        text_append(text, string, strlen(string));
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
        char small[512];
        va_list again;

        va_copy(again, arguments);
        int length = vsnprintf(small, sizeof small, format, arguments);
        if (length < (int)sizeof small) {
                text_append(text, small, length > 0 ? (size_t)length : 0);
        } else {
                auto_free char *large = memory_new((size_t)length + 1);
                vsnprintf(large, (size_t)length + 1, format, again);
                text_append(text, large, (size_t)length);
        }
        va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
        va_list arguments;

        va_start(arguments, format);
        text_vprintf(text, format, arguments);
        va_end(arguments);
}

const char *text_string(const struct text *text)
{
        return text->data ? text->data : "";
}

char *text_take(struct text *text)
{
        char *data = text->data ? text->data : memory_new(1);

        text->data = NULL;
        text_clear(text);
        return data;
}

char *text_format(const char *format, ...)
{
        struct text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        va_list arguments;

        va_start(arguments, format);
        text_vprintf(&text, format, arguments);
        va_end(arguments);
        return text_take(&text);
}

char *text_copy(const char *string)
{
        if (!string)
                return NULL;
        size_t size = strlen(string) + 1;
        return memcpy(memory_new(size), string, size);
}

size_t utf8_character(const char *bytes, size_t length, bool *is_partial)
{
        const unsigned char *b = (const unsigned char *)bytes;
        unsigned char low = 0x80, high = 0xbf;
        size_t wanted;

        if (is_partial)
                *is_partial = false;
        if (length == 0)
                return 0;
        if (b[0] < 0x80)
                return 1;
        if (b[0] >= 0xc2 && b[0] <= 0xdf) {
                wanted = 2;
        } else if (b[0] >= 0xe0 && b[0] <= 0xef) {
                wanted = 3;
                low = b[0] == 0xe0 ? 0xa0 : 0x80;
                high = b[0] == 0xed ? 0x9f : 0xbf;
        } else if (b[0] >= 0xf0 && b[0] <= 0xf4) {
                wanted = 4;
                low = b[0] == 0xf0 ? 0x90 : 0x80;
                high = b[0] == 0xf4 ? 0x8f : 0xbf;
        } else {
                return 0;
        }
        for (size_t i = 1; i < wanted; i++) {
                if (i == length) {
                        if (is_partial)
                                *is_partial = true;
                        return 0;
                }
                if (b[i] < low || b[i] > high)
                        return 0;
                low = 0x80;
                high = 0xbf;
        }
        return wanted;
}

bool utf8_is_valid(const char *bytes, size_t length)
{
        for (size_t at = 0, step; at < length; at += step)
                if (!(step = utf8_character(bytes + at, length - at, NULL)))
                        return false;
        return true;
}

static bool is_start(char byte)
{
        return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t utf8_count(const char *bytes, size_t length)
{
        size_t count = 0;

        for (size_t i = 0; i < length; i++)
                count += is_start(bytes[i]);
        return count;
}

size_t utf8_tail_offset(const char *bytes, size_t length, size_t count)
{
        size_t at = length;

        while (at > 0 && count > 0)
                if (is_start(bytes[--at]))
                        count--;
        return at;
}

size_t utf8_head_length(const char *bytes, size_t length, size_t count)
{
        size_t at = 0;

        while (at < length) {
                if (is_start(bytes[at]) && count-- == 0)
                        break;
                at++;
        }
        return at;
}

void utf8_append_clean(struct text *out, const char *bytes, size_t length)
{
        size_t start = 0, at = 0;

        while (at < length) {
                size_t step = utf8_character(bytes + at, length - at, NULL);
                if (step) {
                        at += step;
                        continue;
                }
                text_append(out, bytes + start, at - start);
                text_append(out, "\xef\xbf\xbd", 3);
                start = ++at;
        }
        text_append(out, bytes + start, at - start);
}
