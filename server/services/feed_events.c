#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/feed_parts.h"
#include "server/services/task_paths.h"
#include "server/services/task_view.h"

/* Read of a log in one visit: others have their turn then. */
#define VISIT_BYTES (512 * 1024)
/* A line that is longer than any that is written is none. */
#define LINE_MAXIMUM (4 * 1024 * 1024)

/* Every string of the value, redacted. */
static json_t *redacted(const struct redactor *redactor, json_t *value)
{
        const char *name;
        json_t *member, *copy;
        size_t i;

        if (json_is_string(value)) {
                auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
                redact_append_piece(redactor, &text, json_string_value(value), json_string_length(value));
                return json_stringn(text_string(&text), text.length);
        }
        if (json_is_array(value)) {
                copy = json_array();
                json_array_foreach(value, i, member) json_array_append_new(copy, redacted(redactor, member));
                return copy;
        }
        if (!json_is_object(value))
                return json_incref(value);
        copy = json_object();
        json_object_foreach(value, name, member) json_object_set_new(copy, name, redacted(redactor, member));
        return copy;
}

/* Tells of one line of the log unless it was told before. False when there is no room. */
static bool tell_line(struct feed *feed, struct feed_subscription *subscription, const char *bytes, size_t length)
{
        auto_error ignored = {0};
        auto_json *line = document_parse(bytes, length, &ignored);
        int64_t turn = line ? document_get_integer(line, "turn", 0) : 0,
                sequence = line ? document_get_integer(line, "seq", 0) : 0;
        char id[48];

        if (turn < subscription->turn || (turn == subscription->turn && sequence <= subscription->sequence))
                return true;
        /* Offsets into the raw files are for the server's own use. */
        json_object_del(line, "outputOffset");
        json_object_del(line, "errorOffset");
        auto_json *shown = redacted(&feed->redactor, line);
        auto_free char *data = document_print(shown);
        snprintf(id, sizeof id, "%" PRId64 ".%" PRId64, turn, sequence);
        if (!feed_tell(subscription, id, "event", data, strlen(data)))
                return false;
        subscription->turn = turn;
        subscription->sequence = sequence;
        return true;
}

/* Tells of the whole lines in the bytes; how far it came. */
static size_t tell_lines(struct feed *feed, struct feed_subscription *subscription, const char *bytes, size_t length)
{
        size_t at = 0;
        const char *end;

        while ((end = memchr(bytes + at, '\n', length - at))) {
                size_t line = (size_t)(end - bytes) - at;
                if (!tell_line(feed, subscription, bytes + at, line))
                        break;
                at += line + 1;
        }
        return at;
}

/* Reads from the log where the listener stands, at least one line if there is a whole one. */
static bool read_piece(int file, int64_t offset, struct text *piece, struct error *error)
{
        size_t wanted = VISIT_BYTES;

        for (;;) {
                auto_free char *bytes = memory_new(wanted);
                ssize_t got = pread(file, bytes, wanted, offset);
                if (got < 0)
                        return error_set(error, ERROR_INTERNAL, "the event log cannot be read: %s", strerror(errno));
                if ((size_t)got < wanted || memrchr(bytes, '\n', (size_t)got) || wanted >= LINE_MAXIMUM) {
                        text_append(piece, bytes, (size_t)got);
                        return true;
                }
                wanted *= 2;
        }
}

/* A log that has become shorter was mended after a failure: its lines are looked through again, by their numbers. */
static void mind_length(int file, struct feed_subscription *subscription)
{
        struct stat info;

        if (!fstat(file, &info) && info.st_size < subscription->offset)
                subscription->offset = 0;
}

static bool tell_log(struct feed *feed, struct feed_subscription *subscription, struct error *error)
{
        auto_free char *records = task_path_records(feed->services->data_folder, subscription->task_id),
                       *path = path_join(records, RECORD_EVENTS);
        auto_text piece = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_fd file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

        if (file < 0)
                return errno == ENOENT ||
                       error_set(error, ERROR_INTERNAL, "the event log cannot be opened: %s", strerror(errno));
        mind_length(file, subscription);
        if (!read_piece(file, subscription->offset, &piece, error))
                return false;
        size_t told = piece.length ? tell_lines(feed, subscription, piece.data, piece.length) : 0;
        subscription->offset += (int64_t)told;
        subscription->is_grown = told && piece.length >= VISIT_BYTES && !subscription->is_blocked;
        feed->has_more = feed->has_more || subscription->is_grown;
        return true;
}

/* How the task was before its events were looked for: none of those that led there is missing then. */
static void tell_state(struct feed *feed, struct feed_subscription *subscription, const struct store_task *task)
{
        const struct call call = {
                .services = feed->services, .db = feed->db, .actor = subscription->viewer->actor, .now = clock_now()};
        auto_json *state = json_object();

        json_object_set_new(state, "task", task_view(&call, task, &feed->redactor));
        auto_free char *data = document_print(state);
        if (feed_tell(subscription, NULL, "state", data, strlen(data)))
                subscription->wants_state = false;
}

/* Reads the task as its listener may see it; a listener that may not any more is ended, and *is_seen is false. */
static bool find_task(struct feed *feed, struct feed_subscription *subscription, struct store_task *task, bool *is_seen,
                      struct error *error)
{
        *is_seen = access_task_view(feed->db, subscription->viewer->actor, subscription->task_id, task, error);
        if (*is_seen && !task->is_withheld)
                return true;
        *is_seen = false;
        if (error->code && error->code != ERROR_TASK_NOT_FOUND)
                return false;
        error_clear(error);
        feed_end(subscription);
        return true;
}

bool feed_events_pump(struct feed *feed, struct feed_subscription *subscription, struct error *error)
{
        auto_store_task task = {0};
        bool is_seen;

        if (!find_task(feed, subscription, &task, &is_seen, error) || !is_seen)
                return !error->code;
        if (subscription->is_reset) {
                if (!feed_tell(subscription, NULL, "reset", "{}", 2))
                        return true;
                subscription->is_reset = false;
        }
        /* What counts as secret is that of the task whose texts are told. */
        redactor_set_task(&feed->redactor, feed->db, &task);
        subscription->is_grown = false;
        if (!tell_log(feed, subscription, error))
                return false;
        if (subscription->wants_state && !subscription->is_grown && !subscription->is_blocked)
                tell_state(feed, subscription, &task);
        return true;
}
