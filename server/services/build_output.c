#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/build_view.h"
#include "server/services/file_page.h"

static const struct field rows[] = {
        STRING_FIELD(struct build_output_input, buildId, .is_required = true, .minimum = 1, .maximum = ID_SIZE,
                     .help = "The build's id."),
        STRING_FIELD(struct build_output_input, environment, .minimum = 1, .maximum = 64,
                     .help = "The environment that the build must be of."),
        INTEGER_FIELD(struct build_output_input, offset, .help = "Byte to begin at."),
        INTEGER_FIELD(struct build_output_input, maxBytes, .minimum = 1, .maximum = 512000, .preset = 64000,
                      .help = "Longest page in bytes."),
};
const struct field_table build_output_table = FIELD_TABLE(struct build_output_input, rows);

/* -1 when there is none (yet). */
static int open_output(const struct call *call, const struct store_build *build, int64_t *size)
{
        auto_free char *folder = build_path_folder(call->services->data_folder, build->id),
                       *path = path_join(folder, BUILD_LOG);
        auto_fd file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        struct stat info;

        *size = file < 0 || fstat(file, &info) ? 0 : info.st_size;
        return take_fd(&file);
}

bool build_output(struct call *call, const struct build_output_input *input, json_t **result, struct error *error)
{
        auto_store_build build = {0};
        auto_redactor redactor = {0};
        auto_json *object = json_object();
        int64_t size;

        /* The state is read before the output: what was complete then is complete now. */
        if (!build_read(call, input->buildId, input->environment, &build, error) ||
            !redactor_init(&redactor, call->services, call->db, error))
                return false;
        auto_fd file = open_output(call, &build, &size);
        json_object_set_new(object, "buildId", document_string(build.id));
        json_object_set_new(object, "status", document_string(build.state));
        if (!file_page_read(&redactor, file, input->offset, input->maxBytes, size, object, error))
                return false;
        bool is_over = strcmp(build.state, "queued") && strcmp(build.state, "running");
        bool is_more = json_is_integer(json_object_get(object, "nextOffset"));
        json_object_set_new(object, "isComplete", json_boolean(is_over && !is_more));
        *result = take(object);
        return true;
}
