/* The server's settings: one table (name, type, default, limits, sentence) that gives parsing, --help and the
 * reference.
 *
 * A value comes from, in rising order: the stored setting, the JSON file config.json in the data folder, the
 * environment variable of the same name, the flag (--port for PORT). Each source above the store pins the setting: it
 * cannot be changed by `setting set` then. */
#ifndef SERVICES_SETTING_H
#define SERVICES_SETTING_H

#include "server/base/field.h"

/* Members carry the settings' names in lower case; the table's rows carry the published names in upper case. */
struct settings {
        const char *host;
        int64_t port;
        const char *docker_host;
        bool mcp_server_enabled;
        const char *site_url;        /* NULL: the address the request came to */
        const char *allowed_origins; /* comma-separated origins besides the site's own and loopback */
        const char *setup_folder;    /* NULL: DATA/setup */
        const char *log_level, *log_format;
        int64_t task_concurrency;   /* tasks running at once */
        int64_t agent_uid;          /* uid and gid that agents run as and that own workspaces */
        int64_t stop_grace_seconds; /* between TERM and KILL */
        int64_t idle_stop_minutes;  /* an idle container is stopped */
        int64_t idle_stop_pinned_minutes;
        int64_t remove_stopped_hours; /* a stopped container and its workspace are removed */
        int64_t git_timeout_seconds, git_memory_megabytes;
        const char
                *git_credentials_file; /* git-credentials lines (https://user:token@host); NULL: DATA/git-credentials */
        int64_t worker_threads, http_threads;
        int64_t body_maximum_kilobytes;
};

extern const struct field_table settings_table;

/* The settings in force: a snapshot that stays valid for the life of the process. */
const struct settings *settings_current(void);

#endif
