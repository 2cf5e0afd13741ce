/* What readers are told of a judge's work: its recommendation, what its labels stand for, and what it was given. Every
 * text is redacted, and bounded as get_task_output's are. For those alone who may see its content. */
#ifndef SERVICES_RECOMMENDATION_H
#define SERVICES_RECOMMENDATION_H

#include "server/services/redact.h"

/* {LABEL: {taskId, agent}}. */
MUST_CHECK bool judge_variants_view(const struct call *call, const struct store_task *judge, json_t **variants,
                                    struct error *error);
/* recommendation.json projected onto its schema, with {markdown, parse, variants: {LABEL: taskId}}. */
MUST_CHECK bool recommendation_view(const struct call *call, const struct store_task *judge,
                                    const struct redactor *redactor, json_t **recommendation, struct error *error);
/* {LABEL: {summary, responses, history, diffs, diffsPath}}: the files that the judge was given. */
MUST_CHECK bool judge_given_view(const struct call *call, const struct store_task *judge,
                                 const struct redactor *redactor, json_t **given, struct error *error);
/* recommendation.md as it is shown: cut to `maximum` characters, of *characters in all (-1: too long to be counted);
 * NULL when there is none. The caller frees it. */
char *recommendation_text(const struct call *call, const struct store_task *judge, const struct redactor *redactor,
                          size_t maximum, bool *is_cut, int64_t *characters, int64_t *written_at);

#endif
