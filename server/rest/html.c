#include "server/rest/html.h"

#include <string.h>

#include "server/base/document.h"

static const char style[] =
        ":root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}"
        "body{margin:0;display:grid;min-height:100vh;place-items:center;background:Canvas;color:CanvasText}"
        "main{box-sizing:border-box;width:min(28rem,100%);padding:2rem}"
        "h1{font-size:1.4rem;margin:0 0 1rem}label{display:block;margin:1rem 0 .3rem}"
        "input{box-sizing:border-box;width:100%;font:inherit;padding:.5rem}"
        "button{font:inherit;padding:.5rem 1rem;margin:1rem .5rem 0 0;cursor:pointer}"
        ".code{font:1.4rem ui-monospace,monospace;letter-spacing:.1em;text-transform:uppercase}"
        ".fault{border-left:.25rem solid #c33;padding-left:.75rem}";

void html_style(struct http_request *request)
{
        http_request_add_header(request, "Cache-Control", "public, max-age=3600");
        http_respond_static(request, 200, "text/css; charset=utf-8", style, sizeof style - 1);
}

void html_escape(struct text *out, const char *text)
{
        static const char *const quoted[] = {
                ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};

        for (; *text; text++) {
                unsigned char letter = (unsigned char)*text;
                if (letter < COUNT_OF(quoted) && quoted[letter])
                        text_append_string(out, quoted[letter]);
                else
                        text_append(out, text, 1);
        }
}

void html_respond(struct http_request *request, unsigned status, const char *title, const struct text *body)
{
        auto_text page = TEXT_WITH_MAXIMUM(HTML_MAXIMUM + 4096);

        text_append_string(&page, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
                                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>");
        html_escape(&page, title);
        text_append_string(&page, " - Longshore</title><link rel=\"stylesheet\" href=\"" HTML_STYLE_PATH
                                  "\"></head><body><main><h1>");
        html_escape(&page, title);
        text_append_string(&page, "</h1>");
        text_append(&page, text_string(body), body->length);
        text_append_string(&page, "</main></body></html>\n");
        http_request_add_header(request, "Content-Security-Policy",
                                "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; "
                                "base-uri 'none'");
        http_request_add_header(request, "X-Frame-Options", "DENY");
        http_request_add_header(request, "Referrer-Policy", "same-origin");
        size_t length = page.length;
        http_respond(request, status, "text/html; charset=utf-8", text_take(&page), length);
}

void html_refuse(struct http_request *request, const struct error *error, const char *link, const char *link_text)
{
        auto_text body = TEXT_WITH_MAXIMUM(HTML_MAXIMUM);
        int64_t seconds = document_get_integer(error->details, "retryAfterSeconds", 0);

        if (seconds) {
                auto_free char *value = text_format("%lld", (long long)seconds);
                http_request_add_header(request, "Retry-After", value);
        }
        text_append_string(&body, "<p class=\"fault\">");
        html_escape(&body, error->message);
        text_append_string(&body, "</p><p><a href=\"");
        html_escape(&body, link);
        text_append_string(&body, "\">");
        html_escape(&body, link_text);
        text_append_string(&body, "</a></p>");
        html_respond(request, (unsigned)error_kind(error->code)->status, "This did not work", &body);
}

void html_redirect(struct http_request *request, const char *to)
{
        http_request_add_header(request, "Location", to);
        http_respond(request, 303, NULL, NULL, 0);
}
