#include "tests/git/remote.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/path.h"
#include "tests/cmocka.h"

#define LISTENING_FD 3 /* where socket activation (sd_listen_fds(3)) wants it */

static const char configuration[] =
        "server.modules = (\"mod_auth\", \"mod_authn_file\", \"mod_setenv\", \"mod_alias\", \"mod_redirect\", "
        "\"mod_cgi\")\n"
        "server.systemd-socket-activation = \"enable\"\n"
        "server.bind = \"127.0.0.1\"\n"
        "server.port = %d\n"
        "server.document-root = \"%s/empty\"\n"
        "server.errorlog = \"%s/errors\"\n"
        "server.upload-dirs = (\"%s\")\n"
        "server.stream-response-body = 2\n"
        "auth.backend = \"plain\"\n"
        "auth.backend.plain.userfile = \"%s/users\"\n"
        "auth.require = (\"/locked\" => (\"method\" => \"basic\", \"realm\" => \"git\", \"require\" => "
        "\"valid-user\"))\n"
        "alias.url = (\"/open\" => \"%s/backend\", \"/locked\" => \"%s/backend\")\n"
        "setenv.add-environment = (\"GIT_PROJECT_ROOT\" => \"%s/repositories\", \"GIT_HTTP_EXPORT_ALL\" => \"1\", "
        "\"HOME\" => \"%s\", \"TEST_FOLDER\" => \"%s\", \"PATH\" => \"/usr/bin:/bin\")\n"
        "$HTTP[\"url\"] =~ \"^/(open|locked)\" { cgi.assign = (\"\" => \"\") }\n"
        "$HTTP[\"url\"] =~ \"^/moved/\" { url.redirect = (\"^/moved/(.*)\" => \"http://127.0.0.1:%d/$1\") }\n";

static const char backend[] = "#!/bin/sh\n"
                              "[ -e $TEST_FOLDER/record ] && cat /proc/[0-9]*/cmdline >> $TEST_FOLDER/commands\n"
                              "[ -e $TEST_FOLDER/stall ] || exec /usr/lib/git-core/git-http-backend\n"
                              "/usr/lib/git-core/git-http-backend > $TEST_FOLDER/answer.$$\n"
                              "if [ $(stat -c %s $TEST_FOLDER/answer.$$) -lt 20000 ]; then\n"
                              "    exec cat $TEST_FOLDER/answer.$$\n"
                              "fi\n"
                              "head -c 10000 $TEST_FOLDER/answer.$$\n"
                              ": > $TEST_FOLDER/stalled\n"
                              "while [ -e $TEST_FOLDER/stall ]; do sleep 0.05; done\n";

static void write_file(const struct remote *remote, const char *name, mode_t mode, const char *content)
{
        auto_free char *path = path_join(remote->folder, name);
        auto_error error = {0};

        if (!path_write(path, content, strlen(content), mode, &error))
                fail_msg("%s", error.message);
}

static void make_folder(const struct remote *remote, const char *name)
{
        auto_free char *path = path_join(remote->folder, name);

        assert_return_code(mkdir(path, 0755), 0);
}

int remote_listen(int *port)
{
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t size = sizeof address;
        int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        assert_return_code(bind(listening, (struct sockaddr *)&address, size), 0);
        assert_return_code(listen(listening, 64), 0);
        assert_return_code(getsockname(listening, (struct sockaddr *)&address, &size), 0);
        *port = ntohs(address.sin_port);
        return listening;
}

static void write_files(const struct remote *remote)
{
        const char *f = remote->folder;
        auto_free char *text = text_format(configuration, remote->port, f, f, f, f, f, f, f, f, f, remote->trap_port);

        make_folder(remote, "empty");
        make_folder(remote, "repositories");
        make_folder(remote, "clones");
        write_file(remote, "lighttpd.conf", 0644, text);
        write_file(remote, "users", 0644, REMOTE_USER ":" REMOTE_PASSWORD "\n");
        write_file(remote, "backend", 0755, backend);
        write_file(remote, ".gitconfig", 0644,
                   "[user]\n\tname = Test\n\temail = test@example.org\n[init]\n\tdefaultBranch = main\n"
                   "[push]\n\tdefault = current\n[http]\n\treceivepack = true\n");
}

