#include <string.h>

#include "server/base/url.h"
#include "server/services/model.h"
#include "server/services/oauth_redirect.h"
#include "server/services/public_url.h"
#include "server/services/setting.h"

/* A row named as the setting is published, for the member in lower case. */
#define SETTING(published, member, wanted, kind, ...)                                                                  \
        {                                                                                                              \
                .name = #published, .type = (kind),                                                                    \
                .offset = _Generic(((struct settings *)0)->member, wanted                                              \
                                   : offsetof(struct settings, member)),                                               \
                __VA_ARGS__                                                                                            \
        }
#define STRING(published, member, ...)                                                                                 \
        SETTING(published, member, const char *, FIELD_STRING, .is_nullable = true, __VA_ARGS__)
#define INTEGER(published, member, ...) SETTING(published, member, int64_t, FIELD_INTEGER, __VA_ARGS__)
#define BOOLEAN(published, member, ...) SETTING(published, member, bool, FIELD_BOOLEAN, __VA_ARGS__)

static const char *const spend_periods[] = {"day", "month", NULL};
static const char *const log_levels[] = {"debug", "info", "warning", "error", NULL};
static const char *const log_formats[] = {"text", "json", NULL};

static const char *const ingress_modes[] = {"listener", "main", NULL};

static bool is_engine_address(const char *value)
{
        return !strncmp(value, "unix:///", 8) && value[8];
}

static bool is_site_url(const char *value)
{
        const char *host = !strncmp(value, "https://", 8) ? value + 8 : !strncmp(value, "http://", 7) ? value + 7 : "";

        return *host && value[strlen(value) - 1] != '/' && !strpbrk(value, " \t\r\n\"<>?#");
}

static bool is_issuer(const char *value)
{
        struct url url;

        return url_parse(value, &url) && !url.user.at && !url.query.at && !url.fragment.at &&
               (url_part_is(&url.scheme, "https") || (url_part_is(&url.scheme, "http") && url_is_loopback(&url)));
}

static bool has_openid(const char *value)
{
        static const char word[] = "openid";

        for (const char *at = value; (at = strstr(at, word)); at++)
                if ((at == value || at[-1] == ' ') && (at[sizeof word - 1] == ' ' || !at[sizeof word - 1]))
                        return true;
        return false;
}

static bool is_absolute(const char *value)
{
        return *value == '/';
}

