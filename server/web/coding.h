/* Which coding of a file a client takes. */
#ifndef WEB_CODING_H
#define WEB_CODING_H

#include "server/web/files.h"

/* The best form of the file under an Accept-Encoding header (RFC 9110, section 12.5.3); NULL is no such header. */
enum page_coding page_coding_choose(const char *accepted, const struct page_file *file);
/* The name of a coding in Content-Encoding, NULL for the plain form. */
const char *page_coding_name(enum page_coding coding);
/* Whether an If-None-Match header (may be NULL) holds the quoted tag, weakly compared (RFC 9110, section 13.1.2). */
bool page_tag_matches(const char *header, const char *tag);

#endif
