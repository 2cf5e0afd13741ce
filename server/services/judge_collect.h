/* What a judge is given of the variants: files under its /task-output, by label. Nothing of ours in them tells who made
 * what: no agent, model, person or id of a task. */
#ifndef SERVICES_JUDGE_COLLECT_H
#define SERVICES_JUDGE_COLLECT_H

#include "server/services/judge.h"

#define JUDGE_INSTRUCTIONS_FILE "original-instructions.md"
#define JUDGE_SUMMARIES "variant-summaries"
#define JUDGE_RESPONSES "variant-responses"
#define JUDGE_HISTORY "variant-history"
#define JUDGE_DIFFS "variant-diffs"

/* Writes the files beneath `folder`, which is made and no agent sees yet. They stay root's, so that the judge reads
 * them and cannot change them. The caller holds the variants. Managed values are replaced; what is too large is cut,
 * and says so. */
MUST_CHECK bool judge_collect(struct call *call, const struct judge_plan *plan, const char *folder,
                              struct error *error);

#endif
