/* A file given out in pages. */
#ifndef SERVICES_FILE_PAGE_H
#define SERVICES_FILE_PAGE_H

#include "server/services/redact.h"

/* Sets size, offset, encoding (utf8 or base64), content, bytesReturned, truncated and nextOffset of a page of at most
 * `maximum_bytes` of the open file from `offset` on, in `result`. Managed values are masked in the whole and with as
 * many bytes, so that a value that a page boundary cuts is masked on both sides; a page of text ends at a character.
 * The file has `size` bytes for the reader, also while it grows. */
MUST_CHECK bool file_page_read(const struct redactor *redactor, int file, int64_t offset, int64_t maximum_bytes,
                               int64_t size, json_t *result, struct error *error);

/* Appends at most `maximum` bytes of the file from `offset` on. They are read with what lies around them and masked in
 * the whole: a value that a boundary cuts is masked on both sides. */
MUST_CHECK bool file_read_masked(const struct redactor *redactor, int file, int64_t offset, size_t maximum,
                                 struct text *page, struct error *error);

#endif
