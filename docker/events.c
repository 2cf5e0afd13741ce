#include "docker/events.h"

#include <stdio.h>
#include <string.h>

#include "docker/lines.h"
#include "docker/path.h"
#include "docker/request.h"

#define ACTION_SIZE 64
/* One shortage of memory can be told thousands of times (containerd 1.6 with cgroup version 1); of these events of one
 * container, one in this many milliseconds is handed on. */
#define OUT_OF_MEMORY_MS 1000

static const struct {
        const char *action;
        enum docker_event_kind kind;
} kinds[] = {
        {"create", DOCKER_EVENT_CREATED},    {"start", DOCKER_EVENT_STARTED},     {"die", DOCKER_EVENT_DIED},
        {"oom", DOCKER_EVENT_OUT_OF_MEMORY}, {"destroy", DOCKER_EVENT_DESTROYED}, {"exec_die", DOCKER_EVENT_EXEC_DIED},
};

struct follow {
        struct docker_lines lines;
        docker_event_callback *callback;
        void *context;
        char starved[DOCKER_ID_SIZE]; /* container of the last DOCKER_EVENT_OUT_OF_MEMORY, and its time */
        int64_t starved_at;
};

static enum docker_event_kind kind_of(const char *action)
{
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
                if (strcmp(kinds[i].action, action) == 0)
                        return kinds[i].kind;
        return DOCKER_EVENT_OTHER;
}

/* Whether the event only tells again what was handed on a moment ago. */
static bool is_repetition(struct follow *follow, const struct docker_event *event)
{
        if (event->kind != DOCKER_EVENT_OUT_OF_MEMORY)
                return false;
        if (strcmp(follow->starved, event->container_id) == 0 && event->time - follow->starved_at < OUT_OF_MEMORY_MS)
                return true;
        snprintf(follow->starved, sizeof follow->starved, "%s", event->container_id);
        follow->starved_at = event->time;
        return false;
}

static bool take_event(const json_t *object, void *context, struct error *error)
{
        struct follow *follow = context;
        const json_t *actor = json_object_get(object, "Actor");
        const json_t *attributes = json_object_get(actor, "Attributes");
        const char *id = document_get_string(actor, "ID");
        const char *exit_code = document_get_string(attributes, "exitCode");
        auto_json *none = json_object();
        char action[ACTION_SIZE];

        (void)error;
        docker_copy(object, "Action", action, sizeof action);
        action[strcspn(action, ":")] = '\0';
        struct docker_event event = {
                .kind = kind_of(action),
                .action = action,
                .container_id = id ? id : "",
                .exec_id = document_get_string(attributes, "execID"),
                .exit_code = exit_code ? atoi(exit_code) : -1,
                .time = document_get_integer(object, "timeNano", 0) / 1000000,
                .labels = json_is_object(attributes) ? attributes : none,
        };
        if (!is_repetition(follow, &event))
                follow->callback(&event, follow->context);
        return true;
}

static bool take_piece(const char *bytes, size_t length, void *context, struct error *error)
{
        struct follow *follow = context;

        return docker_lines_feed(&follow->lines, bytes, length, error);
}

static void connected(void *context)
{
        struct follow *follow = context;
        auto_json *none = json_object();
        struct docker_event event = {.kind = DOCKER_EVENT_CONNECTED,
                                     .action = "connected",
                                     .container_id = "",
                                     .exit_code = -1,
                                     .labels = none};

        follow->callback(&event, follow->context);
}

bool docker_events_follow(struct docker *docker, const char *label, int64_t since, int stop_fd,
                          docker_event_callback *callback, void *context, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;
        struct follow follow = {.callback = callback, .context = context, .lines = {.line = take_event}};

        text_append_string(&path, "/events");
        docker_path_filters(&path, label, "container");
        if (since)
                text_printf(&path, "&since=%lld", (long long)(since / 1000));
        follow.lines.context = &follow;
        struct docker_request request = {.method = "GET",
                                         .path = text_string(&path),
                                         .piece = take_piece,
                                         .connected = connected,
                                         .context = &follow,
                                         .stop_fd = &stop_fd};
        bool is_ended = docker_request(docker, &request, NULL, error);
        docker_lines_clear(&follow.lines);
        if (is_ended)
                return error_set(error, ERROR_ENGINE_STREAM_LOST, "the Docker engine ended its stream of events");
        if (error->code != ERROR_CANCELLED)
                return false;
        error_clear(error);
        return true;
}
