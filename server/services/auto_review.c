#include "server/services/auto_review.h"

#include <string.h>

#include "server/base/log.h"
#include "server/services/judge_pending.h"
#include "server/services/review_actor.h"

#define SOURCE "automation"

bool auto_review_applies(const struct services *services, const struct store_task *task)
{
        if (task->is_judge || (task->role && !strcmp(task->role, "orchestrator")))
                return false;
        auto_environment *environment = environment_find_rid(services->environments, task->environment);
        return environment && (environment->file.autoJudge || environment->file.verification);
}

/* What the settings want of a task or a group. */
struct wanted {
        struct services *services;
        int64_t person;
        const struct store_task *task; /* that a refusal is kept with */
        struct judge_order order;
        struct judge_pending_new new;
        const struct error *refusal; /* NULL: it is to be asked for */
};

static void fill_reviewers(struct wanted *wanted, const struct field_objects *reviewers, const char *instructions)
{
        const struct environment_reviewer *list = reviewers->items;

        wanted->order.instructions = instructions;
        wanted->order.is_waiting = true;
        for (size_t i = 0; i < reviewers->count && i < JUDGE_REVIEWERS_MAXIMUM; i++)
                wanted->order.reviewers[wanted->order.reviewer_count++] =
                        (struct judge_reviewer){list[i].agent, list[i].model, list[i].reasoningEffort, list[i].speed};
        wanted->new.order = &wanted->order;
}

static bool ask_work(struct store_db *db, void *context, struct error *error)
{
        const struct wanted *wanted = context;
        auto_review_actor person = {.actor = {.user = wanted->person}};
        char id[ID_SIZE];

        if (wanted->refusal) {
                struct call call = review_actor_call(wanted->services, db, &person, SOURCE);
                return judge_pending_add_refused(&call, &wanted->new, wanted->task, wanted->refusal, error);
        }
        if (!review_actor_open(db, wanted->person, &person, error))
                return false;
        struct call call = review_actor_call(wanted->services, db, &person, SOURCE);
        return judge_pending_add(&call, &wanted->new, id, error);
}

/* Another asking of the same is no failure. */
static bool write_wanted(struct wanted *wanted, struct error *error)
{
        auto_error failure = {0};

        return store_write(wanted->services->store, ask_work, wanted, &failure) || failure.code == ERROR_CONFLICT ||
               error_move(error, &failure);
}

static bool ask(struct wanted *wanted, struct error *error)
{
        auto_error failure = {0};

        if (write_wanted(wanted, &failure))
                return true;
        if (review_error_is_passing(failure.code))
                return error_move(error, &failure);
        log_warning("a review that the environment asks for is not made", "task", wanted->task->id, "reason",
                    failure.message);
        wanted->refusal = &failure;
        return write_wanted(wanted, error);
}

static bool verify(struct services *services, struct store_db *db, const struct store_task *task,
                   const struct environment_verification *settings, struct error *error)
{
        struct wanted wanted = {.services = services,
                                .person = task->creator,
                                .task = task,
                                .order = {.task_id = task->id},
                                .new = {.origin = REQUEST_VERIFICATION, .loop = settings->reviewLoop}};
        bool is_asked;

        if (strcmp(task->status, "completed") != 0 || !task->creator)
                return true;
        if (!store_judge_request_is_asked(db, NULL, task->id, &is_asked, error) || is_asked)
                return is_asked;
        fill_reviewers(&wanted, &settings->reviewers, settings->instructions);
        return ask(&wanted, error);
}

static bool is_finished(const struct store_task *task)
{
        return !strcmp(task->status, "completed") || !strcmp(task->status, "failed") ||
               !strcmp(task->status, "interrupted");
}

/* The variants that are to be compared, of those that the person sees; false while it is too early or there is nothing
 * to compare among. */
static bool gather(const struct store_tasks *members, const struct actor *person,
                   const char *ids[JUDGE_VARIANTS_MAXIMUM], size_t *count)
{
        size_t variants = 0;

        *count = 0;
        for (size_t i = 0; i < members->count; i++) {
                const struct store_task *task = &members->items[i];
                if (task->is_judge)
                        continue;
                if (!is_finished(task))
                        return false;
                variants++;
                bool is_seen = access_to_task(person, task) != TASK_ACCESS_HIDDEN;
                if (is_seen && !strcmp(task->status, "completed") && !task->is_loser && *count < JUDGE_VARIANTS_MAXIMUM)
                        ids[(*count)++] = task->id;
        }
        return variants > 1;
}

static bool judge(struct services *services, struct store_db *db, const struct store_task *task,
                  const struct environment_auto_judge *settings, struct error *error)
{
        const char *ids[JUDGE_VARIANTS_MAXIMUM];
        struct wanted wanted = {.services = services,
                                .person = task->creator,
                                .task = task,
                                .order = {.group_id = task->group_id},
                                .new = {.origin = REQUEST_AUTO_JUDGE}};
        auto_store_tasks members = {0};
        auto_store_group group = {0};
        auto_error nothing = {0};
        bool is_asked, is_found;
        size_t count;

        if (!store_judge_request_is_asked(db, task->group_id, NULL, &is_asked, error) || is_asked)
                return is_asked;
        if (!store_group_find(db, task->group_id, &group, &is_found, error) ||
            !store_group_members(db, task->group_id, 0, &members, error))
                return false;
        if (group.creator)
                wanted.person = group.creator;
        if (!wanted.person)
                return true;
        auto_review_actor person = {0};
        bool is_person = review_actor_open(db, wanted.person, &person, &nothing);
        if (!is_person && nothing.code != ERROR_PERMISSION_DENIED)
                return error_move(error, &nothing);
        if (!gather(&members, &person.actor, ids, &count))
                return true;
        wanted.order.task_ids = (struct field_strings){ids, count};
        fill_reviewers(&wanted, &settings->reviewers, settings->instructions);
        if (!count && is_person)
                error_set(&nothing, ERROR_NOTHING_TO_EVALUATE, "No variant of the group has ended well.");
        if (!count)
                wanted.refusal = &nothing;
        return wanted.refusal ? write_wanted(&wanted, error) : ask(&wanted, error);
}

bool auto_review_advance(struct services *services, struct store_db *db, int64_t rid, struct error *error)
{
        auto_store_task task = {0};
        bool is_found;

        if (!store_task_find_rid(db, rid, 0, &task, &is_found, error))
                return false;
        if (!is_found || !auto_review_applies(services, &task))
                return true;
        auto_environment *environment = environment_find_rid(services->environments, task.environment);
        const struct environment_auto_judge *auto_judge = environment ? environment->file.autoJudge : NULL;
        const struct environment_verification *verification = environment ? environment->file.verification : NULL;
        if (task.group_id)
                return !auto_judge || judge(services, db, &task, auto_judge, error);
        return !verification || verify(services, db, &task, verification, error);
}
