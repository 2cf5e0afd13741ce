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
        bool mcp_oauth_enabled;
        bool mcp_oauth_client_documents;          /* clients may be known by a metadata document at a URL */
        const char *mcp_oauth_redirect_hosts;     /* hosts that clients may redirect to; NULL: any */
        int64_t mcp_oauth_fresh_sign_in_minutes;  /* how old the sign-in may be at consent; 0: any age */
        const char *mcp_public_base_url;          /* origin that MCP clients use; NULL: the site's */
        const char *site_url;                     /* NULL: the address the request came to */
        const char *oidc_issuer, *oidc_client_id; /* both set: people may sign in at that OpenID provider */
        const char *oidc_client_secret;           /* see setting_secret */
        const char *oidc_scopes, *oidc_name_claim, *oidc_allowed_domains, *oidc_default_role;
        bool oidc_create_users, oidc_link_by_email;
        const char *allowed_origins; /* comma-separated origins besides the site's own and loopback */
        const char *tls_certificate_file, *tls_key_file; /* NULL: without TLS */
        const char *mcp_ingress_mode;                    /* NULL: a listener when there is a port for it */
        int64_t mcp_ingress_port;
        const char *mcp_ingress_host;   /* NULL: as host */
        int64_t app_proxy_port;         /* 0: application servers are not reachable */
        const char *app_proxy_host;     /* NULL: as host */
        const char *app_proxy_base_url; /* NULL: http(s)://localhost:PORT */
        int64_t app_proxy_connections;
        const char *trusted_proxies;
        int64_t connections_maximum, connections_per_address;
        int64_t request_timeout_seconds, idle_timeout_seconds;
        int64_t rate_limit_key, rate_limit_user, rate_limit_address; /* requests a minute, 0: any number */
        int64_t json_depth_maximum, json_values_maximum, json_name_maximum;
        const char *setup_folder;  /* NULL: DATA/setup */
        const char *agents_folder; /* NULL: DATA/agents */
        const char *log_level, *log_format;
        int64_t task_concurrency; /* tasks running at once */
        int64_t task_concurrency_per_user, task_concurrency_per_environment, task_concurrency_per_agent; /* 0: any */
        int64_t account_limit_minutes; /* the first wait after a usage limit whose end was not told */
        const char *spend_period;      /* day or month */
        int64_t spend_limit_user_usd, spend_limit_environment_usd, spend_limit_task_usd; /* 0: none */
        int64_t agent_uid;          /* uid and gid that agents run as and that own workspaces */
        int64_t stop_grace_seconds; /* between TERM and KILL */
        int64_t idle_stop_minutes;  /* an idle container is stopped */
        int64_t idle_stop_pinned_minutes;
        int64_t remove_stopped_hours; /* a stopped container is removed */
        int64_t remove_unused_days;
        int64_t remove_workspace_hours; /* the workspace of a task that is not pinned is removed */
        int64_t git_timeout_seconds, git_memory_megabytes;
        int64_t changes_seconds, changes_megabytes, changes_file_megabytes, changes_files;
        const char
                *git_credentials_file; /* git-credentials lines (https://user:token@host); NULL: DATA/git-credentials */
        const char *codex_speed;       /* the fastest that tasks may choose */
        int64_t attachment_body_megabytes;
        int64_t upload_megabytes, upload_person_megabytes; /* of one, of a person's unused ones */
        int64_t upload_hours;                              /* unused ones are kept */
        int64_t uploads_at_once;                           /* bodies that are spooled to disk */
        int64_t session_idle_minutes, session_hours;
        int64_t worker_threads, http_threads;
        int64_t body_maximum_kilobytes;
};

extern const struct field_table settings_table;

/* Where a value comes from, in rising order. */
enum setting_source {
        SETTING_DEFAULT,
        SETTING_STORED,
        SETTING_FILE,
        SETTING_ENVIRONMENT,
        SETTING_FLAG,
        SETTING_SOURCE_COUNT
};

struct call;
struct store_db;

/* The settings in force (of those that act at the next start, what they were at this one): a snapshot that stays valid
 * for the life of the process. The defaults before settings_load. */
const struct settings *settings_current(void);

/* Reads all sources: the store (`db` may be NULL for none), config.json in the data folder (NULL for none), the
 * process's environment, and the flags as an object of checked values by published name (borrowed; NULL for none).
 * ERROR_INVALID_INPUT names the source and the setting. */
MUST_CHECK bool settings_load(struct store_db *db, const char *data_folder, json_t *flags, struct error *error);

/* The row of a setting, written in any of its forms (PORT, port, http-threads). ERROR_NOT_FOUND names the nearest. */
const struct field *setting_find(const char *name, struct error *error);

struct setting_get_input {
        const char *name; /* NULL: all */
};
extern const struct field_table setting_get_table;
/* {settings: [{name, value, source}]}. Reads; needs settings:view. */
MUST_CHECK bool setting_get(struct call *call, const struct setting_get_input *input, json_t **result,
                            struct error *error);

struct setting_set_input {
        const char *name, *value;
};
extern const struct field_table setting_set_table;
/* The same for a value that must not stand on a command line. */
extern const struct field_table setting_secret_table;
/* {name, value, source}. Stores the value and puts it in force at once, one that acts at the next start excepted: that
 * is told from now on, and what was in force stays in force. ERROR_CONFLICT when another source pins the
 * setting. Writes (waits for the commit); needs settings:manage. */
MUST_CHECK bool setting_set(struct call *call, const struct setting_set_input *input, json_t **result,
                            struct error *error);
/* Removes the stored value. */
extern const struct field_table setting_unset_table;
MUST_CHECK bool setting_unset(struct call *call, const struct setting_get_input *input, json_t **result,
                              struct error *error);

#endif
