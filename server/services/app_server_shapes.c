#include "server/services/app_server_shapes.h"

#include "server/services/app_server.h"

static const struct field rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("status", .is_required = true,
                   .help = "stopped, exited (it ended by itself), starting, unready (it takes longer to answer than it "
                           "may), running, or unavailable."),
        OUT_BOOLEAN("configured", .help = "Whether the environment has an application server."),
        OUT_INTEGER("port", .is_nullable = true, .help = "Its port in the container."),
        OUT_BOOLEAN("portAvailable", .help = "Whether that takes connections now."),
        OUT_BOOLEAN("proxied", .help = "Whether this server has a proxy through which people reach it."),
        OUT_STRING("runId", .is_nullable = true, .help = "Id of its latest run."),
        OUT_STRING("startedAt", .is_nullable = true, .format = "date-time", .help = "When that began."),
        OUT_STRING("readyAt", .is_nullable = true, .format = "date-time", .help = "When it answered first."),
        OUT_STRING("endedAt", .is_nullable = true, .format = "date-time", .help = "When it ended."),
        OUT_INTEGER("exitCode", .is_nullable = true, .help = "Its exit code."),
        OUT_STRING("reason", .is_nullable = true, .help = "How it ended, or why this is unavailable."),
        OUT_STRING("message", .is_nullable = true, .help = "More about its end."),
};
const struct field_table app_server_shape = OUTPUT_TABLE("application server", rows);

static const struct field change_rows[] = {
        STRING_FIELD(struct app_server_change_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
        STRING_FIELD(struct app_server_change_input, expectedStatus, .is_required = true,
                     .choices = app_server_statuses,
                     .help = "The status just read with get_task_app_server_status: in another one nothing is done."),
};
const struct field_table app_server_change_table = FIELD_TABLE(struct app_server_change_input, change_rows);
