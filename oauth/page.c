#include "oauth/page.h"

#include <inttypes.h>
#include <string.h>

#include "oauth/door.h"
#include "server/base/document.h"
#include "server/base/form.h"
#include "server/services/oauth_redirect.h"

#define PAGE_MAXIMUM 262144
#define HTML "text/html; charset=utf-8"

static const char style[] =
        ":root{color-scheme:light dark}*{box-sizing:border-box}"
        "body{margin:0;font:16px/1.5 system-ui,sans-serif;background:#f3f4f6;color:#16202c}"
        "main{max-width:27rem;margin:8vh auto;padding:2rem;background:#fff;border:1px solid #d7dce2;border-radius:10px}"
        "h1{font-size:1.3rem;margin:0 0 1rem}p,ul{margin:0 0 1rem}ul{padding-left:1.2rem}"
        "label{display:block;margin:0 0 .8rem;font-weight:600}"
        "input{display:block;width:100%;margin-top:.2rem;padding:.55rem;font:inherit;border:1px solid "
        "#8b96a5;border-radius:6px}"
        "button,.button{display:inline-block;padding:.55rem 1.1rem;font:inherit;font-weight:600;border-radius:6px;"
        "border:1px solid #8b96a5;background:none;color:inherit;text-decoration:none;cursor:pointer}"
        "button.main{background:#1e5ad7;border-color:#1e5ad7;color:#fff}.fault{color:#b42318;font-weight:600}"
        ".note{color:#55606e;font-size:.9rem}strong{overflow-wrap:anywhere}"
        "@media(prefers-color-scheme:dark){body{background:#10151b;color:#e7ebf0}main{background:#1a2129;"
        "border-color:#323c48}.note{color:#a2adba}.fault{color:#ff8a7a}}";

void oauth_style(struct http_request *request)
{
        http_request_add_header(request, "Cache-Control", "public, max-age=300");
        http_respond_static(request, 200, "text/css; charset=utf-8", style, sizeof style - 1);
}

static void put_escaped(struct text *out, const char *text)
{
        for (; *text; text++) {
                switch (*text) {
                case '&':
                        text_append_string(out, "&amp;");
                        break;
                case '<':
                        text_append_string(out, "&lt;");
                        break;
                case '>':
                        text_append_string(out, "&gt;");
                        break;
                case '"':
                        text_append_string(out, "&quot;");
                        break;
                case '\'':
                        text_append_string(out, "&#39;");
                        break;
                default:
                        text_append(out, text, 1);
                }
        }
}

/* Appends the format; each '@' stands for the next of the strings, escaped. */
static void put(struct text *out, const char *format, ...)
{
        va_list strings;

        va_start(strings, format);
        for (const char *at = format; *at; at++)
                if (*at == '@')
                        put_escaped(out, va_arg(strings, const char *));
                else
                        text_append(out, at, 1);
        va_end(strings);
}

static void begin(struct text *out, const char *title)
{
        put(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<title>@ - Longshore</title>\n<link rel=\"stylesheet\" href=\"/mcp/oauth/style.css\">\n</head>\n"
            "<body>\n<main>\n<h1>@</h1>\n",
            title, title);
}

/* Sends the page. `redirect_uri` is where its forms may lead besides this server. */
static void send(struct http_request *request, unsigned status, const char *redirect_uri, struct text *out)
{
        auto_error ignored = {0};
        bool is_known = redirect_uri && oauth_redirect_check(redirect_uri, &ignored);
        auto_free char *source = is_known ? oauth_redirect_source(redirect_uri) : text_copy("");
        auto_free char *policy = text_format("default-src 'none'; style-src 'self'; form-action 'self' %s; "
                                             "frame-ancestors 'none'; base-uri 'none'",
                                             source);

        put(out, "</main>\n</body>\n</html>\n");
        http_request_add_header(request, "Content-Security-Policy", policy);
        http_request_add_header(request, "X-Frame-Options", "DENY");
        http_request_add_header(request, "Referrer-Policy", "no-referrer");
        size_t length = out->length;
        http_respond(request, status, HTML, text_take(out), length);
}

