#include "server/web/page.h"

#include <string.h>

#include "server/base/text.h"
#include "server/web/coding.h"
#include "server/web/files.h"

/* Only the page's own files, no inline script or style, no plug-ins, no frames around it, and no HTML from strings. */
#define CONTENT_POLICY                                                                                                 \
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src "       \
        "'self'; "                                                                                                     \
        "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "                           \
        "require-trusted-types-for 'script'; trusted-types 'none'"
#define FOR_EVER "public, max-age=31536000, immutable"

static const char not_built[] =
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Longshore</title>\n"
        "<h1>Longshore</h1>\n"
        "<p>This server runs, but it was built without its web page, because Node.js was not there.</p>\n"
        "<p>Run <code>packaging/packages web &amp;&amp; packaging/web</code> and build it again. The MCP server and "
        "the "
        "REST routes (<a href=\"/reference\">reference</a>) work without it.</p>\n</html>\n";

static const struct {
        const char *ending, *type;
} types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".woff2", "font/woff2"},
        {".png", "image/png"},
        {".txt", "text/plain; charset=utf-8"},
        {".webmanifest", "application/manifest+json"},
};

static const char *type_of(const char *name)
{
        const char *ending = strrchr(name, '.');

        for (size_t i = 0; ending && i < sizeof types / sizeof *types; i++)
                if (!strcmp(ending, types[i].ending))
                        return types[i].type;
        return "application/octet-stream";
}

static const struct page_file *find(const char *folder, const char *name)
{
        size_t length = strlen(folder);

        for (const struct page_file *file = page_files; file->name; file++)
                if (!strncmp(file->name, folder, length) && !strcmp(file->name + length, name))
                        return file;
        return NULL;
}

static void add_policy(struct http_request *request)
{
        http_request_add_header(request, "Content-Security-Policy", CONTENT_POLICY);
        http_request_add_header(request, "Referrer-Policy", "no-referrer");
        http_request_add_header(request, "Cross-Origin-Opener-Policy", "same-origin");
        http_request_add_header(request, "Cross-Origin-Resource-Policy", "same-origin");
}

static void answer(struct http_request *request, unsigned status, const struct page_file *file)
{
        enum page_coding coding = page_coding_choose(http_request_header(request, "Accept-Encoding"), file);
        const struct page_bytes *bytes = &file->coded[coding];
        const char *name = page_coding_name(coding);
        /* Each form is a representation of its own (RFC 9110, section 8.8.3.3). */
        auto_free char *tag = text_format(name ? "\"%s-%s\"" : "\"%s\"", file->tag, name);

        add_policy(request);
        http_request_add_header(request, "Cache-Control", file->is_immutable ? FOR_EVER : "no-cache");
        http_request_add_header(request, "Vary", "Accept-Encoding");
        http_request_add_header(request, "ETag", tag);
        if (name)
                http_request_add_header(request, "Content-Encoding", name);
        /* A 304 goes out without the bytes; its Content-Length is theirs (RFC 9110, section 8.6). */
        if (status == 200 && page_tag_matches(http_request_header(request, "If-None-Match"), tag))
                status = 304;
        http_respond_static(request, status, type_of(file->name), bytes->bytes, (size_t)(bytes->end - bytes->bytes));
}

static void answer_document(struct http_request *request, unsigned status)
{
        const struct page_file *file = find("", "index.html");

        if (file) {
                answer(request, status, file);
                return;
        }
        add_policy(request);
        http_request_add_header(request, "Cache-Control", "no-cache");
        http_respond_static(request, status, "text/html; charset=utf-8", not_built, sizeof not_built - 1);
}

void page_document(struct http_request *request)
{
        answer_document(request, 200);
}

void page_asset(struct http_request *request)
{
        const struct page_file *file = find("assets/", http_request_param(request, "name"));
        auto_error error = {0};

        if (file) {
                answer(request, 200, file);
                return;
        }
        /* A page from before an update asks for files that are gone: it loads itself anew. */
        error_set(&error, ERROR_NOT_FOUND, "The web page has no such file; load it again.");
        http_respond_error(request, &error);
}

/* "/NAME.html" of one segment. */
static bool is_view(const char *path)
{
        size_t length = strlen(path);

        return length > 6 && !strcmp(path + length - 5, ".html") && !strchr(path + 1, '/');
}

void page_missing(struct http_request *request)
{
        const char *method = http_request_method(request), *accepted = http_request_header(request, "Accept");

        if (strcmp(method, "GET") && strcmp(method, "HEAD"))
                return;
        if (is_view(http_request_path(request)))
                answer_document(request, 200);
        else if (accepted && strstr(accepted, "text/html"))
                answer_document(request, 404);
}
