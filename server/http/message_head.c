#include "server/http/message_head.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN_LETTERS "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/* So many bytes of a body can be told. */
#define LENGTH_DIGITS 15

size_t head_length(const char *bytes, size_t length)
{
        const char *end = memmem(bytes, length, "\r\n\r\n", 4);

        return end ? (size_t)(end - bytes) + 4 : 0;
}

static bool is_token(const char *text)
{
        return *text && !text[strspn(text, TOKEN_LETTERS)];
}

static bool has_control(const char *text)
{
        for (; *text; text++)
                if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
                        return true;
        return false;
}

/* Cuts the next line off; every line of a head ends in CR LF. */
static char *next_line(char **at)
{
        char *line = *at, *end = strstr(line, "\r\n");

        *end = '\0';
        *at = end + 2;
        return line;
}

/* A line that begins with a blank goes on the one before, for some readers (RFC 9112, section 5.2). */
static bool read_field(char *line, struct head_field *field)
{
        char *colon = strchr(line, ':');

        if (!colon || has_control(line))
                return false;
        *colon = '\0';
        char *value = colon + 1 + strspn(colon + 1, " \t"), *end = value + strlen(value);
        while (end > value && strchr(" \t", end[-1]))
                *--end = '\0';
        *field = (struct head_field){line, value};
        return is_token(line);
}

static bool read_fields(char *at, struct message_head *head)
{
        for (char *line; *(line = next_line(&at));) {
                if (head->count == HEAD_FIELDS_MAXIMUM || !read_field(line, &head->fields[head->count]))
                        return false;
                head->count++;
        }
        return true;
}

const char *head_find(const struct message_head *head, const char *name, bool *is_repeated)
{
        const char *value = NULL;

        *is_repeated = false;
        for (size_t i = 0; i < head->count; i++) {
                if (strcasecmp(head->fields[i].name, name) != 0)
                        continue;
                *is_repeated = value;
                if (!value)
                        value = head->fields[i].value;
        }
        return value;
}

/* Whether a list of words with commas between has the word, in any case. */
static bool has_word(const char *list, const char *word, size_t length)
{
        while (list && *list) {
                list += strspn(list, " \t,");
                size_t own = strcspn(list, ",");
                size_t end = own;
                while (end && strchr(" \t", list[end - 1]))
                        end--;
                if (end == length && !strncasecmp(list, word, length))
                        return true;
                list += own;
        }
        return false;
}

static bool connection_has(const struct message_head *head, const char *word)
{
        for (size_t i = 0; i < head->count; i++)
                if (!strcasecmp(head->fields[i].name, "Connection") &&
                    has_word(head->fields[i].value, word, strlen(word)))
                        return true;
        return false;
}

/* Length and coding of the body; both at once, or one twice, are what requests are smuggled with. */
static bool read_body(struct message_head *head)
{
        bool is_length_repeated, is_coding_repeated;
        const char *length = head_find(head, "Content-Length", &is_length_repeated),
                   *coding = head_find(head, "Transfer-Encoding", &is_coding_repeated);

        if (is_length_repeated || is_coding_repeated || (length && coding) || (coding && strcasecmp(coding, "chunked")))
                return false;
        if (coding)
                head->body = HEAD_BODY_CHUNKED;
        if (!length)
                return true;
        size_t digits = strspn(length, "0123456789");
        if (!digits || length[digits] || digits > LENGTH_DIGITS)
                return false;
        head->body = HEAD_BODY_LENGTH;
        head->length = strtoull(length, NULL, 10);
        return true;
}

static bool is_upgrade(const struct message_head *head)
{
        bool is_repeated;
        const char *protocol = head_find(head, "Upgrade", &is_repeated);

        return protocol && !is_repeated && !strcasecmp(protocol, "websocket") && connection_has(head, "upgrade");
}

