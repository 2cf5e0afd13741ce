#include "server/services/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/event_log_place.h"
#include "server/services/task_paths.h"

#define PIECE_BYTES 65536
/* What one call takes up of a stream that still grows. */
#define INGEST_BYTES (1024 * 1024)
/* What is written between two notes of how far the log is. */
#define PLACE_EVERY_BYTES (1024 * 1024)
#define USER_OFFSET "userOffset"
#define FAILURE "error"

/* One raw stream of the turn and how far it has been read. */
struct source {
        char *path;
        uint64_t offset;
        unsigned part;         /* and how many events of the line behind it are written */
        uint64_t noted_offset; /* the same two as the latest line tells them */
        unsigned noted_part;
        const struct stream_format *format;
        void *reader;
        struct event_log *log;
        const char *name, *part_name; /* members of the line that tell how far */
};

struct event_log {
        int file;
        int64_t ordinal, sequence;
        size_t user_offset; /* bytes of what the user said that are written */
        int64_t said_at;    /* when the newest text of the agent's was taken up; 0: there is none */
        bool has_failure;
        struct source output, errors;
        struct text pending;
        char *place_path;   /* NULL: a later turn has the place */
        uint64_t placed_at; /* the log's size at the last note */
};

static bool fail(struct error *error, const char *what)
{
        int number = errno;

        return error_set(error, error_code_of_errno(number, ERROR_INTERNAL), "%s: %s", what, strerror(number));
}

static json_t *event_line(const struct event_log *log, int64_t at, const char *role, const char *type)
{
        json_t *line = json_object();

        json_object_set_new(line, "t", document_time(at));
        json_object_set_new(line, "turn", json_integer(log->ordinal));
        json_object_set_new(line, "seq", json_integer(log->sequence + 1));
        json_object_set_new(line, "role", json_string(role));
        json_object_set_new(line, "type", json_string(type));
        return line;
}

static void append_line(struct event_log *log, const json_t *line)
{
        auto_free char *printed = document_print(line);

        text_append_string(&log->pending, printed);
        text_append(&log->pending, "\n", 1);
        log->sequence++;
}

static json_t *usage_object(const struct stream_usage *usage)
{
        return json_pack("{s:I, s:I, s:I, s:I, s:f}", "inputTokens", (json_int_t)usage->input, "outputTokens",
                         (json_int_t)usage->output, "cacheReadTokens", (json_int_t)usage->cache_read,
                         "cacheWriteTokens", (json_int_t)usage->cache_write, "costUsd",
                         (double)usage->cost_micros / 1e6);
}

static void set_string(json_t *line, const char *name, const char *value)
{
        if (value)
                json_object_set_new(line, name, document_string(value));
}

static bool is_said(const char *role, const char *type)
{
        return role && type && !strcmp(role, "assistant") && !strcmp(type, "text");
}

static void sink(const struct stream_event *event, void *context)
{
        struct source *source = context;

        if (!event->type)
                return;
        int64_t now = clock_now();
        auto_json *line = event_line(source->log, now, event->role, event->type);
        if (is_said(event->role, event->type))
                source->log->said_at = now;
        if (event->text)
                json_object_set_new(line, "text", json_stringn(event->text, event->length));
        set_string(line, "tool", event->tool);
        set_string(line, "toolUseId", event->tool_use_id);
        set_string(line, "command", event->command);
        if (event->paths)
                json_object_set_new(line, "paths", json_deep_copy(event->paths));
        if (!strcmp(event->type, "tool_result"))
                json_object_set_new(line, "isError", json_boolean(event->is_error));
        if (event->usage)
                json_object_set_new(line, "usage", usage_object(event->usage));
        set_string(line, "category", event->category);
        json_object_set_new(line, source->name, json_integer((json_int_t)event->offset));
        if (event->part)
                json_object_set_new(line, source->part_name, json_integer(event->part));
        source->noted_offset = event->offset;
        source->noted_part = event->part;
        append_line(source->log, line);
}

/* `size` is the log's, which ends with a whole line. */
static void note_place(struct event_log *log, uint64_t size)
{
        const struct event_log_place place = {.offset = size,
                                              .ordinal = log->ordinal,
                                              .sequence = log->sequence,
                                              .output_offset = log->output.noted_offset,
                                              .output_part = log->output.noted_part,
                                              .error_offset = log->errors.noted_offset,
                                              .error_part = log->errors.noted_part,
                                              .user_offset = log->user_offset,
                                              .has_failure = log->has_failure,
                                              .said_at = log->said_at};

        if (log->place_path)
                event_log_place_write(log->place_path, log->file, &place);
        log->placed_at = size;
}

