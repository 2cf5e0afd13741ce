#include "tests/rest/plant_review.h"

#include "server/base/clock.h"
#include "server/store/judge_request.h"
#include "server/store/review_loop.h"
#include "server/store/task.h"
#include "server/store/user.h"

struct planting {
        const char *task_id, *id;
        bool is_request, is_ended;
};

static bool plant_request(struct store_db *db, const struct planting *planting, const struct store_task *task,
                          int64_t user, struct error *error)
{
        struct store_request_task about = {task->rid, task->id};
        struct store_reviewer reviewer = {.agent = (char *)"shell"};
        const struct store_judge_request request = {.id = (char *)planting->id,
                                                    .origin = (char *)"request",
                                                    .requester = user,
                                                    .source = (char *)"rest",
                                                    .environment = task->environment,
                                                    .group_id = (char *)"g-1",
                                                    .state = (char *)"pending",
                                                    .created_at = 1,
                                                    .tasks = &about,
                                                    .task_count = 1,
                                                    .reviewers = {&reviewer, 1}};
        bool is_done;

        return store_judge_request_add(db, &request, &is_done, error);
}

static bool plant_loop(struct store_db *db, const struct planting *planting, const struct store_task *task,
                       int64_t user, struct error *error)
{
        struct store_review_loop loop = {.id = (char *)planting->id,
                                         .owner = user,
                                         .source = (char *)"rest",
                                         .environment = task->environment,
                                         .task = task->rid,
                                         .task_id = task->id,
                                         .group_id = (char *)"g-1",
                                         .max_rounds = 1,
                                         .min_priority = (char *)"medium",
                                         .phase = (char *)"reviewing",
                                         .round = 1,
                                         .attempt = 1,
                                         .created_at = 1};
        bool is_done;

        if (!store_review_loop_add(db, &loop, &loop.rid, error) || !planting->is_ended)
                return !error->code;
        loop.version = 1;
        loop.phase = (char *)"stopped";
        loop.stop_reason = (char *)"max_rounds";
        return store_review_loop_step(db, &loop, &is_done, error);
}

static bool plant_work(struct store_db *db, void *context, struct error *error)
{
        const struct planting *planting = context;
        auto_store_task task = {0};
        auto_store_user user = {0};
        bool is_found;

        return store_user_find(db, "administrator", &user, error) &&
               store_task_find(db, planting->task_id, 0, &task, &is_found, error) &&
               (planting->is_request ? plant_request(db, planting, &task, user.rid, error)
                                     : plant_loop(db, planting, &task, user.rid, error));
}

char *plant_review(struct matrix *matrix, const char *what)
{
        static const char *const words[] = {"LOOPED", "LOOP", "ENDED", "REQUEST"};
        bool is_known = false;
        char id[ID_SIZE];
        auto_error error = {0};

        for (size_t i = 0; i < COUNT_OF(words); i++)
                is_known = is_known || !strcmp(words[i], what);
        if (!is_known)
                return NULL;
        auto_free char *task =
                matrix_make(matrix, "POST", "/tasks",
                            "{\"environment\":\"main\",\"instructions\":\"x\",\"staged\":true}", "taskId");
        struct planting planting = {task, id, !strcmp(what, "REQUEST"), !strcmp(what, "ENDED")};
        id_new("rl", id);
        if (!store_write(matrix->fixture->services.store, plant_work, &planting, &error))
                fail_msg("%s", error.message);
        return !strcmp(what, "LOOPED") ? take(task) : text_copy(id);
}