bool head_read_request(char *bytes, size_t length, struct message_head *head)
{
        char *at = bytes, *rest;

        *head = (struct message_head){0};
        if (memchr(bytes, '\0', length))
                return false;
        char *line = next_line(&at);
        head->method = strtok_r(line, " ", &rest);
        head->target = strtok_r(NULL, " ", &rest);
        const char *version = strtok_r(NULL, " ", &rest);
        if (!version || strtok_r(NULL, " ", &rest) || !is_token(head->method) || strcmp(version, "HTTP/1.1") != 0 ||
            *head->target != '/' || has_control(head->target) || strchr(head->target, '#') ||
            !strcmp(head->method, "CONNECT"))
                return false;
        if (!read_fields(at, head) || !read_body(head))
                return false;
        head->is_upgrade = is_upgrade(head) && head->body == HEAD_BODY_NONE;
        head->keeps = !connection_has(head, "close") && !head->is_upgrade;
        return true;
}

bool head_read_response(char *bytes, size_t length, const char *method, struct message_head *head)
{
        char *at = bytes;

        *head = (struct message_head){0};
        if (memchr(bytes, '\0', length))
                return false;
        char *line = next_line(&at);
        if (strncmp(line, "HTTP/1.", 7) || !strchr("01", line[7]) || line[8] != ' ' ||
            strspn(line + 9, "0123456789") != 3 || (line[12] && line[12] != ' ') || has_control(line))
                return false;
        head->status = atoi(line + 9);
        head->reason = line[12] ? line + 13 : "";
        if (!read_fields(at, head) || !read_body(head))
                return false;
        head->is_upgrade = head->status == 101 && is_upgrade(head);
        bool is_empty = head->status < 200 || head->status == 204 || head->status == 304 || !strcmp(method, "HEAD");
        if (is_empty)
                head->body = HEAD_BODY_NONE;
        else if (head->body == HEAD_BODY_NONE)
                head->body = HEAD_BODY_UNTIL_CLOSE;
        return head->status >= 100;
}

/* Calls `each` with every cookie of a Cookie field. */
static void each_cookie(const char *value,
                        void (*each)(const char *name, size_t name_length, const char *cookie, size_t length,
                                     void *context),
                        void *context)
{
        while (*value) {
                value += strspn(value, " \t;");
                size_t length = strcspn(value, ";"), name = strcspn(value, "=;");
                if (length)
                        each(value, name, value, length, context);
                value += length;
        }
}

struct wanted_cookie {
        const char *name;
        char *value;
};

static void take_cookie(const char *name, size_t name_length, const char *cookie, size_t length, void *context)
{
        struct wanted_cookie *wanted = context;

        if (wanted->value || strlen(wanted->name) != name_length || strncmp(name, wanted->name, name_length) ||
            name_length == length)
                return;
        wanted->value = text_format("%.*s", (int)(length - name_length - 1), cookie + name_length + 1);
}

char *head_cookie(const struct message_head *head, const char *name)
{
        struct wanted_cookie wanted = {name, NULL};

        for (size_t i = 0; i < head->count; i++)
                if (!strcasecmp(head->fields[i].name, "Cookie"))
                        each_cookie(head->fields[i].value, take_cookie, &wanted);
        return wanted.value;
}

/* Fields that concern one connection only (RFC 9110, section 7.6.1), and those that are written anew. */
static bool is_hop_by_hop(const struct message_head *head, const char *name)
{
        static const char *const names[] = {
                "Connection", "Keep-Alive", "Proxy-Connection",  "Proxy-Authenticate", "Proxy-Authorization",
                "TE",         "Trailer",    "Transfer-Encoding", "Content-Length",     "Upgrade",
                "Expect"};

        for (size_t i = 0; i < COUNT_OF(names); i++)
                if (!strcasecmp(name, names[i]))
                        return true;
        return connection_has(head, name);
}

static bool is_lost_by_requests(const struct head_forward *forward, const char *name)
{
        static const char *const names[] = {"Authorization", "Cookie", "Forwarded", "X-Forwarded-Host", "X-Real-Ip"};

        for (size_t i = 0; i < COUNT_OF(names); i++)
                if (!strcasecmp(name, names[i]))
                        return true;
        bool is_tale = !strcasecmp(name, "X-Forwarded-For") || !strcasecmp(name, "X-Forwarded-Proto");
        return is_tale && (!forward->is_told || !strcasecmp(name, "X-Forwarded-For"));
}

struct cookies {
        const struct head_forward *forward;
        struct text text;
};

