/* The pages that people see. Plain HTML without scripts; everything that is filled in is escaped. */
#ifndef OAUTH_PAGE_H
#define OAUTH_PAGE_H

#include "server/http/request.h"
#include "server/services/oauth_consent.h"

/* What a sign-in page is for. */
struct page_sign_in {
        const char *query;        /* of the request that goes on afterwards */
        const char *message;      /* why the last attempt failed; NULL for none */
        const char *user;         /* filled in; NULL for nothing */
        bool needs_code;          /* of an authenticator app */
        bool is_again;            /* somebody is signed in, but not freshly enough */
        const char *sso;          /* path at which the OpenID provider is asked; NULL where none is */
        const char *redirect_uri; /* where a form may lead in the end, NULL when it is not known */
};
void page_sign_in(struct http_request *request, unsigned status, const struct page_sign_in *page);

struct page_consent {
        const struct oauth_request *asked;
        const char *person, *query, *ticket;
        int64_t issued_at;
};
void page_consent(struct http_request *request, const struct page_consent *page);

/* A page that says what went wrong, with the error's status. */
void page_error(struct http_request *request, const struct error *error);

#endif