void page_error(struct http_request *request, const struct error *error)
{
        auto_text out = TEXT_WITH_MAXIMUM(PAGE_MAXIMUM);
        int64_t seconds = document_get_integer(error->details, "retryAfterSeconds", 0);

        if (seconds) {
                auto_free char *value = text_format("%" PRId64, seconds);
                http_request_add_header(request, "Retry-After", value);
        }
        begin(&out, "This cannot go on");
        put(&out,
            "<p class=\"fault\">@</p>\n<p class=\"note\">Start the connection again from the program that sent you "
            "here.</p>\n",
            error->message);
        int status = error_kind(error->code)->status;
        send(request, status == 401 ? 400 : (unsigned)status, NULL, &out);
}

void page_sign_in(struct http_request *request, unsigned status, const struct page_sign_in *page)
{
        auto_text out = TEXT_WITH_MAXIMUM(PAGE_MAXIMUM);

        begin(&out, page->is_again ? "Sign in again" : "Sign in");
        if (page->message)
                put(&out, "<p class=\"fault\">@</p>\n", page->message);
        put(&out, page->is_again ? "<p>Approving a program needs a fresh sign-in.</p>\n"
                                 : "<p>A program asks to be connected to Longshore.</p>\n");
        put(&out,
            "<form method=\"post\" action=\"/mcp/oauth/sign-in\">\n"
            "<input type=\"hidden\" name=\"query\" value=\"@\">\n"
            "<label>User<input name=\"user\" value=\"@\" autocomplete=\"username\" required maxlength=\"64\"></label>\n"
            "<label>Password<input name=\"password\" type=\"password\" autocomplete=\"current-password\" required "
            "maxlength=\"256\"></label>\n",
            page->query, page->user ? page->user : "");
        if (page->needs_code)
                put(&out, "<label>Code of your authenticator app<input name=\"code\" inputmode=\"numeric\" "
                          "autocomplete=\"one-time-code\" required maxlength=\"64\"></label>\n");
        put(&out, "<button class=\"main\">Sign in</button>\n</form>\n");
        if (page->sso)
                put(&out, "<p><a class=\"button\" href=\"@\">Sign in with SSO</a></p>\n", page->sso);
        send(request, status, page->redirect_uri, &out);
}

static void put_client(struct text *out, const struct oauth_request *asked)
{
        const struct oauth_client *client = &asked->client;
        auto_free char *host = oauth_redirect_shown(asked->redirect_uri);

        put(out, "<p><strong>@</strong> asks to use Longshore in your name.</p>\n",
            *client->name ? client->name : "A program without a name");
        put(out, "<p>You will be sent back to <strong>@</strong>.</p>\n", host);
        if (client->document_host)
                put(out, "<p class=\"note\">It is described at @.</p>\n", client->id);
        else
                put(out, "<p class=\"note\">Any program can call itself so: go on only if you have just begun this "
                         "yourself and know the address.</p>\n");
}

void page_consent(struct http_request *request, const struct page_consent *page)
{
        auto_text out = TEXT_WITH_MAXIMUM(PAGE_MAXIMUM);
        auto_free char *issued = text_format("%" PRId64, page->issued_at);

        begin(&out, "Connect a program");
        put_client(&out, page->asked);
        put(&out, "<p>It will be able to, as far as your roles allow:</p>\n<ul>\n"
                  "<li>see environments, tasks, what agents reply and the files they leave</li>\n"
                  "<li>create, continue, stop and change tasks</li>\n"
                  "<li>use every other tool of the MCP endpoint that you may use</li>\n</ul>\n"
                  "<p class=\"note\">It stays connected until you revoke it, or until it has not been used for 30 "
                  "days.</p>\n");
        put(&out,
            "<p class=\"note\">Signed in as @.</p>\n<form method=\"post\" action=\"/mcp/oauth/consent\">\n"
            "<input type=\"hidden\" name=\"query\" value=\"@\">\n"
            "<input type=\"hidden\" name=\"issued_at\" value=\"@\">\n"
            "<input type=\"hidden\" name=\"ticket\" value=\"@\">\n"
            "<button class=\"main\" name=\"decision\" value=\"approve\">Approve</button>\n"
            "<button name=\"decision\" value=\"deny\">Deny</button>\n</form>\n",
            page->person, page->query, issued, page->ticket);
        send(request, 200, page->asked->redirect_uri, &out);
}