static const struct field rows[] = {
        STRING(HOST, host, .text_preset = "127.0.0.1", .minimum = 1, .maximum = 255, .is_late = true,
               .help = "Address to listen on; 0.0.0.0 or :: for all. At the next start."),
        INTEGER(PORT, port, .maximum = 65535, .preset = 3000, .is_late = true,
                .help = "Port to listen on; 0 takes a free one. At the next start."),
        STRING(DOCKER_HOST, docker_host, .text_preset = "unix:///var/run/docker.sock", .is_valid = is_engine_address,
               .shape = "unix:// and the path of a socket", .is_late = true,
               .help = "The Docker engine. At the next start."),
        BOOLEAN(MCP_SERVER_ENABLED, mcp_server_enabled, .help = "Whether POST /mcp answers."),
        BOOLEAN(MCP_OAUTH_ENABLED, mcp_oauth_enabled,
                .help = "Whether MCP clients may sign people in by OAuth. Needs an https SITE_URL, except on "
                        "loopback."),
        BOOLEAN(MCP_OAUTH_CLIENT_DOCUMENTS, mcp_oauth_client_documents, .preset = true,
                .help = "Whether an OAuth client may be one that publishes its metadata at a URL, which the server "
                        "then fetches. Switch it off where the server cannot reach the internet: clients register "
                        "then."),
        STRING(MCP_OAUTH_REDIRECT_HOSTS, mcp_oauth_redirect_hosts, .minimum = 1, .maximum = 4000,
               .is_valid = oauth_hosts_are_valid, .shape = "host names, or *. and one, a line or comma between them",
               .help = "Hosts that OAuth clients may send people back to, and that those may publish their metadata "
                       "on; `*.example.com` is every name below example.com. Loopback is always allowed. Default: "
                       "any."),
        INTEGER(MCP_OAUTH_FRESH_SIGN_IN_MINUTES, mcp_oauth_fresh_sign_in_minutes, .maximum = 43200,
                .help = "How long ago at most a person has to have signed in to approve an OAuth client; 0 for any "
                        "time."),
        STRING(MCP_PUBLIC_BASE_URL, mcp_public_base_url, .maximum = 500, .is_valid = public_url_is_origin,
               .shape = "scheme://host or scheme://host:port, without a path",
               .help = "The public address of the dedicated MCP listener: the endpoint, the discovery documents and "
                       "the token endpoints are published under it; by default under SITE_URL."),
        STRING(SITE_URL, site_url, .is_valid = is_site_url, .shape = "an http or https URL without a slash at its end",
               .help = "The server's address as people reach it; by default where it listens."),
        STRING(ALLOWED_ORIGINS, allowed_origins, .maximum = 4000,
               .help = "Origins that browsers may call from besides the site's own and loopback, with commas between."),
        STRING(OIDC_ISSUER, oidc_issuer, .maximum = 500, .is_valid = is_issuer,
               .shape = "an https URL without query or fragment, or an http one on loopback",
               .help = "The OpenID provider that people may sign in at, as it names itself; with OIDC_CLIENT_ID."),
        STRING(OIDC_CLIENT_ID, oidc_client_id, .minimum = 1, .maximum = 500,
               .help = "The server's id there; its redirect URI is SITE_URL/login/oidc/callback."),
        STRING(OIDC_CLIENT_SECRET, oidc_client_secret, .minimum = 1, .maximum = 2000, .format = "password",
               .help = "The server's secret there, kept sealed; none for a public client. Set it by "
                       "`setting secret`."),
        STRING(OIDC_SCOPES, oidc_scopes, .minimum = 6, .maximum = 500, .text_preset = "openid profile email",
               .is_valid = has_openid, .shape = "words with spaces between, one of them openid",
               .help = "What is asked for there."),
        STRING(OIDC_NAME_CLAIM, oidc_name_claim, .minimum = 1, .maximum = 64, .text_preset = "preferred_username",
               .help = "The claim that names a new user."),
        STRING(OIDC_ALLOWED_DOMAINS, oidc_allowed_domains, .minimum = 1, .maximum = 2000,
               .help = "Domains, with commas between: only people with a verified e-mail address in one of them are "
                       "let in. Default: everybody whom the provider lets in."),
        BOOLEAN(OIDC_CREATE_USERS, oidc_create_users,
                .help = "Whether somebody who is not known here becomes a user; otherwise an administrator links them "
                        "(`user link`)."),
        STRING(OIDC_DEFAULT_ROLE, oidc_default_role, .minimum = 1, .maximum = 64,
               .help = "The role that such a user gets at the server. Default: none."),
        BOOLEAN(OIDC_LINK_BY_EMAIL, oidc_link_by_email,
                .help = "Whether a verified e-mail address links somebody to the user of that very name. Otherwise "
                        "only issuer and subject say who somebody is."),
        STRING(TLS_CERTIFICATE_FILE, tls_certificate_file, .is_valid = is_absolute, .shape = "an absolute path",
               .help = "Certificate with its chain (PEM); with TLS_KEY_FILE both ports speak TLS (1.2, 1.3). The files "
                       "are read again on SIGHUP; whether there is TLS, at the next start."),
        STRING(TLS_KEY_FILE, tls_key_file, .is_valid = is_absolute, .shape = "an absolute path",
               .help = "The certificate's key (PEM, not encrypted)."),
        STRING(MCP_INGRESS_MODE, mcp_ingress_mode, .choices = ingress_modes, .is_late = true,
               .help = "`listener`: another port serves the MCP endpoint, its token and discovery endpoints, and "
                       "nothing else; `main`: none does. By default it is there when MCP_INGRESS_PORT is set. At the "
                       "next start."),
        INTEGER(MCP_INGRESS_PORT, mcp_ingress_port, .maximum = 65535, .is_late = true,
                .help = "Port of the dedicated MCP listener; 0 for none, or 3004 with MCP_INGRESS_MODE=listener. At "
                        "the next start."),
        STRING(MCP_INGRESS_HOST, mcp_ingress_host, .minimum = 1, .maximum = 255, .is_late = true,
               .help = "Address that it listens on; by default HOST. At the next start."),
        INTEGER(APP_PROXY_PORT, app_proxy_port, .maximum = 65535, .is_late = true,
                .help = "Port through which people reach the application servers of tasks, each at an origin of its "
                        "own; 0 for none. At the next start."),
        STRING(APP_PROXY_HOST, app_proxy_host, .minimum = 1, .maximum = 255, .is_late = true,
               .help = "Address that it listens on; by default HOST. At the next start."),
        STRING(APP_PROXY_BASE_URL, app_proxy_base_url, .maximum = 500, .is_valid = is_site_url,
               .shape = "an http or https URL without a slash at its end", .is_late = true,
               .help = "Its address as people reach it, of another host than SITE_URL: each application is at "
                       "TASK.HOST, so all names below that host must lead here (and the certificate hold for them). By "
                       "default localhost, for browsers on the same machine. At the next start."),
        INTEGER(APP_PROXY_CONNECTIONS, app_proxy_connections, .minimum = 8, .maximum = 4096, .preset = 256,
                .is_late = true, .help = "Connections to it at once. At the next start."),
        STRING(TRUSTED_PROXIES, trusted_proxies, .maximum = 4000, .is_late = true,
               .help = "Addresses and networks of proxies, with commas between, whose X-Forwarded-For and "
                       "X-Forwarded-Proto are believed. At the next start."),
        INTEGER(CONNECTIONS_MAXIMUM, connections_maximum, .minimum = 16, .maximum = 1000000, .preset = 4096,
                .is_late = true, .help = "Connections at once, for each port. At the next start."),
        INTEGER(CONNECTIONS_PER_ADDRESS, connections_per_address, .maximum = 1000000, .preset = 512, .is_late = true,
                .help = "Connections from one address (of IPv6, a /64 network) for each port; 0 for any number. "
                        "127.0.0.1, ::1 and trusted proxies may have more. At the next start."),
        INTEGER(REQUEST_TIMEOUT_SECONDS, request_timeout_seconds, .minimum = 1, .maximum = 600, .preset = 30,
                .is_late = true,
                .help = "The longest that a request's headers, and then its body, may take to arrive; a body of 16 KB "
                        "a second or more may take longer. At the next start."),
        INTEGER(IDLE_TIMEOUT_SECONDS, idle_timeout_seconds, .minimum = 1, .maximum = 3600, .preset = 60,
                .is_late = true,
                .help = "The longest that a connection may be silent between requests. At the next start."),
        INTEGER(RATE_LIMIT_KEY, rate_limit_key, .maximum = 1000000000, .preset = 12000,
                .help = "Requests a minute with one API key, session or grant; more are 429. 0 for any number."),
        INTEGER(RATE_LIMIT_USER, rate_limit_user, .maximum = 1000000000, .preset = 24000,
                .help = "The same for all credentials of one user."),
        INTEGER(RATE_LIMIT_ADDRESS, rate_limit_address, .maximum = 1000000000, .preset = 6000,
                .help = "The same for requests of one address without a credential, or with a wrong one."),
        INTEGER(JSON_DEPTH_MAXIMUM, json_depth_maximum, .minimum = 8, .maximum = 64, .preset = 64,
                .help = "How deep objects and arrays of a request may be nested."),
        INTEGER(JSON_VALUES_MAXIMUM, json_values_maximum, .minimum = 1000, .maximum = 10000000, .preset = 100000,
                .help = "How many values a request's JSON may hold."),
        INTEGER(JSON_NAME_MAXIMUM, json_name_maximum, .minimum = 64, .maximum = 65536, .preset = 1024,
                .help = "The longest name of a member in it, in bytes."),
        STRING(SETUP_FOLDER, setup_folder, .is_valid = is_absolute, .shape = "an absolute path", .is_late = true,
               .help = "Where environments/NAME/environment.json lie; by default `setup` in the data folder. At the "
                       "next start."),
        STRING(AGENTS_FOLDER, agents_folder, .is_valid = is_absolute, .shape = "an absolute path",
               .help = "Where the agents' programs are; by default `agents` in the data folder."),
        STRING(LOG_LEVEL, log_level, .choices = log_levels, .text_preset = "info", .is_late = true,
               .help = "The least level that is logged. At the next start."),
        STRING(LOG_FORMAT, log_format, .choices = log_formats, .text_preset = "text", .is_late = true,
               .help = "Text, or one JSON object a line. At the next start."),
        INTEGER(TASK_CONCURRENCY, task_concurrency, .minimum = 1, .maximum = 1000, .preset = 8,
                .help = "Tasks that run at once; others wait in a queue."),
        INTEGER(TASK_CONCURRENCY_PER_USER, task_concurrency_per_user, .maximum = 1000,
                .help = "Tasks of one person that run at once; 0 for as many as there are slots."),
        INTEGER(TASK_CONCURRENCY_PER_ENVIRONMENT, task_concurrency_per_environment, .maximum = 1000,
                .help = "Tasks of one environment that run at once, where it sets no other limit; 0 for any number."),
        INTEGER(TASK_CONCURRENCY_PER_AGENT, task_concurrency_per_agent, .maximum = 1000,
                .help = "Tasks with the same agent that run at once; 0 for any number."),
        INTEGER(ACCOUNT_LIMIT_MINUTES, account_limit_minutes, .minimum = 1, .maximum = 360, .preset = 15,
                .help = "How long nothing is started on a provider account after a usage limit whose end the provider "
                        "did not tell; doubled for each further one."),
        STRING(SPEND_PERIOD, spend_period, .choices = spend_periods, .text_preset = "month",
               .help = "What spend limits of users and environments count: the present day or month (UTC)."),
        INTEGER(SPEND_LIMIT_USER_USD, spend_limit_user_usd, .maximum = 1000000,
                .help = "US dollars in a period beyond which a person's turns do not start; 0 for no limit."),
        INTEGER(SPEND_LIMIT_ENVIRONMENT_USD, spend_limit_environment_usd, .maximum = 1000000,
                .help = "The same for an environment that sets no other limit."),
        INTEGER(SPEND_LIMIT_TASK_USD, spend_limit_task_usd, .maximum = 1000000,
                .help = "US dollars that one task may cost before it takes no further turn; 0 for no limit."),
        INTEGER(AGENT_UID, agent_uid, .minimum = 1, .maximum = 4294967294, .preset = 64500, .is_late = true,
                .help = "User and group id that agents run as and that own workspaces; one that no person has. At the "
                        "next start."),
        INTEGER(STOP_GRACE_SECONDS, stop_grace_seconds, .minimum = 1, .maximum = 20, .preset = 5,
                .help = "Time between the polite and the final signal when a turn is stopped."),
        INTEGER(IDLE_STOP_MINUTES, idle_stop_minutes, .minimum = 1, .maximum = 525600, .preset = 120,
                .help = "After this time without a turn a task's container is stopped."),
        INTEGER(IDLE_STOP_PINNED_MINUTES, idle_stop_pinned_minutes, .minimum = 1, .maximum = 525600, .preset = 2880,
                .help = "The same for pinned tasks."),
        INTEGER(REMOVE_STOPPED_HOURS, remove_stopped_hours, .minimum = 1, .maximum = 87600, .preset = 168,
                .help = "After this time a stopped container is removed; the next turn makes it again."),
        INTEGER(REMOVE_WORKSPACE_HOURS, remove_workspace_hours, .minimum = 1, .maximum = 876000, .preset = 720,
                .help = "After this time without a turn the workspace of a task that nobody has pinned is removed, "
                        "with what was not pushed from it."),
        INTEGER(REMOVE_UNUSED_DAYS, remove_unused_days, .minimum = 1, .maximum = 36500, .preset = 90,
                .help = "After so many days without use what nothing names any more is removed: the mirror of a "
                        "repository of no environment, a version of the runner or of an agent's program that is "
                        "not current and that no container has, the registration of an OAuth client that nobody has a "
                        "grant for, and what is kept of reviews that ended, of tasks that ended as long ago or are "
                        "gone."),
        INTEGER(GIT_TIMEOUT_SECONDS, git_timeout_seconds, .minimum = 1, .maximum = 3600, .preset = 120,
                .help = "The longest that one exchange with a git remote may take."),
        INTEGER(GIT_MEMORY_MEGABYTES, git_memory_megabytes, .minimum = 64, .maximum = 65536, .preset = 1024,
                .help = "Memory limit of a git worker process."),
        INTEGER(CHANGES_SECONDS, changes_seconds, .minimum = 1, .maximum = 600, .preset = 60,
                .help = "The longest that git in a container may take to hand out what a turn changed."),
        INTEGER(CHANGES_MEGABYTES, changes_megabytes, .minimum = 1, .maximum = 1024, .preset = 64,
                .help = "The largest pack of what a turn changed in one repository; beyond it nothing but names is "
                        "saved."),
        INTEGER(CHANGES_FILE_MEGABYTES, changes_file_megabytes, .minimum = 1, .maximum = 1024, .preset = 32,
                .help = "A changed file that is larger is named only."),
        INTEGER(CHANGES_FILES, changes_files, .minimum = 1, .maximum = 1000000, .preset = 20000,
                .help = "So many files that git has to read anew are taken of one repository; of more, nothing but "
                        "names is saved."),
        STRING(GIT_CREDENTIALS_FILE, git_credentials_file, .is_valid = is_absolute, .shape = "an absolute path",
               .help = "Lines https://USER:TOKEN@HOST for git remotes; by default `git-credentials` in the data "
                       "folder."),
        STRING(CODEX_SPEED, codex_speed, .choices = model_speeds, .text_preset = "standard",
               .help = "The fastest speed that a Codex task may choose; an environment may allow less."),
        INTEGER(ATTACHMENT_BODY_MEGABYTES, attachment_body_megabytes, .minimum = 1, .maximum = 72, .preset = 72,
                .help = "The largest request body of the tools that take attachments."),
        INTEGER(UPLOAD_MEGABYTES, upload_megabytes, .minimum = 1, .maximum = 102400, .preset = 1024,
                .help = "The largest file that POST /uploads takes."),
        INTEGER(UPLOAD_PERSON_MEGABYTES, upload_person_megabytes, .minimum = 1, .maximum = 1024000, .preset = 4096,
                .help = "What a person's uploads that no submission took may have together."),
        INTEGER(UPLOAD_HOURS, upload_hours, .minimum = 1, .maximum = 8760, .preset = 24,
                .help = "After this time an upload that no submission took is removed."),
        INTEGER(UPLOADS_AT_ONCE, uploads_at_once, .minimum = 1, .maximum = 256, .preset = 8, .is_late = true,
                .help = "Uploads and other requests of more than a megabyte that are served at once; more are told to "
                        "come again. At the next start."),
        INTEGER(SESSION_IDLE_MINUTES, session_idle_minutes, .minimum = 1, .maximum = 525600, .preset = 720,
                .help = "A web session ends when it is not used for so long."),
        INTEGER(SESSION_HOURS, session_hours, .minimum = 1, .maximum = 8760, .preset = 168,
                .help = "A web session ends so long after the login, however much it is used."),
        INTEGER(WORKER_THREADS, worker_threads, .minimum = 1, .maximum = 64, .preset = 8, .is_late = true,
                .help = "Threads for work that blocks (Docker, git). At the next start."),
        INTEGER(HTTP_THREADS, http_threads, .maximum = 64, .is_late = true,
                .help = "Threads that serve HTTP; 0 for one per processor, at most 4. At the next start."),
        INTEGER(BODY_MAXIMUM_KILOBYTES, body_maximum_kilobytes, .minimum = 16, .maximum = 1048576, .preset = 1024,
                .is_late = true, .help = "The largest request body, where a route sets no other. At the next start."),
};

const struct field_table settings_table = {
        .name = "settings", .rows = rows, .count = COUNT_OF(rows), .size = sizeof(struct settings)};
