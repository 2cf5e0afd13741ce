#include "server/services/log_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char marker[] = "[... earlier output omitted ...]\n";

void log_tail_clear(struct log_tail *tail)
{
        text_clear(&tail->text);
        *tail = (struct log_tail){0};
}

/* What of the bytes is whole lines, but for the last, which may still grow. */
static size_t first_whole_line(const char *bytes, size_t length, int before)
{
        const char *end = before < 0 || before == '\n' ? NULL : memchr(bytes, '\n', length);

        if (before < 0 || before == '\n')
                return 0;
        return end ? (size_t)(end - bytes) + 1 : length;
}

/* Values are looked for in the bytes as they are; of one that began before them its end is looked for too. */
static void redact(const struct redactor *redactor, const char *bytes, size_t length, bool is_piece, struct text *out)
{
        auto_text shown = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        if (is_piece)
                redact_append_piece(redactor, &shown, bytes, length);
        else
                redact_append(redactor, &shown, bytes, length);
        utf8_append_clean(out, text_string(&shown), shown.length);
}

static bool is_different(const struct text *shown, const char *bytes, size_t length)
{
        auto_text plain = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        utf8_append_clean(&plain, bytes, length);
        return plain.length != shown->length || memcmp(text_string(&plain), text_string(shown), plain.length) != 0;
}

/* From the first whole line on; within the last line, when that alone is too long. */
static size_t from_whole_line(const struct text *shown, size_t kept)
{
        const char *begin = shown->data + kept, *last = shown->data + shown->length - 1;
        const char *end = !kept || begin[-1] == '\n' ? NULL : memchr(begin, '\n', shown->length - kept);

        return end && end < last ? (size_t)(end - shown->data) + 1 : kept;
}

void log_tail_make(const char *bytes, size_t length, int before, const struct redactor *redactor, size_t maximum,
                   struct log_tail *out)
{
        auto_text shown = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        size_t from = first_whole_line(bytes, length, before), kept = 0;

        out->text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        out->is_omitted = before >= 0;
        redact(redactor, bytes + from, length - from, before >= 0, &shown);
        size_t room = out->is_omitted ? maximum - (sizeof marker - 1) : maximum;
        out->is_truncated = utf8_count(text_string(&shown), shown.length) > room;
        if (out->is_truncated)
                kept = from_whole_line(&shown,
                                       utf8_tail_offset(shown.data, shown.length, maximum - (sizeof marker - 1)));
        if (out->is_omitted || out->is_truncated)
                text_append_string(&out->text, marker);
        text_append(&out->text, text_string(&shown) + kept, shown.length - kept);
        out->is_redacted = memmem(text_string(&shown) + kept, shown.length - kept, REDACTED, sizeof REDACTED - 1) &&
                           is_different(&shown, bytes + from, length - from);
}

static bool fail(struct error *error)
{
        return error_set(error, ERROR_UNAVAILABLE, "the log cannot be read: %s", strerror(errno));
}

bool log_tail_read(const char *path, const struct redactor *redactor, size_t maximum, struct log_tail *out,
                   struct error *error)
{
        auto_fd file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        auto_free char *bytes = memory_new(LOG_TAIL_BYTES);
        unsigned char before = 0;
        struct stat info;
        size_t length = 0;

        if (file < 0 && errno != ENOENT)
                return fail(error);
        if (file >= 0 && fstat(file, &info))
                return fail(error);
        off_t from = file >= 0 && info.st_size > LOG_TAIL_BYTES ? info.st_size - LOG_TAIL_BYTES : 0;
        if (from && pread(file, &before, 1, from - 1) != 1)
                return fail(error);
        while (file >= 0 && length < LOG_TAIL_BYTES) {
                ssize_t got = pread(file, bytes + length, LOG_TAIL_BYTES - length, from + (off_t)length);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return fail(error);
                if (!got)
                        break;
                length += (size_t)got;
        }
        log_tail_make(bytes, length, from ? before : -1, redactor, maximum, out);
        return true;
}