static _Noreturn void become_server(const char *path, int listening)
{
        char pid[24];

        snprintf(pid, sizeof pid, "%d", (int)getpid());
        setenv("LISTEN_PID", pid, 1);
        setenv("LISTEN_FDS", "1", 1);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (listening == LISTENING_FD)
                fcntl(listening, F_SETFD, 0);
        else
                dup2(listening, LISTENING_FD);
        execl("/usr/sbin/lighttpd", "lighttpd", "-D", "-f", path, NULL);
        _exit(127);
}

/* The socket listens before the server runs, so that a first request waits for it and not we. */
void remote_open(struct remote *remote)
{
        char template[] = "/tmp/longshore-remote-XXXXXX";

        remote->folder = text_copy(mkdtemp(template));
        assert_non_null(remote->folder);
        assert_return_code(chmod(remote->folder, 0755), 0);
        int listening = remote_listen(&remote->port);
        remote->trap = remote_listen(&remote->trap_port);
        write_files(remote);
        auto_free char *path = path_join(remote->folder, "lighttpd.conf");
        remote->pid = fork();
        if (remote->pid == 0)
                become_server(path, listening);
        close(listening);
        assert_true(remote->pid > 0);
}

void remote_close(struct remote *remote)
{
        auto_error error = {0};

        kill(remote->pid, SIGTERM);
        waitpid(remote->pid, NULL, 0);
        close(remote->trap);
        if (!path_remove_tree(remote->folder, &error))
                fail_msg("%s", error.message);
        free(remote->folder);
}

static void run(const struct remote *remote, const char *folder, const char *script)
{
        auto_free char *home = text_format("HOME=%s", remote->folder);
        char path[] = "PATH=/usr/bin:/bin", nosystem[] = "GIT_CONFIG_NOSYSTEM=1", locale[] = "LC_ALL=C";
        char *environment[] = {home, path, nosystem, locale, NULL};
        int status = -1;
        pid_t pid = fork();

        if (pid == 0) {
                if (chdir(folder) == 0)
                        execle("/bin/sh", "sh", "-ec", script, NULL, environment);
                _exit(127);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status)
                fail_msg("the script ended with status %d: %s", status, script);
}

void remote_make(const struct remote *remote, const char *name)
{
        auto_free char *script = text_format("git init --quiet --bare repositories/%s.git && "
                                             "git clone --quiet repositories/%s.git clones/%s 2>/dev/null",
                                             name, name, name);

        run(remote, remote->folder, script);
}

void remote_script(const struct remote *remote, const char *name, const char *script)
{
        auto_free char *folder = text_format("%s/clones/%s", remote->folder, name);

        run(remote, folder, script);
}

void remote_commit(const struct remote *remote, const char *name, const char *branch, const char *file,
                   const char *content)
{
        auto_free char *script =
                text_format("branch='refs/heads/%s'\n"
                            "if git show-ref --quiet --verify \"$branch\"; then\n"
                            "    git symbolic-ref HEAD \"$branch\" && git reset --quiet --hard\n"
                            "else\n"
                            "    git checkout --quiet -b '%s'\n"
                            "fi\n"
                            "printf '%%s' '%s' > '%s'\n"
                            "git add --all && git commit --quiet -m '%s' && git push --quiet origin HEAD:\"$branch\"",
                            branch, branch, content, file, file);

        remote_script(remote, name, script);
}

char *remote_url(const struct remote *remote, const char *access, const char *name)
{
        return text_format("http://127.0.0.1:%d/%s/%s.git", remote->port, access, name);
}

static void set_flag(const struct remote *remote, const char *name, bool is_set)
{
        auto_free char *path = path_join(remote->folder, name);

        if (is_set)
                write_file(remote, name, 0644, "");
        else
                unlink(path);
}

void remote_stall(const struct remote *remote, bool is_stalled)
{
        set_flag(remote, "stall", is_stalled);
}

void remote_record(const struct remote *remote, bool is_recorded)
{
        set_flag(remote, "record", is_recorded);
}

bool remote_is_trapped(const struct remote *remote)
{
        struct pollfd watched = {.fd = remote->trap, .events = POLLIN};

        return poll(&watched, 1, 0) > 0;
}
