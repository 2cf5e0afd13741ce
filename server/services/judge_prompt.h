/* What a judge is told: a shipped text for each mode, or SETUP/judge/MODE.md in its place. {{mode}}, {{labels}} and
 * {{instructions}} in it stand for the mode, the variants' markers, and what the requester wants weighed. */
#ifndef SERVICES_JUDGE_PROMPT_H
#define SERVICES_JUDGE_PROMPT_H

#include "server/services/judge.h"

extern const char judge_prompt_review[], judge_prompt_comparison[];

/* The text for the plan's judges, on the heap. *is_placed says that the instructions have their place in it; otherwise
 * they go behind it. NULL is no instructions. */
char *judge_prompt(const struct services *services, const struct judge_plan *plan, const char *instructions,
                   bool *is_placed);

#endif
