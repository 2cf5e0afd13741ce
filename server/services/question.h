/* Interactive questions in replies, as text.
 *
 * An agent asks by a fenced code block (CommonMark, section 4.5) whose info string is `question`, `triage` or `ranking`
 * and whose content is a JSON object; a page can show it as something to click on. As text it is what is asked, the
 * numbered choices, and how to answer:
 *
 *   question  {"question", "options": [choice...], "multiple"?} or {"questions": [such objects...]}
 *   triage    {"title"?, "items": [choice...], "choices": ["fix", "defer", ...]}
 *   ranking   {"question"? or "title"?, "items": [choice...]}
 *
 * A choice is a string or {"label" or "title", "description"?}. What is not of this shape stays as it was written. */
#ifndef SERVICES_QUESTION_H
#define SERVICES_QUESTION_H

#include <stdbool.h>

#include "server/base/text.h"

/* Appends the reply with its questions as text; false, with nothing appended, when it has none. `is_open` says that
 * nobody has answered since: otherwise the questions are closed and it is not told how to answer. */
bool question_render(const char *reply, size_t length, bool is_open, struct text *out);

#endif
