/* Environments: what the setup folder says (environments/NAME/environment.json), with the stable ids of the store.
 *
 * The folder's working tree is read and watched; a changed file is taken up, a broken one disables its environment with
 * a reason and leaves the others running. */
#ifndef SERVICES_ENVIRONMENT_H
#define SERVICES_ENVIRONMENT_H

#include "server/base/field.h"
#include "server/services/services.h"

/* Agents that an environment may define. */
#define ENVIRONMENT_AGENTS_MAXIMUM 50

struct environment_repository {
        const char *name; /* folder below /workspace; by default the last segment of the URL without .git */
        const char *url;
        const char *branch; /* NULL: the remote's default branch */
        bool readOnly;
        bool locked; /* its branch cannot be chosen by a task */
};

/* A secret that the environment's tasks get when a value is set for it. */
struct environment_secret {
        const char *name;
        const char *as;   /* variable or file; NULL: as the secret itself says */
        const char *path; /* of a file, below CONTAINER_SECRETS; NULL: as the secret says, else its name */
};

/* An agent of the environment's own. */
struct environment_agent {
        const char *name, *description;
        struct field_strings command; /* the program, found in the image, and its arguments */
        const char *promptOn;         /* stdin or fd3 */
        const char *format;           /* of its output */
};

/* An MCP server that the environment's agents may use. */
struct environment_server {
        const char *name, *url;
        json_t *headers; /* values may hold ${secret:NAME} */
};

/* Who reviews by the environment's own settings. */
struct environment_reviewer {
        const char *agent, *model, *reasoningEffort, *speed;
};

/* Reviews of a group of variants, once all are finished. */
struct environment_auto_judge {
        struct field_objects reviewers; /* struct environment_reviewer */
        const char *instructions;
};

/* Reviews of a task that stands alone, once it is finished. */
struct review_loop_options;
struct environment_verification {
        struct field_objects reviewers; /* struct environment_reviewer */
        const char *instructions;
        const struct review_loop_options *reviewLoop; /* NULL: a single review */
};

/* A named test: a command that is run in a task's workspace when somebody asks for it. */
struct environment_test {
        const char *name, *description;
        const char *command; /* for sh -c */
        int64_t timeoutSeconds;
        struct field_objects parameters; /* struct parameter: values are environment variables of the command */
};

/* How it is told that the application server is ready. */
struct environment_readiness {
        const char
                *path; /* of a GET request that is answered with a status below 500; NULL: the port takes connections */
        int64_t timeoutSeconds;
};

/* The application server of a task. */
struct environment_app_server {
        const char *command; /* for sh -c */
        int64_t port;        /* on the loopback of the container, or all its addresses */
        const struct environment_readiness *readiness;
        json_t *environment; /* variables besides the environment's */
};

struct environment_limits {
        int64_t memoryMb;
        int64_t cpusPercent; /* 100 is one processor */
        int64_t pids;
        int64_t fileSizeMb; /* of any file that an agent writes; 0 for no limit */
        int64_t turnMinutes;
        int64_t concurrentTasks; /* 0: as the server's setting says */
        int64_t spendUsd;        /* in a period; 0: as the server's setting says */
};

/* As read from environment.json through its field table. */
struct environment_file {
        const char *description;
        const char *status; /* active or disabled */
        const char *image;
        const char *defaultAgent;
        struct field_objects repositories; /* struct environment_repository */
        const struct environment_limits *limits;
        const char *network;             /* none, bridge or host */
        json_t *environment;             /* variables of the agent's process */
        struct field_objects secrets;    /* struct environment_secret */
        struct field_objects agents;     /* struct environment_agent */
        struct field_objects mcpServers; /* struct environment_server */
        bool shareTasks;                 /* whether new tasks are shared */
        const char *codexSpeed;          /* the fastest speed that a Codex task may choose */
        struct field_objects tests;      /* struct environment_test */
        const struct environment_app_server *appServer; /* NULL: there is none */

        /* NULL: nothing is reviewed by itself. */
        const struct environment_auto_judge *autoJudge;
        const struct environment_verification *verification;
};
extern const struct field_table environment_table;
/* Parts of it (environment_runs.c). */
extern const struct field_table environment_test_table, environment_app_server_table;
/* Whether tests have names of their own and parameters that can be variables, and the application server a network of
 * its own. ERROR_INVALID_INPUT. */
MUST_CHECK bool environment_check_runs(const struct environment_file *file, struct error *error);
/* POSIX.1-2017, XBD 8.1, in either case. */
bool environment_variable_name_is_valid(const char *name);

/* An environment as it is now. Immutable and reference-counted. */
struct environment {
        int64_t rid;               /* 0, with the id "", when its name is not allowed */
        const char *id, *name;     /* UTF-8 */
        const char *broken_reason; /* NULL when the file is good; otherwise `file` holds defaults and is disabled */
        struct environment_file file;
        const char *build_source; /* Dockerfile or setup.sh, whichever its image is built from; NULL: nothing */
};

struct environment_get_input {
        const char *environment;
};
extern const struct field_table environment_get_table;
/* Tells the URL of each repository of each environment; borrowed. */
void environments_each_repository(struct environments *environments, void (*told)(const char *url, void *context),
                                  void *context);
/* One environment as environment_list shows it, and its configuration with environments:view_details: {..., image,
 * network, limits, variables: [names], secrets: [names], tests: [names], appServer, shareTasks}. Reads.
 * ERROR_ENVIRONMENT_NOT_FOUND. */
MUST_CHECK bool environment_get(struct call *call, const struct environment_get_input *input, json_t **result,
                                struct error *error);

/* Opens the registry: reads the folder, gives new names ids in the store, marks removed ones, and starts watching.
 * The setup folder and its folder environments are made (0700) when they are missing. The caller owns the registry;
 * NULL on error. */
struct environments *environments_open(struct store *store, const char *setup_folder, struct error *error);
void environments_close(struct environments *environments);
/* Reads the folder again now (otherwise done on change, within a second). A folder that cannot be read changes nothing:
 * what it held before stays. ERROR_UNAVAILABLE, or the store's error. Not for the store's writer thread. */
MUST_CHECK bool environments_reload(struct environments *environments, struct error *error);

/* SETUP/environments; borrowed. */
const char *environments_folder(const struct environments *environments);

/* Grows with every reading of the folder that succeeded, also one that found nothing new. */
uint64_t environments_generation(struct environments *environments);
/* Waits until the generation is greater than `generation`; false when `timeout_ms` passed before. */
bool environments_wait(struct environments *environments, uint64_t generation, int64_t timeout_ms);

/* A reference to the environment of that name or rid, NULL when there is none; release it with environment_release. */
const struct environment *environment_find(struct environments *environments, const char *name);
const struct environment *environment_find_rid(struct environments *environments, int64_t rid);
void environment_release(const struct environment *environment);
static inline void environment_release_(const struct environment **environment)
{
        environment_release(*environment);
}
#define auto_environment CLEANUP(environment_release_) const struct environment

/* The environment that the actor names and sees, or ERROR_ENVIRONMENT_NOT_FOUND. NULL on error. */
const struct environment *environment_require(struct call *call, const char *name, struct error *error);
/* ERROR_ENVIRONMENT_DISABLED with the reason when no task can start in it. */
MUST_CHECK bool environment_check_active(const struct environment *environment, struct error *error);
/* The result of list_environments: {environments: [...]}, those the actor sees, by name. */
MUST_CHECK bool environment_list(struct call *call, json_t **result, struct error *error);

#endif
