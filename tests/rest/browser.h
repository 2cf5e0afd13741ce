/* What a browser keeps of a session, and requests with it. */
#ifndef TESTS_REST_BROWSER_H
#define TESTS_REST_BROWSER_H

#include "tests/rest/fixture.h"

#define JSON_TYPE "Content-Type: application/json\r\n"

struct browser_session {
        char cookie[128], csrf[64]; /* header lines */
};

/* A user with the role at the server (NULL for none) and the password "correct horse". */
void browser_person(struct rest_fixture *fixture, const char *name, const char *role);
/* The answer to POST /login, on the heap. */
struct reply *browser_login(struct rest_fixture *fixture, const char *user, const char *password);
/* Logs in and keeps what a browser and its page keep; fails the test when it may not. */
struct browser_session browser_begin(struct rest_fixture *fixture, const char *user, const char *password);
/* The session that an answer begins. */
struct browser_session browser_session_of(const struct reply *reply);
/* The status of a request with the header lines. */
int browser_status_of(struct rest_fixture *fixture, const char *method, const char *path, const char *headers,
                      const char *body);
/* The status, or the answer (heap), of a page's request: with cookie and CSRF token. */
int browser_status(struct rest_fixture *fixture, const char *method, const char *path,
                   const struct browser_session *session, const char *body);
struct reply *browser_ask(struct rest_fixture *fixture, const char *method, const char *path,
                          const struct browser_session *session, const char *body);

#endif
