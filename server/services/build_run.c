#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "docker/build.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/build.h"
#include "server/services/build_context.h"
#include "server/services/builder_parts.h"

#define LOG_MAXIMUM (16 * 1024 * 1024)
#define LOG_CUT "[What follows is not kept: the output is longer than 16 MiB.]\n"
#define FAILED_STEP "returned a non-zero code: "

/* One build at work. */
struct work {
        struct builder *builder;
        const struct store_build *build;
        const struct environment *environment;
        struct build_run run;
        int log;
        int64_t logged; /* bytes */
        const struct build_context *context;
        char image[DOCKER_IMAGE_ID_SIZE];
        int64_t image_size;
};

/* A disk that is full costs output, not the build. */
static void write_log(struct work *work, const char *bytes, size_t length)
{
        for (size_t done = 0; done < length;) {
                ssize_t got = write(work->log, bytes + done, length - done);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got <= 0)
                        return;
                done += (size_t)got;
        }
}

static bool log_line(const char *line, size_t length, void *context)
{
        struct work *work = context;
        auto_text whole = TEXT_WITH_MAXIMUM(DOCKER_BUILD_LINE_MAXIMUM + 1);

        if (work->logged > LOG_MAXIMUM)
                return true;
        work->logged += (int64_t)length + 1;
        if (work->logged > LOG_MAXIMUM) {
                write_log(work, LOG_CUT, strlen(LOG_CUT));
                return true;
        }
        /* In one piece, so that a reader rarely finds half a line. */
        text_append(&whole, line, length);
        text_append(&whole, "\n", 1);
        write_log(work, whole.data, whole.length);
        return true;
}

static bool inputs_work(struct store_db *db, void *context, struct error *error)
{
        const struct work *work = context;
        bool is_setup = !strcmp(work->context->source, BUILD_SETUP);

        return store_build_set_inputs(db, work->build->rid, work->context->source,
                                      is_setup ? work->environment->file.image : NULL, work->context->inputs_hash,
                                      error);
}

/* Who asked for the end before the run was registered did not find it. */
static bool check_cancelled(struct work *work, struct store_db *db, struct error *error)
{
        auto_store_build now = {0};
        bool is_found;

        if (!store_build_find(db, work->build->id, &now, &is_found, error))
                return false;
        if (is_found && !now.cancelled_at)
                return true;
        builder_cancel(work->builder, work->build->rid);
        return error_set(error, ERROR_CANCELLED, "the build was cancelled");
}

static bool make_context(struct work *work, const char *folder, struct build_context *context, struct error *error)
{
        struct services *services = work->builder->services;
        auto_docker_image base = {0};
        bool is_setup = work->environment->build_source && !strcmp(work->environment->build_source, BUILD_SETUP);

        return (!is_setup || docker_image_inspect(services->docker, work->environment->file.image, &base, error)) &&
               build_context_make(environments_folder(services->environments), work->environment, base.user, folder,
                                  context, error);
}

static bool run_engine(struct work *work, struct error *error)
{
        const struct environment *environment = work->environment;
        const struct docker_pair label = {LABEL_BUILD, work->build->id};
        struct docker_build_spec spec = {.tag = work->build->reference,
                                         .context_fd = work->context->file,
                                         .network = environment->file.network,
                                         .labels = &label,
                                         .label_count = 1,
                                         .memory = environment->file.limits->memoryMb * 1024 * 1024,
                                         .is_fresh = work->build->is_fresh};
        auto_docker_image image = {0};
        struct docker *docker = work->builder->services->docker;

        if (!docker_image_build(docker, &spec, log_line, work, work->run.timer, work->image, error) ||
            !docker_image_inspect(docker, work->image, &image, error))
                return false;
        work->image_size = image.size;
        return true;
}

static bool run(struct work *work, struct store_db *db, struct error *error)
{
        auto_free char *folder = build_path_folder(work->builder->services->data_folder, work->build->id),
                       *path = path_join(folder, BUILD_LOG);
        auto_build_context context = {.file = -1};

        if (!path_make_folder(folder, 0700, error))
                return false;
        work->log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
        if (work->log < 0)
                return error_set(error, ERROR_INTERNAL, "%s cannot be made: %s", path, strerror(errno));
        if (!work->environment)
                return error_set(error, ERROR_ENVIRONMENT_NOT_FOUND, "the environment is gone");
        if (!check_cancelled(work, db, error) || !make_context(work, folder, &context, error))
                return false;
        work->context = &context;
        return store_write(work->builder->services->store, inputs_work, work, error) && run_engine(work, error);
}

/* The end as it is recorded. A cancellation that came too late for the engine counts all the same: whoever asked for it
 * does not want the image. */
struct ending {
        const struct store_build *build;
        struct store_build_end end;
};

static bool end_work(struct store_db *db, void *context, struct error *error)
{
        struct ending *ending = context;
        auto_store_build now = {0};
        bool is_found;

        if (!store_build_find(db, ending->build->id, &now, &is_found, error))
                return false;
        if (is_found && now.cancelled_at)
                ending->end = (struct store_build_end){
                        .state = "cancelled", .type = "cancelled", .message = "The build was cancelled."};
        return store_build_end(db, ending->build->rid, &ending->end, clock_now(), error);
}

/* "The command '...' returned a non-zero code: 3" */
static void find_exit_code(const struct error *reason, struct store_build_end *end)
{
        const char *words = strstr(reason->message, FAILED_STEP);
        int code = 0;

        end->has_exit_code = words && sscanf(words + strlen(FAILED_STEP), "%d", &code) == 1;
        end->exit_code = code;
}

static struct store_build_end end_of(struct work *work, const struct error *reason)
{
        struct store_build_end end = {.state = "failed", .message = reason->message};
        enum build_stop stop = builder_stop_reason(work->builder, &work->run);

        if (stop == BUILD_SERVER_STOPS) {
                end.type = "server_restart";
                end.message = "The server ended while the image was built.";
        } else if (reason->code == ERROR_CANCELLED && stop == BUILD_GOES_ON) {
                end.type = "time_limit";
                end.message = "The build took too long and was ended.";
        } else {
                end.type = error_kind(reason->code)->code;
                find_exit_code(reason, &end);
        }
        return end;
}

static void record(struct work *work, struct ending *ending)
{
        auto_error error = {0};

        while (!store_write(work->builder->services->store, end_work, ending, &error)) {
                log_error("the end of a build could not be recorded", "build", work->build->id, "reason",
                          error.message);
                error_clear(&error);
                /* The next start ends it otherwise. */
                if (!builder_pause(work->builder))
                        return;
        }
}

void build_run(struct builder *builder, struct store_db *db, const struct store_build *build)
{
        auto_environment *environment = environment_find_rid(builder->services->environments, build->environment);
        struct work work = {
                .builder = builder, .build = build, .environment = environment, .run = {.rid = build->rid}, .log = -1};
        struct ending ending = {.build = build};
        auto_error reason = {0};

        builder_enter(builder, &work.run);
        if (run(&work, db, &reason)) {
                ending.end = (struct store_build_end){
                        .state = "succeeded", .type = "finished", .image = work.image, .image_size = work.image_size};
        } else {
                ending.end = end_of(&work, &reason);
                if (work.log >= 0)
                        log_line(ending.end.message, strlen(ending.end.message), &work);
        }
        if (work.log >= 0)
                close(work.log);
        record(&work, &ending);
        builder_leave(builder, &work.run);
        log_info("an image build has ended", "environment", build->environment_name, "build", build->id, "state",
                 ending.end.state);
}
