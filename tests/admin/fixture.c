#include "tests/admin/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "server/base/clock.h"
#include "server/base/path.h"

#define OUTPUT_MAXIMUM (4 * 1024 * 1024)
#define PATIENCE_MS 30000

int fixture_open(void **state)
{
        struct fixture *fixture = memory_new(sizeof *fixture);

        strcpy(fixture->root, "/tmp/longshore-admin-XXXXXX");
        assert_non_null(mkdtemp(fixture->root));
        fixture->data = path_join(fixture->root, "data");
        fixture->server_errors = -1;
        *state = fixture;
        return 0;
}

int fixture_close(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        int64_t elapsed;

        if (fixture->server)
                stop_server(fixture, &elapsed);
        assert_true(path_remove_tree(fixture->root, &error));
        free(fixture->data);
        free(fixture);
        return 0;
}

void ran_clear(struct ran *ran)
{
        text_clear(&ran->out);
        text_clear(&ran->errors);
}

/* Runs the program in a child; never returns there. */
static void execute(struct fixture *fixture, const char *words, int input, int out, int errors)
{
        auto_free char *copy = text_copy(words);
        char *rest = copy, *arguments[32], program[] = LONGSHORED;
        size_t count = 0;

        arguments[count++] = program;
        for (char *word; count < COUNT_OF(arguments) - 1 && (word = strsep(&rest, "|"));)
                arguments[count++] = word;
        arguments[count] = NULL;
        setenv("LONGSHORE_DATA", fixture->data, 1);
        dup2(input, 0);
        dup2(out, 1);
        dup2(errors, 2);
        execv(program, arguments);
        _exit(127);
}

/* Reads both pipes to their ends. */
static void collect(int out, int errors, struct ran *ran)
{
        struct pollfd ends[2] = {{.fd = out, .events = POLLIN}, {.fd = errors, .events = POLLIN}};
        struct text *texts[2] = {&ran->out, &ran->errors};
        char buffer[4096];

        for (int left = 2; left;) {
                assert_true(poll(ends, 2, PATIENCE_MS) > 0);
                for (size_t i = 0; i < 2; i++) {
                        if (ends[i].fd < 0 || !ends[i].revents)
                                continue;
                        ssize_t got = read(ends[i].fd, buffer, sizeof buffer);
                        if (got > 0) {
                                text_append(texts[i], buffer, (size_t)got);
                        } else {
                                ends[i].fd = -1;
                                left--;
                        }
                }
        }
}

struct ran run_with_input(struct fixture *fixture, const char *input, const char *words)
{
        struct ran ran = {.out = TEXT_WITH_MAXIMUM(OUTPUT_MAXIMUM), .errors = TEXT_WITH_MAXIMUM(OUTPUT_MAXIMUM)};
        int in[2], out[2], errors[2], status;

        assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC) | pipe2(errors, O_CLOEXEC), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
                execute(fixture, words, in[0], out[1], errors[1]);
        close(in[0]);
        close(out[1]);
        close(errors[1]);
        if (input)
                assert_int_equal(write(in[1], input, strlen(input)), strlen(input));
        close(in[1]);
        collect(out[0], errors[0], &ran);
        close(out[0]);
        close(errors[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return ran;
}

struct ran run(struct fixture *fixture, const char *words)
{
        return run_with_input(fixture, NULL, words);
}

json_t *run_json(struct fixture *fixture, const char *words)
{
        auto_free char *with_json = text_format("--json|%s", words);
        auto_ran ran = run(fixture, with_json);
        auto_error error = {0};

        if (ran.status)
                fail_msg("%s: %s%s", words, text_string(&ran.out), text_string(&ran.errors));
        json_t *result = document_parse(text_string(&ran.out), ran.out.length, &error);
        assert_non_null(result);
        return result;
}

void start_server(struct fixture *fixture)
{
        auto_free char *words = text_format("serve|--port|0|--docker-host|unix://%s/none.sock", fixture->root);
        auto_text said = TEXT_WITH_MAXIMUM(OUTPUT_MAXIMUM);
        char buffer[4096];
        int errors[2];

        assert_int_equal(pipe2(errors, O_CLOEXEC), 0);
        fixture->server = fork();
        assert_true(fixture->server >= 0);
        if (!fixture->server)
                execute(fixture, words, open("/dev/null", O_RDWR), 1, errors[1]);
        close(errors[1]);
        fixture->server_errors = errors[0];
        struct pollfd end = {.fd = errors[0], .events = POLLIN};
        while (!strstr(text_string(&said), " serving ")) {
                assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
                ssize_t got = read(errors[0], buffer, sizeof buffer);
                if (got <= 0)
                        fail_msg("the server ended: %s", text_string(&said));
                text_append(&said, buffer, (size_t)got);
        }
}

int stop_server(struct fixture *fixture, int64_t *elapsed_ms)
{
        int64_t start = clock_monotonic();
        char buffer[4096];
        int status;

        kill(fixture->server, SIGTERM);
        for (ssize_t got; (got = read(fixture->server_errors, buffer, sizeof buffer)) > 0;)
                if (memmem(buffer, (size_t)got, "Sanitizer", 9))
                        fwrite(buffer, 1, (size_t)got, stderr);
        close(fixture->server_errors);
        assert_int_equal(waitpid(fixture->server, &status, 0), fixture->server);
        fixture->server = 0;
        *elapsed_ms = clock_monotonic() - start;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

char *root_path(struct fixture *fixture, const char *name)
{
        return path_join(fixture->root, name);
}

void write_file(const char *path, const char *content)
{
        auto_free char *folder = text_copy(path);
        auto_error error = {0};

        *strrchr(folder, '/') = '\0';
        assert_true(path_make_folder(folder, 0755, &error));
        assert_true(path_write(path, content, strlen(content), 0644, &error));
}