static void keep_cookie(const char *name, size_t name_length, const char *cookie, size_t length, void *context)
{
        struct cookies *cookies = context;

        if (!cookies->forward->is_own_cookie(name, name_length))
                text_printf(&cookies->text, "%s%.*s", cookies->text.length ? "; " : "", (int)length, cookie);
}

static void write_cookies(const struct message_head *head, const struct head_forward *forward, struct text *out)
{
        struct cookies cookies = {forward, TEXT_WITH_MAXIMUM(HEAD_MAXIMUM)};

        for (size_t i = 0; i < head->count; i++)
                if (!strcasecmp(head->fields[i].name, "Cookie"))
                        each_cookie(head->fields[i].value, keep_cookie, &cookies);
        if (cookies.text.length)
                text_printf(out, "Cookie: %s\r\n", text_string(&cookies.text));
        text_clear(&cookies.text);
}

static void write_body(const struct message_head *head, struct text *out)
{
        if (head->body == HEAD_BODY_CHUNKED)
                text_append_string(out, "Transfer-Encoding: chunked\r\n");
        else if (head->body == HEAD_BODY_LENGTH)
                text_printf(out, "Content-Length: %llu\r\n", (unsigned long long)head->length);
}

void head_write_request(const struct message_head *head, const struct head_forward *forward, struct text *out)
{
        bool is_repeated;
        const char *told = head_find(head, "X-Forwarded-For", &is_repeated),
                   *host = head_find(head, "Host", &is_repeated);

        text_printf(out, "%s %s HTTP/1.1\r\n", head->method, head->target);
        for (size_t i = 0; i < head->count; i++)
                if (!is_hop_by_hop(head, head->fields[i].name) && !is_lost_by_requests(forward, head->fields[i].name))
                        text_printf(out, "%s: %s\r\n", head->fields[i].name, head->fields[i].value);
        write_cookies(head, forward, out);
        write_body(head, out);
        if (forward->is_told && told)
                text_printf(out, "X-Forwarded-For: %s, %s\r\n", told, forward->client);
        else
                text_printf(out, "X-Forwarded-For: %s\r\n", forward->client);
        if (!forward->is_told || !head_find(head, "X-Forwarded-Proto", &is_repeated))
                text_printf(out, "X-Forwarded-Proto: %s\r\n", forward->scheme);
        text_printf(out, "X-Forwarded-Host: %s\r\n", host ? host : "");
        text_append_string(out, head->is_upgrade ? "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
                                                 : "Connection: close\r\n\r\n");
}

/* A cookie of the application is its host's alone: it may name neither ours nor another host. */
static void write_cookie(const char *value, const struct head_forward *forward, struct text *out)
{
        if (forward->is_own_cookie(value, strcspn(value, "=; \t")))
                return;
        text_append_string(out, "Set-Cookie: ");
        for (const char *at = value; *at;) {
                size_t length = strcspn(at, ";"), blanks = strspn(at, " \t");
                bool is_domain =
                        at != value && !strncasecmp(at + blanks, "domain", 6) && strchr("= \t;", at[blanks + 6]);
                if (!is_domain)
                        text_printf(out, "%s%.*s", at == value ? "" : ";", (int)length, at);
                at += length + (at[length] == ';');
        }
        text_append_string(out, "\r\n");
}

void head_write_response(const struct message_head *head, const struct head_forward *forward, bool keeps,
                         struct text *out)
{
        text_printf(out, "HTTP/1.1 %d %s\r\n", head->status, head->reason);
        for (size_t i = 0; i < head->count; i++) {
                const struct head_field *field = &head->fields[i];
                bool is_length = !strcasecmp(field->name, "Content-Length") && head->body == HEAD_BODY_NONE;
                if (!strcasecmp(field->name, "Set-Cookie"))
                        write_cookie(field->value, forward, out);
                else if (is_length || !is_hop_by_hop(head, field->name))
                        text_printf(out, "%s: %s\r\n", field->name, field->value);
        }
        write_body(head, out);
        if (head->is_upgrade)
                text_append_string(out, "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
        else
                text_append_string(out, keeps ? "\r\n" : "Connection: close\r\n\r\n");
}
