/* Pages that this server renders itself, for sign-in without scripts: plain HTML, never framed, with nothing from
 * elsewhere. */
#ifndef REST_HTML_H
#define REST_HTML_H

#include "server/base/text.h"
#include "server/http/request.h"

#define HTML_MAXIMUM 65536

/* Appends text with the characters that mean something in HTML quoted. */
void html_escape(struct text *out, const char *text);
/* Answers with a page of the title and the body, which is HTML already. */
void html_respond(struct http_request *request, unsigned status, const char *title, const struct text *body);
/* Answers with a page that says what went wrong, and a link to go on with. */
void html_refuse(struct http_request *request, const struct error *error, const char *link, const char *link_text);
/* Sends the browser there with a GET (303). */
void html_redirect(struct http_request *request, const char *to);
/* The stylesheet of these pages, at HTML_STYLE_PATH. */
#define HTML_STYLE_PATH "/login/style.css"
void html_style(struct http_request *request);

#endif
