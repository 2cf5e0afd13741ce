#include "server/services/task.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "server/base/cleanup.h"
#include "server/base/document.h"
#include "server/base/secret.h"
#include "server/services/output_files.h"
#include "server/services/task_view.h"

/* Reads the page with what lies around it, masks managed values in the whole, and gives the page alone: a value that a
 * page boundary cuts is masked on both sides. */
static bool read_masked(const struct redactor *redactor, int file, int64_t offset, size_t maximum, struct text *page,
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

static bool read_page(const struct task_file_input *input, const struct redactor *redactor, int file, int64_t size,
                      json_t *result, struct error *error)
{
        auto_text page = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        /* The file may grow or shrink meanwhile: no page goes behind the size it tells, or promises what is gone. */
        int64_t left = size - input->offset, maximum = left < input->maxBytes ? left : input->maxBytes;
        size_t delivered;

        if (left > 0 && !read_masked(redactor, file, input->offset, (size_t)maximum, &page, error))
                return false;
        json_object_set_new(result, "path", document_string(input->path));
        json_object_set_new(result, "size", json_integer(size));
        json_object_set_new(result, "offset", json_integer(input->offset));
        set_content(result, &page, &delivered);
        int64_t next = input->offset + (int64_t)delivered;
        json_object_set_new(result, "bytesReturned", json_integer((json_int_t)delivered));
        bool is_more = delivered && next < size;
        json_object_set_new(result, "truncated", json_boolean(is_more));
        json_object_set_new(result, "nextOffset", is_more ? json_integer(next) : json_null());
        return true;
}

/* Opens the file for the actor and says what of it must not be seen. */
static int open_for(struct call *call, const char *task_id, const char *path, struct store_task *task,
                    struct redactor *redactor, int64_t *size, struct error *error)
{
        if (!access_task_view(call->db, call->actor, task_id, task, error) ||
            !redactor_init(redactor, call->services, call->db, error))
                return -1;
        redactor_set_task(redactor, call->db, task);
        return output_file_open(call->services, task->id, path, size, NULL, error);
}

bool task_file_read(struct call *call, const struct task_file_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        int64_t size;

        auto_fd file = open_for(call, input->taskId, input->path, &task, &redactor, &size, error);
        if (file < 0)
                return false;
        auto_json *object = json_object();
        if (!read_page(input, &redactor, file, size, object, error))
                return false;
        *result = take(object);
        return true;
}

static bool write_all(int file, const char *bytes, size_t length, struct error *error)
{
        while (length) {
                ssize_t written = write(file, bytes, length);
                if (written < 0 && errno != EINTR)
                        return error_set(error, errno == ENOSPC ? ERROR_STORE_FULL : ERROR_UNAVAILABLE,
                                         "the file could not be copied: %s", strerror(errno));
                if (written > 0) {
                        bytes += written;
                        length -= (size_t)written;
                }
        }
        return true;
}

#define COPY_PIECE (256 * 1024)

/* A file that shrinks meanwhile gives a shorter copy. */
static bool copy_masked(const struct redactor *redactor, int from, int64_t size, int to, int64_t *copied,
                        struct error *error)
{
        for (*copied = 0; *copied < size;) {
                int64_t left = size - *copied;
                auto_text piece = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
                if (!read_masked(redactor, from, *copied, (size_t)(left < COPY_PIECE ? left : COPY_PIECE), &piece,
                                 error) ||
                    !write_all(to, piece.data, piece.length, error))
                        return false;
                if (!piece.length)
                        break;
                *copied += (int64_t)piece.length;
        }
        return true;
}

int task_file_copy(struct call *call, const struct task_copy_input *input, int64_t *size, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        int64_t whole;

        auto_fd file = open_for(call, input->taskId, input->path, &task, &redactor, &whole, error);
        if (file < 0)
                return -1;
        if (whole > TASK_COPY_MAXIMUM) {
                error_set(error, ERROR_TOO_LARGE, "The file has more than 1 GiB; read it in pages.");
                return -1;
        }
        auto_fd copy = open(call->services->data_folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (copy < 0) {
                error_set(error, ERROR_UNAVAILABLE, "the file could not be copied: %s", strerror(errno));
                return -1;
        }
        if (!copy_masked(&redactor, file, whole, copy, size, error) || lseek(copy, 0, SEEK_SET) < 0)
                return -1;
        int result = copy;
        copy = -1;
        return result;
}
