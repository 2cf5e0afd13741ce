/* A real git remote over HTTP for tests: lighttpd and git-http-backend on a free port of 127.0.0.1.
 *
 *   http://127.0.0.1:PORT/open/NAME.git    anyone may read and push
 *   http://127.0.0.1:PORT/locked/NAME.git  REMOTE_USER and REMOTE_PASSWORD (Basic) only
 *   http://127.0.0.1:PORT/moved/NAME.git   redirects to the port that `trap` listens on
 *
 * Every function fails the running test when it cannot do its work. */
#ifndef TESTS_GIT_REMOTE_H
#define TESTS_GIT_REMOTE_H

#include <stdbool.h>
#include <sys/types.h>

#define REMOTE_USER "alice"
#define REMOTE_PASSWORD "correct-horse-battery-42"

struct remote {
        char *folder; /* everything lies in it; repositories in repositories/, working trees in clones/ */
        int port;
        int trap; /* listens; nothing ever answers there */
        int trap_port;
        pid_t pid;
};

void remote_open(struct remote *remote);
void remote_close(struct remote *remote);

/* Makes the bare repository NAME.git, without commits, HEAD naming main. */
void remote_make(const struct remote *remote, const char *name);
/* Runs a shell script in a clone of the repository, which is kept between calls; `git push` in it reaches the
 * repository. */
void remote_script(const struct remote *remote, const char *name, const char *script);
/* Like remote_script, with the script "FILE is written, committed on BRANCH and pushed". */
void remote_commit(const struct remote *remote, const char *name, const char *branch, const char *file,
                   const char *content);
/* The address of the repository beneath "open", "locked" or "moved"; the caller's. */
char *remote_url(const struct remote *remote, const char *access, const char *name);

/* While stalled, the server sends the first 10,000 bytes of any answer above 20,000, makes the file `stalled` in its
 * folder and then nothing more. */
void remote_stall(const struct remote *remote, bool is_stalled);
/* While recorded, the command lines of all processes during each request go to the file `commands` in its folder. */
void remote_record(const struct remote *remote, bool is_recorded);
/* Whether anyone has connected to the trap. */
bool remote_is_trapped(const struct remote *remote);

/* A TCP socket listening on a free port of 127.0.0.1. */
int remote_listen(int *port);

#endif
