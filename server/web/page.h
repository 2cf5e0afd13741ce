/* The web page: static files from inside the program, compressed beforehand.
 *
 * The page is one HTML document for every address of its own (/, /task.html ...); scripts and styles lie below /assets
 * under names with a hash of their content, which never change and are kept by browsers for ever. Every answer carries
 * a Content-Security-Policy under which nothing but these files runs, and nothing is fetched from elsewhere. */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include "server/http/request.h"

/* Answers with the document. */
void page_document(struct http_request *request);
/* Answers with the file of /assets that `*name` names. */
void page_asset(struct http_request *request);
/* Answers to a path that no route has: with the document for NAME.html, which is one of its views, and for who asks for
 * HTML (with 404 then). Otherwise it leaves the request alone. */
void page_missing(struct http_request *request);

#endif
