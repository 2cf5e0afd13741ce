#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/feed_parts.h"
#include "server/services/task_view.h"

#define CHANGES_AT_ONCE 64

/* A change as one viewer is told of it; an empty name: not at all. */
struct rendering {
        const char *name;
        char *data;
};

static bool is_visible(const struct viewer *viewer, const struct store_task *task)
{
        return access_to_task(viewer->actor, task) != TASK_ACCESS_HIDDEN;
}

/* Whether the viewer could see the task as it was recorded with the change. */
static bool was_visible(const struct viewer *viewer, const struct store_change *change)
{
        const struct store_task then = {
                .environment = change->environment, .creator = change->creator, .is_shared = change->is_shared};

        return is_visible(viewer, &then);
}

static bool is_farewell(const struct store_change *change)
{
        return !strcmp(change->kind, "deleted") || !strcmp(change->kind, "unshared");
}

static void print(const struct store_change *change, const char *name, const char *member, json_t *value,
                  struct rendering *rendering)
{
        auto_json *data = json_object();

        json_object_set_new(data, "seq", json_integer(change->seq));
        json_object_set_new(data, "kind", json_string(change->kind));
        json_object_set_new(data, "at", document_time(change->at));
        json_object_set_new(data, member, value);
        rendering->name = name;
        rendering->data = document_print(data);
}

static bool render(struct feed *feed, const struct viewer *viewer, const struct store_change *change,
                   struct rendering *rendering, struct error *error)
{
        const struct call call = {
                .services = feed->services, .db = feed->db, .actor = viewer->actor, .now = clock_now()};
        auto_store_task task = {0};
        bool is_found;

        *rendering = (struct rendering){0};
        if (change->audience && change->audience != viewer->actor->user)
                return true;
        /* Not by its rid, which a later task has when this one was deleted as the newest. */
        if (!store_task_find(feed->db, change->task_id, viewer->actor->user, &task, &is_found, error))
                return false;
        if (is_found && !access_note_withheld(feed->db, viewer->actor, &task, error))
                return false;
        if (is_found)
                redactor_set_task(&feed->redactor, feed->db, &task);
        if (is_found && is_visible(viewer, &task))
                print(change, "task", "task", task_view(&call, &task, &feed->redactor), rendering);
        else if (is_farewell(change) && was_visible(viewer, change))
                print(change, "gone", "taskId", document_string(change->task_id), rendering);
        return true;
}

/* False when there was no room. */
static bool tell(struct feed_subscription *subscription, const struct store_change *change,
                 const struct rendering *rendering)
{
        char id[24];

        snprintf(id, sizeof id, "%" PRId64, change->seq);
        if (rendering->name && !feed_tell(subscription, id, rendering->name, rendering->data, strlen(rendering->data)))
                return false;
        subscription->cursor = change->seq;
        return true;
}

/* One that has not been greeted may name a number behind which changes are gone that this thread has not seen. */
static bool is_up_to_date(const struct feed_subscription *subscription)
{
        return !*subscription->task_id && subscription->is_greeted && !subscription->is_blocked &&
               subscription->cursor == subscription->feed->position;
}

/* Renders at most once for all that the viewer listens with. */
static bool tell_viewer(struct feed *feed, struct viewer *viewer, const struct store_change *change,
                        struct error *error)
{
        struct feed_subscription *subscription;
        struct rendering rendering = {0};
        bool is_rendered = false, is_good = true;

        LIST_FOREACH(subscription, &viewer->subscriptions, of_viewer)
        {
                if (!strcmp(subscription->task_id, change->task_id))
                        subscription->is_grown = subscription->wants_state = true;
                if (!is_good || !is_up_to_date(subscription))
                        continue;
                if (!is_rendered)
                        is_good = is_rendered = render(feed, viewer, change, &rendering, error);
                /* One that is blocked is told again once it is drained. */
                if (is_good && tell(subscription, change, &rendering))
                        continue;
        }
        free(rendering.data);
        return is_good;
}

bool feed_changes_round(struct feed *feed, struct error *error)
{
        struct store_change changes[CHANGES_AT_ONCE];
        struct viewer *viewer;
        size_t count;

        do {
                if (!store_change_list(feed->db, feed->position, changes, CHANGES_AT_ONCE, &count, error))
                        return false;
                for (size_t i = 0; i < count; i++) {
                        LIST_FOREACH(viewer, &feed->viewers, all)
                        {
                                if (!tell_viewer(feed, viewer, &changes[i], error))
                                        return false;
                        }
                        feed->position = changes[i].seq;
                }
        } while (count == CHANGES_AT_ONCE);
        return true;
}

/* The first thing that is told: where to go on from. */
static bool greet(struct feed *feed, struct feed_subscription *subscription)
{
        auto_free char *data = text_format("{\"seq\":%" PRId64 "}", feed->position),
                       *id = text_format("%" PRId64, feed->position);

        if (!feed_tell(subscription, id, subscription->is_reset ? "reset" : "ready", data, strlen(data)))
                return false;
        subscription->cursor = feed->position;
        subscription->is_greeted = true;
        return true;
}

/* What was missed is kept no longer, or the number is not one of this store's. */
static bool check_cursor(struct feed *feed, struct feed_subscription *subscription, struct error *error)
{
        int64_t oldest, newest;

        if (subscription->cursor < 0 || subscription->is_reset)
                return true;
        if (!store_change_range(feed->db, &oldest, &newest, error))
                return false;
        subscription->is_reset = subscription->cursor > feed->position || subscription->cursor + 1 < oldest;
        subscription->is_greeted = !subscription->is_reset;
        return true;
}

bool feed_changes_catch_up(struct feed *feed, struct feed_subscription *subscription, struct error *error)
{
        struct store_change changes[CHANGES_AT_ONCE];
        size_t count;

        if (!subscription->is_greeted && !check_cursor(feed, subscription, error))
                return false;
        if (!subscription->is_greeted && !greet(feed, subscription))
                return true;
        while (subscription->cursor < feed->position) {
                if (!store_change_list(feed->db, subscription->cursor, changes, CHANGES_AT_ONCE, &count, error))
                        return false;
                if (!count)
                        subscription->cursor = feed->position;
                for (size_t i = 0; i < count && changes[i].seq <= feed->position; i++) {
                        struct rendering rendering;
                        if (!render(feed, subscription->viewer, &changes[i], &rendering, error))
                                return false;
                        bool has_room = tell(subscription, &changes[i], &rendering);
                        free(rendering.data);
                        if (!has_room)
                                return true;
                }
        }
        return true;
}
