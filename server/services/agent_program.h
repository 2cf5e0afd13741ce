/* Where the agents' programs are: FOLDER/NAME/VERSION-HASH, of which FOLDER/NAME/current names the one that new
 * containers get. A container keeps the version that it was made with. */
#ifndef SERVICES_AGENT_PROGRAM_H
#define SERVICES_AGENT_PROGRAM_H

#include "server/services/services.h"

/* The folder of all programs: the setting AGENTS_FOLDER, or `agents` in the data folder. Heap. */
char *agent_programs_folder(const struct services *services);
/* The current version's name, "2.1.332-0123456789abcdef"; NULL when the program is not installed. The caller frees it.
 */
char *agent_program_version(const struct services *services, const char *agent);
/* The folder of a version, NULL when it is not there. */
char *agent_program_path(const struct services *services, const char *agent, const char *version);
/* The folder of the current version, NULL when the program is not installed. */
char *agent_program_folder(const struct services *services, const char *agent);

struct agent_install_input {
        const char *name, *version, *from;
};
extern const struct field_table agent_install_table;
/* Fetches the program of an agent, or of all that can be fetched, and makes it the current one. Blocks for as long as
 * npm takes. Result {installed: [{name, version, folder}]}. */
MUST_CHECK bool agent_install(struct call *call, const struct agent_install_input *input, json_t **result,
                              struct error *error);
/* Result {agents: [{name, description, version, installed [...], verified}]}. */
MUST_CHECK bool agent_list(struct call *call, json_t **result, struct error *error);

#endif