/* Writes the pending lines; a write that fails half way is taken back, so that no broken line stays. */
static bool flush(struct event_log *log, struct error *error)
{
        off_t start = lseek(log->file, 0, SEEK_END);
        size_t done = 0;

        while (done < log->pending.length) {
                ssize_t written = write(log->file, log->pending.data + done, log->pending.length - done);
                if (written < 0 && errno == EINTR)
                        continue;
                if (written < 0) {
                        fail(error, "the event log cannot be written");
                        if (ftruncate(log->file, start))
                                error_prefix(error, "and not taken back");
                        text_clear(&log->pending);
                        return false;
                }
                done += (size_t)written;
        }
        text_clear(&log->pending);
        if ((uint64_t)start + done >= log->placed_at + PLACE_EVERY_BYTES)
                note_place(log, (uint64_t)start + done);
        return true;
}

static void resume_source(struct source *source, const json_t *line)
{
        if (!json_object_get(line, source->name))
                return;
        source->offset = (uint64_t)document_get_integer(line, source->name, 0);
        source->part = (unsigned)document_get_integer(line, source->part_name, 0);
        source->noted_offset = source->offset;
        source->noted_part = source->part;
}

/* Takes up from a line of this turn that an earlier process wrote. */
static void resume_from(struct event_log *log, const char *bytes, size_t length)
{
        auto_error ignored = {0};
        auto_json *line = document_parse(bytes, length, &ignored);

        if (!line || document_get_integer(line, "turn", 0) != log->ordinal)
                return;
        log->sequence = document_get_integer(line, "seq", log->sequence);
        resume_source(&log->output, line);
        resume_source(&log->errors, line);
        log->user_offset = (size_t)document_get_integer(line, USER_OFFSET, (int64_t)log->user_offset);
        const char *type = document_get_string(line, "type"), *at = document_get_string(line, "t");
        int64_t said_at;
        if (is_said(document_get_string(line, "role"), type) && at && clock_parse(at, &said_at))
                log->said_at = said_at;
        log->has_failure = log->has_failure || (type && !strcmp(type, FAILURE));
}

static void resume_source_from(struct source *source, uint64_t offset, uint64_t part)
{
        source->offset = source->noted_offset = offset;
        source->part = source->noted_part = (unsigned)part;
}

/* The bytes of the log that need not be read. Turns come one after the other: of a later one than the place's nothing
 * is before it, and the place stays that turn's when it is a later one that has it. */
static uint64_t resume_place(struct event_log *log)
{
        struct event_log_place place;

        if (!event_log_place_read(log->place_path, log->file, &place))
                return 0;
        if (place.ordinal > log->ordinal) {
                free(take(log->place_path));
                return 0;
        }
        if (place.ordinal == log->ordinal) {
                log->sequence = place.sequence;
                resume_source_from(&log->output, place.output_offset, place.output_part);
                resume_source_from(&log->errors, place.error_offset, place.error_part);
                log->user_offset = place.user_offset;
                log->has_failure = place.has_failure;
                log->said_at = place.said_at;
        }
        return place.offset;
}

/* Reads the lines that are there and not accounted for; cuts off a last one that is not whole. */
static bool resume(struct event_log *log, struct error *error)
{
        FILE *lines = fdopen(dup(log->file), "r");
        auto_free char *buffer = NULL;
        size_t capacity = 0;
        off_t whole = (off_t)resume_place(log);
        ssize_t length;

        if (!lines)
                return fail(error, "the event log cannot be read");
        if (fseeko(lines, whole, SEEK_SET)) {
                fclose(lines);
                return fail(error, "the event log cannot be read");
        }
        while ((length = getline(&buffer, &capacity, lines)) > 0 && buffer[length - 1] == '\n') {
                resume_from(log, buffer, (size_t)length);
                whole += length;
        }
        fclose(lines);
        if (ftruncate(log->file, whole))
                return fail(error, "the event log cannot be mended");
        note_place(log, (uint64_t)whole);
        return true;
}

static void source_begin(struct event_log *log, struct source *source, const char *role, const char *type)
{
        source->log = log;
        source->reader = source->format->begin(&(struct stream_start){.role = role,
                                                                      .type = type,
                                                                      .offset = source->offset,
                                                                      .part = source->part,
                                                                      .sink = sink,
                                                                      .context = source});
}

struct event_log *event_log_open(const char *records, int64_t ordinal, const struct stream_format *format,
                                 struct error *error)
{
        auto_free char *path = path_join(records, RECORD_EVENTS), *output = turn_path_output(ordinal),
                       *errors = turn_path_errors(ordinal);
        struct event_log *log = memory_new(sizeof *log);

