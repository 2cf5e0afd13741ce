/* A person's consent: who is asked, with what form, and what follows. */
#ifndef SERVICES_OAUTH_CONSENT_H
#define SERVICES_OAUTH_CONSENT_H

#include "server/services/oauth_request.h"
#include "server/services/oauth_secret.h"

#define OAUTH_CONSENT_MS 600000
#define OAUTH_CODE_MS 600000
#define OAUTH_TICKET_SIZE 65

/* Who is at the browser. */
struct oauth_person {
        bool is_known; /* the session is good */
        bool is_fresh; /* and its sign-in is as young as MCP_OAUTH_FRESH_SIGN_IN_MINUTES asks for */
        bool is_sso;   /* and was at the OpenID provider */
        char name[ACTOR_NAME_SIZE];
};
/* Looks at a session's token (NULL or "" for none). Store errors. */
MUST_CHECK bool oauth_consent_person(struct store_db *db, const char *session, struct oauth_person *person,
                                     struct error *error);

/* What a form must show so that it is known to be the one that this session was given for these parameters. */
void oauth_consent_ticket(const char *session, const char *query, int64_t issued_at, char ticket[OAUTH_TICKET_SIZE]);
/* Whether the form is that one, and was given at most OAUTH_CONSENT_MS ago. */
bool oauth_consent_ticket_is_good(const char *session, const char *query, const char *issued_at, const char *ticket,
                                  int64_t now);

/* Records the consent of the session's person and writes a code for the client. Blocks. ERROR_UNAUTHENTICATED when the
 * session has ended or its sign-in is not fresh enough. */
MUST_CHECK bool oauth_consent_approve(struct services *services, const char *session, const struct oauth_site *site,
                                      const struct oauth_request *request, char code[OAUTH_SECRET_SIZE],
                                      struct error *error);

#endif
