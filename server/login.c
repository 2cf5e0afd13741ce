#include "server/login.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/base/url.h"
#include "server/cli.h"
#include "server/http/fetch.h"

#define ANSWER_MAXIMUM 65536
#define ANSWER_MS 30000
#define INTERVAL_SECONDS 5
#define INTERVAL_MAXIMUM 60
/* A server that is not reached is asked again until the code has expired. */
#define EXPIRES_SECONDS 600

static bool is_server(const char *text)
{
        struct url url;

        return url_parse(text, &url) && !url.user.at && !url.query.at && !url.fragment.at && url.path.length <= 1 &&
               (url_part_is(&url.scheme, "https") || (url_part_is(&url.scheme, "http") && url_is_loopback(&url)));
}

static const struct field rows[] = {
        STRING_FIELD(struct login_input, server, .is_required = true, .minimum = 1, .maximum = 500,
                     .is_valid = is_server, .shape = "an https address without a path, or an http one on loopback",
                     .help = "The server's address."),
        STRING_FIELD(struct login_input, name, .minimum = 1, .maximum = 100,
                     .help = "What the key is for; this machine's name when left out."),
        STRING_FIELD(struct login_input, output, .minimum = 1, .maximum = 4000, .format = "path",
                     .help = "The file to store it in; ~/.config/longshore/login.json when left out."),
};
const struct field_table login_table = FIELD_TABLE(struct login_input, rows);

/* The server's answer to one POST; a refusal is an answer too. NULL when there was none. */
static json_t *post(const char *server, const char *path, json_t *body, unsigned *status, struct error *error)
{
        auto_json *owned = body;
        auto_free char *printed = document_print(owned);
        size_t length = strlen(server);
        auto_free char *url = text_format("%.*s%s", (int)(length - (server[length - 1] == '/')), server, path);
        auto_http_fetched fetched = {0};
        const struct http_fetch wanted = {.url = url,
                                          .body = printed,
                                          .content_type = "application/json",
                                          .maximum = ANSWER_MAXIMUM,
                                          .timeout_ms = ANSWER_MS,
                                          .allows_http = true};

        if (!http_fetch(&wanted, &fetched, error))
                return NULL;
        *status = fetched.status;
        json_t *answer = document_parse(fetched.body, fetched.length, error);
        secret_wipe(fetched.body, fetched.length);
        if (!answer)
                error_prefix(error, "%s is no Longshore server", server);
        return answer;
}

static bool refused(const json_t *answer, struct error *error)
{
        const char *message = document_get_string(answer, "message");

        return error_set(error, ERROR_UNAUTHENTICATED, "%.500s",
                         message ? message : "the server refused without a reason");
}

/* Asks once. *made is the answer with the key; without it and without an error it has to be asked again. */
static bool ask_once(const char *server, const char *code, int64_t *interval, json_t **made, struct error *error)
{
        unsigned status = 0;
        auto_error unreached = {0};
        auto_json *answer = post(server, "/device/token", json_pack("{s:s}", "device_code", code), &status, &unreached);

        const char *reason = document_get_string(answer, "error");
        if (status == 200 && document_get_string(answer, "access_token")) {
                *made = take(answer);
                return true;
        }
        if (reason && !strcmp(reason, "slow_down") && *interval < INTERVAL_MAXIMUM)
                *interval += INTERVAL_SECONDS;
        bool is_waiting = !answer || status >= 429 ||
                          (reason && (!strcmp(reason, "authorization_pending") || !strcmp(reason, "slow_down")));
        return is_waiting || refused(answer, error);
}

static json_t *wait_for_key(const char *server, const json_t *begun, struct error *error)
{
        int64_t interval = document_get_integer(begun, "interval", INTERVAL_SECONDS);
        int64_t until = clock_monotonic() + document_get_integer(begun, "expires_in", EXPIRES_SECONDS) * 1000;
        json_t *made = NULL;

        if (interval < 1 || interval > INTERVAL_MAXIMUM)
                interval = INTERVAL_SECONDS;
        while (!made) {
                nanosleep(&(struct timespec){.tv_sec = (time_t)interval}, NULL);
                if (clock_monotonic() > until) {
                        error_set(error, ERROR_DEVICE_EXPIRED, "nobody allowed it in time; begin again");
                        return NULL;
                }
                if (!ask_once(server, document_get_string(begun, "device_code"), &interval, &made, error))
                        return NULL;
        }
        return made;
}

static char *usual_output(void)
{
        const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
        auto_free char *base =
                config && *config == '/' ? text_copy(config) : text_format("%s/.config", home ? home : "");

        return text_format("%s/longshore/login.json", base);
}

static bool store_key(const char *path, const char *server, const json_t *made, struct error *error)
{
        auto_free char *folder = text_format("%.*s", (int)(strrchr(path, '/') - path), path);
        auto_json *document = json_pack("{s:s, s:s?, s:s}", "server", server, "user", document_get_string(made, "user"),
                                        "key", document_get_string(made, "access_token"));
        auto_free char *printed = document_print(document);
        size_t length = strlen(printed);

        bool is_stored =
                (!*folder || path_make_folder(folder, 0700, error)) && path_write(path, printed, length, 0600, error);
        secret_wipe(printed, length);
        return is_stored;
}

static json_t *begin(const char *server, const char *name, struct error *error)
{
        char host[65] = "a machine without a name";
        unsigned status = 0;

        if (!name)
                gethostname(host, sizeof host - 1);
        json_t *begun = post(server, "/device/code", json_pack("{s:s}", "name", name ? name : host), &status, error);
        if (!begun || (status == 200 && document_get_string(begun, "device_code")))
                return begun;
        refused(begun, error);
        json_decref(begun);
        return NULL;
}

/* The server's words go to a terminal: only what its codes and addresses are made of. */
static void show(const char *label, const char *text)
{
        fprintf(stderr, "%s", label);
        for (; text && *text; text++)
                if (*text > ' ' && *text < 0x7f)
                        fputc(*text, stderr);
        fputc('\n', stderr);
}

int login_run(const struct config *config)
{
        const char *server = document_get_string(config->arguments, "server"),
                   *output = document_get_string(config->arguments, "output");
        auto_free char *path = output ? text_copy(output) : usual_output();
        auto_error error = {0};
        auto_json *begun = begin(server, document_get_string(config->arguments, "name"), &error);

        if (!begun)
                return cli_fail(config, &error);
        show("Open in a browser:  ", document_get_string(begun, "verification_uri_complete"));
        show("and compare the code:  ", document_get_string(begun, "user_code"));
        auto_json *made = wait_for_key(server, begun, &error);
        if (!made || !store_key(path, server, made, &error))
                return cli_fail(config, &error);
        show("Signed in as ", document_get_string(made, "user"));
        printf("%s\n", path);
        return 0;
}
