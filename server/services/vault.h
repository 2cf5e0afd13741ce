/* What a task's turns are given from the sealed store: the provider account of the turn's agent and the secrets that
 * the environment declares for tasks.
 *
 * A task runs with what belongs to its owner (its creator): every personal secret that its person lets tasks have; for
 * each other secret that the environment declares the environment's own; and the owner's account for the agent. The
 * server's default account is given when the owner has none and the environment gives the agent no credential itself. A
 * task without an owner gets the server's and the environment's only. Where names meet, the owner's account wins, then
 * the owner's secret, the environment's, the default account; the environment's declaration says how a secret is given
 * that both have. Every value that is given is recorded for the task first, so that it stays redacted in all that is
 * shown of the task, also after rotation and removal. */
#ifndef SERVICES_VAULT_H
#define SERVICES_VAULT_H

#include "docker/runner/message.h"
#include "server/services/environment.h"
#include "server/store/task.h"
#include "server/store/turn.h"

struct agent;

/* Where file secrets lie in the container (see secret_files_put). */
#define CONTAINER_SECRETS "/longshore/secrets"
/* Below it, the folders of runs beside the turns. */
#define RUN_SECRETS ".runs"

struct turn_file {
        char *path; /* relative to CONTAINER_SECRETS, plain */
        char *content;
};

/* What one turn is given. Owns everything in it. */
struct turn_secrets {
        struct runner_variable *variables; /* they override the environment's own variables of the same names */
        size_t count;
        struct turn_file *files;
        size_t file_count;
};
void turn_secrets_clear(struct turn_secrets *secrets);
#define auto_turn_secrets CLEANUP(turn_secrets_clear) struct turn_secrets

/* Gathers what the turn is given and records it (a piece of work: not for the writer thread). A file secret is given as
 * a file and a variable of its name that holds the file's path in the container. ERROR_AGENT_AUTH_INVALID when the
 * turn's agent needs an account (agent.h: accounts) and there is none, or it is marked as refused;
 * ERROR_UNAVAILABLE with {reason: "secret_values_unavailable"} when values cannot be unsealed. */
MUST_CHECK bool vault_for_turn(const struct services *services, struct store_db *db, const struct store_task *task,
                               const struct store_turn *turn, const struct environment *environment,
                               struct turn_secrets *out, struct error *error);
/* The same for what is run beside the turns, without an account. Its files are its own: see run_secret_files_put. */
MUST_CHECK bool vault_for_run(const struct services *services, struct store_db *db, const struct store_task *task,
                              const struct environment *environment, const char *run, struct turn_secrets *out,
                              struct error *error);
/* `text` with every ${secret:NAME} replaced by the value of that secret, for the owner of the task; on the heap, with
 * the values recorded for the task. Only variable secrets that the environment declares can be named.
 * ERROR_INVALID_INPUT names the one that is not declared or not set. */
MUST_CHECK bool vault_expand(const struct services *services, struct store_db *db, const struct store_task *task,
                             const struct environment *environment, const char *text, char **expanded,
                             struct error *error);

/* Before a task is made: whether the agent could authenticate for the acting person in the environment.
 * ERROR_AGENT_AUTH_INVALID with a sentence that says what to set. Reads only. */
MUST_CHECK bool vault_check_agent(const struct call *call, const struct environment *environment, const char *agent,
                                  struct error *error);
/* Whether a turn of the owner's (0: of nobody's) tasks finds a value in a variable: the environment's own or a secret.
 */
MUST_CHECK bool vault_gives_variable(struct store_db *db, const struct environment *environment, int64_t owner,
                                     const char *name, bool *result, struct error *error);
/* What was given to one task, and what else is left out of its texts as its owner's, counts as given to another that
 * gets files or texts of it, whoever owns that. In a piece of work; tasks by rid. */
MUST_CHECK bool vault_copy_values(struct store_db *db, int64_t to_task, int64_t from_task, struct error *error);
/* After a turn whose provider refused its credential: marks the account that the turn was given, unless it was replaced
 * since. In a piece of work. `reason` is shown to people: no value may stand in it. */
MUST_CHECK bool vault_account_refused(struct store_db *db, const struct store_turn *turn, const char *reason,
                                      int64_t now, struct error *error);

/* Puts the files of a turn where its container sees them (task_path_secrets, mounted read-only at CONTAINER_SECRETS),
 * readable by the agent's uid alone; what an earlier turn left is removed. The folder is made also when there are none:
 * it has to be there when the container is made. */
MUST_CHECK bool secret_files_put(const struct services *services, const char *task_id,
                                 const struct turn_secrets *secrets, struct error *error);
/* The same for a run beside the turns, in a folder of its own, which stays until the run has ended. */
MUST_CHECK bool run_secret_files_put(const struct services *services, const char *task_id, const char *run,
                                     const struct turn_secrets *secrets, struct error *error);
MUST_CHECK bool run_secret_files_remove(const struct services *services, const char *task_id, const char *run,
                                        struct error *error);
/* Removes them after the turn; the folder stays, and what is in it of runs. */
MUST_CHECK bool secret_files_remove(const struct services *services, const char *task_id, struct error *error);

#endif
