#include "server/services/setup.h"

#include "server/base/document.h"
#include "server/rest/cookie.h"
#include "server/rest/operations.h"

static const struct field status_rows[] = {
        OUT_BOOLEAN("needed", .is_required = true, .help = "There is no user: POST /setup makes the administrator."),
};
static const struct field_table status_output = OUTPUT_TABLE("setup", status_rows);

REST_SERVICE_PLAIN(setup_status)
const struct rest_operation rest_setup_get = {.output = &status_output, .is_public = true, .run = run_setup_status};

/* The token goes into the cookie and nowhere else. */
static void keep_token(struct http_request *request, const struct caller *caller, json_t *result)
{
        (void)caller;
        rest_session_cookie(request, document_get_string(result, "token"));
        json_object_del(result, "token");
}

REST_SERVICE(setup_run, struct setup_input)
const struct rest_operation rest_setup = {.input = &setup_table,
                                          .output = &rest_login_output,
                                          .mode = REST_BLOCKS,
                                          .status = 201,
                                          .is_public = true,
                                          .run = run_setup_run,
                                          .decorate = keep_token};
