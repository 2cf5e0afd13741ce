#include "mcp/stateless.h"

#include <string.h>

#include "mcp/revision.h"
#include "server/base/document.h"
#include "server/base/secret.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define ENCODED_START "=?base64?"
#define ENCODED_END "?="
#define SHOWN 100

void exchange_headers_copy(struct exchange_headers *to, const struct exchange_headers *from)
{
        *to = (struct exchange_headers){text_copy(from->version),       text_copy(from->method),
                                        text_copy(from->name),          text_copy(from->toolsets),
                                        text_copy(from->toolset_query), text_copy(from->accept)};
}

void exchange_headers_clear(struct exchange_headers *headers)
{
        const char *owned[] = {headers->version,  headers->method,        headers->name,
                               headers->toolsets, headers->toolset_query, headers->accept};

        for (size_t i = 0; i < COUNT_OF(owned); i++)
                free((char *)owned[i]);
        *headers = (struct exchange_headers){0};
}

const char *stateless_version(const json_t *document)
{
        return document_get_string(json_object_get(json_object_get(document, "params"), "_meta"), META_VERSION);
}

static json_t *meta_of(const struct message *message)
{
        return json_object_get(message->params, "_meta");
}

const json_t *stateless_capabilities(const struct message *message)
{
        const json_t *capabilities = json_object_get(meta_of(message), META_CAPABILITIES);

        return json_is_object(capabilities) ? capabilities : NULL;
}

/* A header's value without the white space around it (RFC 9110, section 5.5). On the heap, NULL for NULL. */
static char *trimmed(const char *value)
{
        if (!value)
                return NULL;
        value += strspn(value, " \t");
        size_t length = strlen(value);
        while (length && strchr(" \t", value[length - 1]))
                length--;
        return text_format("%.*s", (int)length, value);
}

char *stateless_header_decode(const char *value)
{
        auto_free char *plain = trimmed(value);
        size_t length = strlen(plain), start = strlen(ENCODED_START), end = strlen(ENCODED_END), size;

        if (length < start + end || strncmp(plain, ENCODED_START, start) || strcmp(plain + length - end, ENCODED_END))
                return take(plain);
        auto_free char *decoded = secret_base64_decode(plain + start, length - start - end, &size);
        if (!decoded || memchr(decoded, '\0', size))
                return NULL;
        return text_format("%.*s", (int)size, decoded);
}

static bool refuse(struct stateless_refusal *refusal, enum envelope_code code, const char *sentence)
{
        refusal->code = code;
        return error_set(&refusal->error, ERROR_INVALID_INPUT, "%s", sentence);
}

static bool refuse_version(struct stateless_refusal *refusal, const char *wanted)
{
        refusal->code = ENVELOPE_UNSUPPORTED_VERSION;
        return error_set_details(&refusal->error, ERROR_INVALID_INPUT, revision_mismatch(wanted),
                                 "This protocol revision is not spoken.");
}

static bool refuse_header(struct stateless_refusal *refusal, const char *header, const char *value, const char *body)
{
        refusal->code = ENVELOPE_HEADER_MISMATCH;
        return value ? error_set(&refusal->error, ERROR_INVALID_INPUT, "The header %s says %.*s, the body %.*s.",
                                 header, (int)utf8_head_length(value, strlen(value), SHOWN), value,
                                 (int)utf8_head_length(body, strlen(body), SHOWN), body)
                     : error_set(&refusal->error, ERROR_INVALID_INPUT, "The header %s is missing; the body says %.*s.",
                                 header, (int)utf8_head_length(body, strlen(body), SHOWN), body);
}

/* What the header Mcp-Name repeats; NULL for methods of which it repeats nothing. */
static const char *name_in_body(const struct message *message)
{
        static const struct {
                const char *method, *member;
        } rows[] = {{"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};

        for (size_t i = 0; i < COUNT_OF(rows); i++)
                if (!strcmp(rows[i].method, message->method))
                        return document_get_string(message->params, rows[i].member);
        return NULL;
}

static bool check_name(const struct message *message, const char *header, struct stateless_refusal *refusal)
{
        const char *body = name_in_body(message);

        if (!body)
                return true;
        if (!header)
                return refuse_header(refusal, "Mcp-Name", NULL, body);
        auto_free char *decoded = stateless_header_decode(header);
        if (!decoded)
                return refuse(refusal, ENVELOPE_HEADER_MISMATCH, "The header Mcp-Name is no valid base64 of a name.");
        return !strcmp(decoded, body) || refuse_header(refusal, "Mcp-Name", decoded, body);
}

static bool check_meta(const struct message *message, struct stateless_refusal *refusal)
{
        json_t *meta = meta_of(message);

        if (!json_is_object(meta))
                return refuse(refusal, ENVELOPE_INVALID_PARAMS,
                              "params._meta must be an object with " META_VERSION " and " META_CAPABILITIES ".");
        if (!document_get_string(meta, META_VERSION))
                return refuse(refusal, ENVELOPE_INVALID_PARAMS, "params._meta needs the string " META_VERSION ".");
        return stateless_capabilities(message) ||
               refuse(refusal, ENVELOPE_INVALID_PARAMS, "params._meta needs the object " META_CAPABILITIES ".");
}

/* The method as the header says it: a value of its own case. */
static bool check_method(const struct message *message, const char *header, struct stateless_refusal *refusal)
{
        return (header && !strcmp(header, message->method)) ||
               refuse_header(refusal, "Mcp-Method", header, message->method);
}

static bool check_notification(const struct message *message, const struct exchange_headers *headers,
                               struct stateless_refusal *refusal)
{
        const char *version = document_get_string(meta_of(message), META_VERSION);

        if (version && headers->version && strcmp(version, headers->version))
                return refuse_header(refusal, "MCP-Protocol-Version", headers->version, version);
        return !headers->method || check_method(message, headers->method, refusal);
}

static bool check(const struct message *message, const struct exchange_headers *headers,
                  struct stateless_refusal *refusal)
{
        if (message->kind != MESSAGE_REQUEST)
                return check_notification(message, headers, refusal);
        if (!check_meta(message, refusal))
                return false;
        const char *version = document_get_string(meta_of(message), META_VERSION);
        if (!headers->version || strcmp(headers->version, version))
                return refuse_header(refusal, "MCP-Protocol-Version", headers->version, version);
        const struct revision *revision = revision_find(version);
        if (!revision || !revision->is_stateless)
                return refuse_version(refusal, version);
        return check_method(message, headers->method, refusal) && check_name(message, headers->name, refusal);
}

bool stateless_check(const struct message *message, const struct exchange_headers *headers,
                     struct stateless_refusal *refusal)
{
        auto_free char *version = trimmed(headers->version), *method = trimmed(headers->method);
        const struct exchange_headers plain = {.version = version, .method = method, .name = headers->name};

        *refusal = (struct stateless_refusal){0};
        return check(message, &plain, refusal);
}
