#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/base/document.h"
#include "server/rest/arguments.h"
#include "server/rest/bearer.h"
#include "server/rest/operations.h"
#include "server/services/reader.h"
#include "server/services/uploaded.h"

#define RECEIVED_STATUS 201

static const struct field upload_rows[] = {
        OUT_STRING("uploadId", .is_required = true, .help = "What `attachments` of a submission of yours names."),
        OUT_STRING("filename", .is_required = true, .help = "Name of the file."),
        OUT_INTEGER("size", .is_required = true, .help = "Bytes."),
        OUT_STRING("createdAt", .format = "date-time", .help = "When it was sent."),
        OUT_STRING("expiresAt", .is_required = true, .format = "date-time",
                   .help = "When it is removed unless a submission has taken it."),
};
static const struct field_table upload_shape = OUTPUT_TABLE("upload", upload_rows);

const struct rest_operation rest_upload_receive = {
        .input = &uploaded_receive_table, .output = &upload_shape, .mode = REST_BLOCKS, .status = RECEIVED_STATUS};

/* A file that was sent. Owns itself. */
struct receiving {
        const struct rest_door *door;
        struct http_request *request;
        struct caller caller;
        char *token;
        struct rest_arguments arguments;
        int file;
        uint64_t size;
};

static void receiving_free(struct receiving *receiving)
{
        rest_arguments_clear(&receiving->arguments);
        if (receiving->file >= 0)
                close(receiving->file);
        free(receiving->token);
        free(receiving);
}

static bool keep(struct receiving *receiving, json_t **result, struct error *error)
{
        struct caller *caller = &receiving->caller;

        caller->db = services_reader(caller->services, error);
        if (!caller->db || !caller_authenticate(caller, error))
                return false;
        struct call call = caller_as_call(caller, "rest", receiving->arguments.document);
        return uploaded_receive(&call, receiving->arguments.input, receiving->file, (int64_t)receiving->size, result,
                                error);
}

static void serve(void *context)
{
        struct receiving *receiving = context;
        auto_json *result = NULL;
        auto_error error = {0};

        if (keep(receiving, &result, &error)) {
                char *body = document_print(result);
                http_respond(receiving->request, RECEIVED_STATUS, HTTP_JSON, body, strlen(body));
        } else {
                rest_refuse(receiving->request, &error);
        }
        receiving_free(receiving);
}

void rest_upload_answer(const struct rest_door *door, struct http_request *request)
{
        struct receiving *receiving = memory_new(sizeof *receiving);
        auto_error error = {0};

        *receiving =
                (struct receiving){.door = door, .request = request, .caller = rest_caller(door->services, request)};
        receiving->file = http_request_take_file(request, &receiving->size);
        receiving->caller.token = receiving->token = text_copy(receiving->caller.token);
        if (!rest_arguments_begin(&rest_upload_receive, request, &receiving->arguments, &error) ||
            !rest_arguments_end(&rest_upload_receive, NULL, 0, &receiving->arguments, &error)) {
                rest_refuse(request, &error);
                receiving_free(receiving);
        } else if (!http_suspend(request)) {
                receiving_free(receiving);
        } else if (!pool_submit(door->pool, serve, receiving)) {
                error_set(&error, ERROR_TOO_MANY, "All workers are busy; retry in a moment.");
                rest_refuse(request, &error);
                receiving_free(receiving);
        }
}

static const struct field list_rows[] = {
        OUT_OBJECTS("uploads", upload_shape, .is_required = true, .help = "By id."),
};
static const struct field_table list_output = OUTPUT_TABLE("uploads", list_rows);

REST_SERVICE_PLAIN(uploaded_list)
const struct rest_operation rest_upload_list = {
        .output = &list_output, .run = run_uploaded_list, .page = {"uploads", "uploadId"}};

static const struct field removed_rows[] = {
        OUT_STRING("uploadId", .is_required = true, .help = "Id of the upload."),
        OUT_BOOLEAN("removed", .is_required = true, .help = "It is gone."),
};
static const struct field_table removed_output = OUTPUT_TABLE("removed upload", removed_rows);

REST_SERVICE(uploaded_remove, struct uploaded_remove_input)
const struct rest_operation rest_upload_remove = {
        .input = &uploaded_remove_table, .output = &removed_output, .mode = REST_BLOCKS, .run = run_uploaded_remove};
