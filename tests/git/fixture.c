#include "tests/git/fixture.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "git/worker.h"
#include "server/base/path.h"

const struct repository_limits fixture_limits = {.deadline_ms = 60000, .memory_bytes = 1 << 30};

int fixture_setup(void **state)
{
        struct fixture *fixture = memory_new(sizeof *fixture);
        char template[] = "/tmp/longshore-git-XXXXXX";

        fixture->data = text_copy(mkdtemp(template));
        fixture->mirrors = path_join(fixture->data, "mirrors");
        fixture->workspace = path_join(fixture->data, "workspace");
        remote_open(&fixture->remote);
        *state = fixture;
        return 0;
}

int fixture_teardown(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        repository_worker_configure(NULL, NULL);
        remote_close(&fixture->remote);
        if (!path_remove_tree(fixture->data, &error))
                fail_msg("%s", error.message);
        free(fixture->data);
        free(fixture->mirrors);
        free(fixture->workspace);
        free(fixture->branch);
        free(fixture->git);
        free(fixture);
        return 0;
}

void fixture_mirror(struct fixture *fixture, const char *name)
{
        auto_free char *url = remote_url(&fixture->remote, "open", name);
        struct repository_remote remote = {.url = url};
        auto_error error = {0};

        if (!repository_mirror_update(fixture->mirrors, &remote, &fixture_limits, &error))
                fail_msg("%s", error.message);
}

bool fixture_workspace(struct fixture *fixture, const char *name, const char *branch, struct error *error)
{
        auto_free char *url = remote_url(&fixture->remote, "open", name);

        if (!path_remove_tree(fixture->workspace, error))
                fail_msg("%s", error->message);
        free(take(fixture->branch));
        return repository_workspace_make(fixture->mirrors, url, branch, fixture->workspace, FIXTURE_UID, FIXTURE_GID,
                                         &fixture_limits, &fixture->branch, fixture->head, error);
}

void fixture_workspace_works(struct fixture *fixture, const char *name, const char *branch)
{
        auto_error error = {0};

        if (!fixture_workspace(fixture, name, branch, &error))
                fail_msg("%s", error.message);
}

size_t fixture_count(const struct fixture *fixture, const char *folder, const char *part)
{
        auto_free char *path = path_join(fixture->data, folder);
        DIR *listing = opendir(path);
        struct dirent *entry;
        size_t count = 0;

        while (listing && (entry = readdir(listing)))
                if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
                        count += strstr(entry->d_name, part) != NULL;
        if (listing)
                closedir(listing);
        return count;
}

void fixture_script(const struct fixture *fixture, const char *script)
{
        int status = -1;
        pid_t pid = fork();

        if (pid == 0) {
                setenv("GIT_CONFIG_COUNT", "1", 1);
                setenv("GIT_CONFIG_KEY_0", "safe.directory", 1);
                setenv("GIT_CONFIG_VALUE_0", "*", 1);
                if (chdir(fixture->workspace) == 0)
                        execlp("sh", "sh", "-ec", script, NULL);
                _exit(127);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status)
                fail_msg("the script ended with status %d: %s", status, script);
}

void fixture_git(struct fixture *fixture, const char *script)
{
        auto_free char *program = text_format("#!/bin/sh\n%s\n", script);
        auto_error error = {0};

        if (!fixture->git)
                fixture->git = path_join(fixture->data, "git");
        if (!path_write(fixture->git, program, strlen(program), 0755, &error))
                fail_msg("%s", error.message);
        repository_worker_configure(NULL, fixture->git);
}

void fixture_expect(const struct error *error, enum error_code code, const char *part)
{
        if (error->code != code || !strstr(error->message, part))
                fail_msg("%s, wanted %s with '%s': %s", error_kind(error->code)->code, error_kind(code)->code, part,
                         error->message);
}
