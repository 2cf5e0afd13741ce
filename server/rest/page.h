/* Pages of a list that a service returns whole. */
#ifndef REST_PAGE_H
#define REST_PAGE_H

#include "server/rest/operation.h"

/* Leaves the entries of the page in the result, sorted by their key, and adds nextCursor. A cursor is a place in the
 * order, so that what comes and goes meanwhile neither repeats nor hides other entries. ERROR_INVALID_CURSOR. */
MUST_CHECK bool rest_page_cut(const struct rest_page *page, const struct rest_page_input *input, json_t *result,
                              struct error *error);

#endif