        log->ordinal = ordinal;
        log->pending = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        log->output = (struct source){.path = path_join(records, output),
                                      .format = format,
                                      .name = "outputOffset",
                                      .part_name = "outputPart"};
        log->errors = (struct source){.path = path_join(records, errors),
                                      .format = &stream_format_text,
                                      .name = "errorOffset",
                                      .part_name = "errorPart"};
        log->place_path = path_join(records, RECORD_EVENTS_PLACE);
        log->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (log->file < 0 || !resume(log, error)) {
                if (log->file < 0)
                        fail(error, "the event log cannot be opened");
                event_log_close(log);
                return NULL;
        }
        source_begin(log, &log->output, "assistant", "text");
        source_begin(log, &log->errors, "system", "stderr");
        return log;
}

static void source_free(struct source *source)
{
        if (source->reader)
                source->format->free(source->reader);
        free(source->path);
}

void event_log_close(struct event_log *log)
{
        if (!log)
                return;
        source_free(&log->output);
        source_free(&log->errors);
        text_clear(&log->pending);
        free(log->place_path);
        if (log->file >= 0)
                close(log->file);
        free(log);
}

bool event_log_user(struct event_log *log, const char *text, int64_t submitted_at, struct error *error)
{
        size_t length = strlen(text), step;

        for (; log->user_offset < length; log->user_offset += step) {
                size_t at = log->user_offset;
                step = length - at < STREAM_EVENT_BYTES ? length - at : STREAM_EVENT_BYTES;
                while (at + step < length && ((unsigned char)text[at + step] & 0xc0) == 0x80)
                        step--;
                auto_json *line = event_line(log, submitted_at, "user", "text");
                json_object_set_new(line, "text", document_text(text + at, step));
                json_object_set_new(line, USER_OFFSET, json_integer((json_int_t)(at + step)));
                append_line(log, line);
        }
        return flush(log, error);
}

static bool ingest_source(struct source *source, bool is_end, bool *is_more, struct error *error)
{
        uint64_t begin = source->offset;
        auto_free char *piece = memory_new(PIECE_BYTES);
        auto_fd file = open(source->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

        if (file < 0 && errno != ENOENT)
                return fail(error, "the recorded output cannot be opened");
        while (file >= 0) {
                ssize_t got = pread(file, piece, PIECE_BYTES, (off_t)source->offset);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return fail(error, "the recorded output cannot be read");
                if (got == 0)
                        break;
                if (!is_end && source->offset - begin >= INGEST_BYTES) {
                        *is_more = true;
                        break;
                }
                source->format->feed(source->reader, piece, (size_t)got);
                source->offset += (uint64_t)got;
                if (!flush(source->log, error))
                        return false;
        }
        if (is_end)
                source->format->end(source->reader);
        return flush(source->log, error);
}

bool event_log_ingest(struct event_log *log, bool *is_more, struct error *error)
{
        *is_more = false;
        return ingest_source(&log->output, false, is_more, error) && ingest_source(&log->errors, false, is_more, error);
}

bool event_log_finish(struct event_log *log, struct error *error)
{
        bool is_more = false;

        return ingest_source(&log->output, true, &is_more, error) && ingest_source(&log->errors, true, &is_more, error);
}

int64_t event_log_said_at(const struct event_log *log)
{
        return log->said_at;
}

bool event_log_note(struct event_log *log, const char *message, struct error *error)
{
        auto_json *line = event_line(log, clock_now(), "system", "text");

        json_object_set_new(line, "text", document_string(message));
        append_line(log, line);
        return flush(log, error);
}

bool event_log_failure(struct event_log *log, const char *message, const char *category, struct error *error)
{
        if (log->has_failure)
                return true;
        log->has_failure = true;
        auto_json *line = event_line(log, clock_now(), "system", FAILURE);

        json_object_set_new(line, "text", document_string(message));
        json_object_set_new(line, "category", document_string(category));
        append_line(log, line);
        return flush(log, error);
}

bool event_log_summary(const char *records, int64_t ordinal, const struct stream_format *format,
                       struct stream_summary *summary, int64_t *replied_at, struct error *error)
{
        auto_free char *name = turn_path_output(ordinal), *path = path_join(records, name),
                       *piece = memory_new(PIECE_BYTES);
        auto_fd file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        struct stat info;
        ssize_t got;

        *replied_at = 0;
        if (file < 0 || fstat(file, &info))
                return errno == ENOENT || fail(error, "the recorded output cannot be opened");
        void *reader = format->begin(&(struct stream_start){
                .role = "assistant", .type = "text", .sink = stream_summary_take, .context = summary});
        while ((got = read(file, piece, PIECE_BYTES)) > 0 || (got < 0 && errno == EINTR))
                if (got > 0)
                        format->feed(reader, piece, (size_t)got);
        bool is_good = got == 0 || fail(error, "the recorded output cannot be read");
        format->end(reader);
        format->free(reader);
        *replied_at = (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
        return is_good;
}
