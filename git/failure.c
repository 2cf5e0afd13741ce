#include "git/failure.h"

#include <string.h>
#include <sys/wait.h>

#include "server/base/text.h"

#define QUOTED_MAXIMUM 300
#define TELLING_MAXIMUM 8192

/* The first row whose phrase occurs decides. */
struct complaint {
        const char *phrase;
        enum error_code code;
        const char *sentence;
};

static const struct complaint complaints[] = {
        {"No space left on device", ERROR_STORE_FULL, "the disk is full; nothing was changed"},
        {"Disk quota exceeded", ERROR_STORE_FULL, "the disk quota is used up; nothing was changed"},
        {"could not read Username", ERROR_GIT_AUTH_FAILED, "the remote refused the credentials, or wants some"},
        {"could not read Password", ERROR_GIT_AUTH_FAILED, "the remote refused the credentials, or wants some"},
        {"Authentication failed", ERROR_GIT_AUTH_FAILED, "the remote refused the credentials, or wants some"},
        {"returned error: 401", ERROR_GIT_AUTH_FAILED, "the remote refused the credentials, or wants some"},
        {"returned error: 403", ERROR_GIT_AUTH_FAILED, "the remote forbids access with these credentials"},
        {"returned error: 404", ERROR_GIT_NOT_FOUND, "the remote has no such repository, or hides it"},
        {"returned error: 410", ERROR_GIT_NOT_FOUND, "the remote has no such repository any more"},
        {"' not found", ERROR_GIT_NOT_FOUND, "the remote has no such repository, or hides it"},
        {"is this a git repository?", ERROR_GIT_NOT_FOUND, "there is no git repository at this address"},
        {"returned error: 30", ERROR_GIT_FAILED,
         "the remote redirects elsewhere, which is not followed; use the address it redirects to"},
        {"couldn't find remote ref", ERROR_GIT_REF_NOT_FOUND, "the remote has no such branch"},
        {"Out of memory", ERROR_GIT_FAILED, "the work needs more memory than its limit"},
        {"out of memory", ERROR_GIT_FAILED, "the work needs more memory than its limit"},
        {"mmap failed", ERROR_GIT_FAILED, "the work needs more memory than its limit"},
        {"unable to create thread", ERROR_GIT_FAILED, "the work needs more memory than its limit"},
};

static bool is_telling(const char *line)
{
        return !strncmp(line, "fatal: ", 7) || !strncmp(line, "error: ", 7);
}

/* Appends the complaints among the lines; what the remote merely says (remote: ...) is no reason. */
static void append_telling(struct text *out, const char *words)
{
        for (const char *line = words; *line;) {
                const char *end = strchrnul(line, '\n');
                if (is_telling(line) && end - line > 7) {
                        text_append_string(out, out->length ? "; " : "");
                        utf8_append_clean(out, line + 7, (size_t)(end - line - 7));
                }
                line = *end ? end + 1 : end;
        }
        for (size_t i = 0; i < out->length; i++)
                if ((unsigned char)out->data[i] < 0x20 || out->data[i] == 0x7f)
                        out->data[i] = ' ';
}

bool failure_explain(const char *words, int status, struct error *error)
{
        auto_text telling = TEXT_WITH_MAXIMUM(TELLING_MAXIMUM);

        append_telling(&telling, words);
        for (size_t i = 0; i < COUNT_OF(complaints); i++)
                if (strstr(text_string(&telling), complaints[i].phrase))
                        return error_set(error, complaints[i].code, "%s", complaints[i].sentence);
        size_t quoted = utf8_head_length(telling.data, telling.length, QUOTED_MAXIMUM);
        if (WIFSIGNALED(status))
                return error_set(error, ERROR_GIT_FAILED, "git was ended by signal %d (%s)%s%.*s", WTERMSIG(status),
                                 strsignal(WTERMSIG(status)), quoted ? ": " : "", (int)quoted, text_string(&telling));
        if (!quoted)
                return error_set(error, ERROR_GIT_FAILED, "git ended with status %d", WEXITSTATUS(status));
        return error_set(error, ERROR_GIT_FAILED, "%.*s", (int)quoted, telling.data);
}
