#include "docker/runner/member.h"

#include <inttypes.h>
#include <string.h>

#include "docker/runner/message.h"
#include "server/base/document.h"

static bool fail(struct error *error, const char *name, const char *wanted)
{
        return error_set(error, ERROR_INVALID_INPUT, "\"%s\" must be %s", name, wanted);
}

static bool check_text(const struct member *member, const char *text, size_t maximum, struct error *error)
{
        if (!text)
                return fail(error, member->name, member->is_nullable ? "a string or null" : "a string");
        if (strlen(text) > maximum)
                return error_set(error, ERROR_INVALID_INPUT, "\"%s\" must have at most %zu bytes", member->name,
                                 maximum);
        return !member->is_valid || member->is_valid(text) || fail(error, member->name, member->shape);
}

static bool read_number(const struct member *member, const json_t *value, int64_t *into, struct error *error)
{
        if (!json_is_integer(value) || json_integer_value(value) < member->least ||
            json_integer_value(value) > member->most)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "\"%s\" must be a whole number from %" PRId64 " to %" PRId64 "%s", member->name,
                                 member->least, member->most, member->is_nullable ? ", or null" : "");
        *into = json_integer_value(value);
        return true;
}

static bool read_choice(const struct member *member, const json_t *value, int *into, struct error *error)
{
        const char *text = json_string_value(value);
        auto_text wanted = TEXT_WITH_MAXIMUM(400);

        for (int i = 0; text && i < member->most; i++)
                if (!strcmp(text, member->names[i])) {
                        *into = i;
                        return true;
                }
        for (int i = 0; i < member->most; i++)
                text_printf(&wanted, "%s\"%s\"", i ? ", " : "one of ", member->names[i]);
        return fail(error, member->name, text_string(&wanted));
}

static void read_null(const struct member *member, char *at)
{
        if (member->type == MEMBER_NUMBER)
                *(int64_t *)at = member->least - 1;
        else
                *(const char **)at = NULL;
}

static bool read_one(const struct member *member, const json_t *value, char *at, struct error *error)
{
        const char *text = json_string_value(value);

        if (!value)
                return error_set(error, ERROR_INVALID_INPUT, "\"%s\" is missing", member->name);
        if (member->is_nullable && json_is_null(value)) {
                read_null(member, at);
                return true;
        }
        switch (member->type) {
        case MEMBER_BUFFER:
                if (!check_text(member, text, (size_t)member->most - 1, error))
                        return false;
                memcpy(at, text, strlen(text) + 1);
                return true;
        case MEMBER_TEXT:
                if (!check_text(member, text, (size_t)member->most, error))
                        return false;
                *(const char **)at = text;
                return true;
        case MEMBER_NUMBER:
                return read_number(member, value, (int64_t *)at, error);
        case MEMBER_CHOICE:
                return read_choice(member, value, (int *)at, error);
        case MEMBER_OTHER:
                return true;
        }
        return true;
}

static bool has_member(const struct member *members, size_t count, const char *name)
{
        for (size_t i = 0; i < count; i++)
                if (!strcmp(members[i].name, name))
                        return true;
        return !strcmp(name, "version");
}

bool member_read(const struct member *members, size_t count, const json_t *object, void *into, struct error *error)
{
        const char *name;
        json_t *value;

        if (!json_is_object(object))
                return error_set(error, ERROR_INVALID_INPUT, "the message must be a JSON object");
        if (!json_is_integer(json_object_get(object, "version")) ||
            json_integer_value(json_object_get(object, "version")) != RUNNER_VERSION)
                return error_set(error, ERROR_INVALID_INPUT, "\"version\" must be %d, the only one known here",
                                 RUNNER_VERSION);
        json_object_foreach((json_t *)object, name, value)
        {
                if (!has_member(members, count, name))
                        return error_set(error, ERROR_INVALID_INPUT, "\"%.64s\" is not a member of this message", name);
        }
        for (size_t i = 0; i < count; i++)
                if (!read_one(&members[i], json_object_get(object, members[i].name), (char *)into + members[i].offset,
                              error))
                        return false;
        return true;
}

static json_t *print_one(const struct member *member, const char *at)
{
        int64_t number;
        int choice;

        switch (member->type) {
        case MEMBER_BUFFER:
                return document_string(at);
        case MEMBER_TEXT:
                return document_string(*(const char *const *)at);
        case MEMBER_NUMBER:
                number = *(const int64_t *)at;
                return member->is_nullable && number < member->least ? json_null() : json_integer(number);
        case MEMBER_CHOICE:
                choice = *(const int *)at;
                return document_string(choice >= 0 && choice < member->most ? member->names[choice] : NULL);
        case MEMBER_OTHER:
                break;
        }
        return json_null();
}

json_t *member_print(const struct member *members, size_t count, const void *from)
{
        json_t *object = json_object();

        json_object_set_new(object, "version", json_integer(RUNNER_VERSION));
        for (size_t i = 0; i < count; i++)
                json_object_set_new(object, members[i].name,
                                    print_one(&members[i], (const char *)from + members[i].offset));
        return object;
}
