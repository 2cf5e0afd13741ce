/* Errors as values on the caller's stack.
 *
 * A function that can fail takes a `struct error *` as its last parameter and returns a must-check bool;
 * `return error_set(error, ERROR_X, "...")` is the one-line failure. Outs are written only on success. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <jansson.h>
#include <stdbool.h>

#include "server/base/cleanup.h"

enum error_code {
#define ERROR(constant, code, status, sentence) ERROR_##constant,
#include "server/base/error.def"
#undef ERROR
        ERROR_COUNT
};

/* What is known of a code besides its constant. */
struct error_kind {
        const char *code; /* the code on the wire */
        int status;       /* the HTTP status a REST door answers with */
        const char *sentence;
};

/* A failure. `details` is owned (NULL when there are none): declare the variable with auto_error. */
struct error {
        enum error_code code;
        char message[600];
        json_t *details;
};

/* Sets code and message (printf-like; NULL takes the code's default sentence) and returns false. A longer message is
 * cut at a character boundary. Details set before are dropped. */
PRINTF_LIKE(3, 4) bool error_set(struct error *error, enum error_code code, const char *format, ...);

/* Like error_set, with details; takes ownership of `details`. */
PRINTF_LIKE(4, 5)
bool error_set_details(struct error *error, enum error_code code, json_t *details, const char *format, ...);

/* Puts "context: " before the message of an error that is set; returns false. */
PRINTF_LIKE(2, 3) bool error_prefix(struct error *error, const char *format, ...);

/* Empties an error and releases its details. */
void error_clear(struct error *error);

/* Moves `from` into `to`, releasing what `to` held; `from` is empty afterwards. Returns false. */
bool error_move(struct error *to, struct error *from);

/* ERROR_STORE_FULL when the number of errno says that a disk or a quota is full, `otherwise` for any other. */
enum error_code error_code_of_errno(int number, enum error_code otherwise);

/* The row of a code. */
const struct error_kind *error_kind(enum error_code code);

#define auto_error CLEANUP(error_clear) struct error

#endif
