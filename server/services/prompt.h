/* What an agent is given: the parts of a submission, kept apart in the store, joined for the agent. A later variant
 * leaves the generated parts out. */
#ifndef SERVICES_PROMPT_H
#define SERVICES_PROMPT_H

#include "server/services/agent.h"
#include "server/services/upload.h"

#define PROMPT_HANDOFF_MAXIMUM 24000

enum prompt_part {
        PROMPT_JUDGE,
        PROMPT_TEMPLATE,
        PROMPT_INSTRUCTIONS,
        PROMPT_HANDOFF,
        PROMPT_ATTACHMENTS,
        PROMPT_PART_COUNT
};

/* Borrowed except for what prompt_generate puts in; NULL parts are absent. */
struct prompt {
        const char *parts[PROMPT_PART_COUNT];
        char *generated[PROMPT_PART_COUNT];
};
void prompt_clear(struct prompt *prompt);
#define auto_prompt CLEANUP(prompt_clear) struct prompt

/* Makes the generated parts: the handoff's summary, bounded, and the list of attached files. */
void prompt_generate(struct prompt *prompt, const struct handoff_input *handoff, const struct upload *upload);
/* What people are shown: all parts. The caller frees it. */
char *prompt_shown(const struct prompt *prompt);
/* What the agent is given when it differs from what is shown, else NULL: a script gets the generated parts as comments.
 * The caller frees it. */
char *prompt_given(const struct prompt *prompt, const struct agent *agent);
/* Records the parts of a turn, behind those it has. */
MUST_CHECK bool prompt_keep(struct store_db *db, const struct prompt *prompt, int64_t turn, struct error *error);

/* What a task was first asked to do, without the parts that were generated for it: NULL in *text when there is nothing
 * left. The caller frees it. */
MUST_CHECK bool prompt_inherited(struct store_db *db, int64_t task, char **text, struct error *error);

#endif
