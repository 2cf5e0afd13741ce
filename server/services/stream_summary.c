#include "server/services/stream_summary.h"

#include <string.h>

/* No longer message is kept. */
#define MESSAGE_MAXIMUM 16384

void stream_summary_init(struct stream_summary *summary, int64_t reply_characters)
{
        *summary = (struct stream_summary){.reply = TEXT_WITH_MAXIMUM(SIZE_MAX / 2),
                                           .reply_keep = (size_t)reply_characters * 4};
}

static void failure_clear(struct stream_failure *failure)
{
        free(failure->message);
        free(failure->type);
}

void stream_summary_clear(struct stream_summary *summary)
{
        for (size_t i = 0; i < summary->failure_count; i++)
                failure_clear(&summary->failures[i]);
        text_clear(&summary->reply);
        free(summary->session);
        *summary = (struct stream_summary){0};
}

/* Keeps the end only. */
static void shorten(struct stream_summary *summary)
{
        struct text *reply = &summary->reply;
        size_t drop;

        if (reply->length <= 2 * summary->reply_keep)
                return;
        drop = reply->length - summary->reply_keep;
        while (((unsigned char)reply->data[drop] & 0xc0) == 0x80)
                drop--;
        memmove(reply->data, reply->data + drop, reply->length - drop + 1);
        reply->length -= drop;
}

static void take_text(struct stream_summary *summary, const struct stream_event *event)
{
        if (!summary->is_run) {
                text_clear(&summary->reply);
                summary->reply = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
                summary->reply_characters = 0;
        } else if (event->is_block && summary->reply_characters) {
                text_append(&summary->reply, "\n\n", 2);
                summary->reply_characters += 2;
        }
        summary->is_run = true;
        text_append(&summary->reply, event->text, event->length);
        summary->reply_characters += (int64_t)utf8_count(event->text, event->length);
        shorten(summary);
}

static void take_usage(struct stream_summary *summary, const struct stream_usage *usage)
{
        summary->has_usage = true;
        if (usage->is_conversation || usage->is_cost_of_conversation || !summary->usage.is_conversation)
                summary->usage = *usage;
}

static bool is_known(const struct stream_summary *summary, const struct stream_event *event)
{
        const struct stream_failure *last =
                summary->failure_count ? &summary->failures[summary->failure_count - 1] : NULL;

        return last && strlen(last->message) == event->length && !memcmp(last->message, event->text, event->length);
}

static void add_failure(struct stream_summary *summary, const struct stream_event *event)
{
        struct stream_failure *list = summary->failures;

        if (summary->failure_count == STREAM_FAILURES_MAXIMUM) {
                failure_clear(&list[0]);
                memmove(&list[0], &list[1], (STREAM_FAILURES_MAXIMUM - 1) * sizeof *list);
                summary->failure_count--;
        }
        size_t length = utf8_head_length(event->text, event->length, MESSAGE_MAXIMUM);
        list[summary->failure_count++] = (struct stream_failure){
                .message = text_format("%.*s", (int)length, event->text),
                .type = text_copy(event->error_type),
                .category = event->category ? event->category : "unknown",
        };
}

static void take_error(struct stream_summary *summary, const struct stream_event *event)
{
        /* Programs tell their last error twice: when it happens, and as the turn's end. */
        if (event->length && !is_known(summary, event))
                add_failure(summary, event);
        summary->is_failed = summary->is_failed || event->is_fatal;
        if (event->resets_at)
                summary->resets_at = event->resets_at;
}

static bool ends_run(const char *type)
{
        return !strcmp(type, "tool_call") || !strcmp(type, "tool_result") || !strcmp(type, "thinking");
}

void stream_summary_take(const struct stream_event *event, void *context)
{
        struct stream_summary *summary = context;

        if (event->session) {
                free(summary->session);
                summary->session = text_copy(event->session);
        }
        summary->is_over = summary->is_over || event->is_end;
        if (!event->type)
                return;
        if (event->usage)
                take_usage(summary, event->usage);
        if (!strcmp(event->type, "error"))
                take_error(summary, event);
        else if (!strcmp(event->type, "text") && !strcmp(event->role, "assistant"))
                take_text(summary, event);
        else if (ends_run(event->type))
                summary->is_run = false;
}

const struct stream_failure *stream_summary_cause(const struct stream_summary *summary)
{
        for (size_t i = summary->failure_count; i-- > 0;)
                if (strcmp(summary->failures[i].category, "unknown"))
                        return &summary->failures[i];
        return summary->failure_count ? &summary->failures[summary->failure_count - 1] : NULL;
}
