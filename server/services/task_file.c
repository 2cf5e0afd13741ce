#include "server/services/task.h"

#include "server/base/document.h"
#include "server/services/file_page.h"
#include "server/services/output_files.h"
#include "server/services/task_view.h"

bool task_file_read(struct call *call, const struct task_file_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        int64_t size;

        if (!task_open(call, input->taskId, &task, &redactor, error) || !access_require_content(&task, error))
                return false;
        redactor_set_file(&redactor, input->path);
        auto_fd file = output_file_open(call->services, task.id, input->path, &size, NULL, error);
        if (file < 0)
                return false;
        auto_json *object = json_object();
        json_object_set_new(object, "path", document_string(input->path));
        if (!file_page_read(&redactor, file, input->offset, input->maxBytes, size, object, error))
                return false;
        *result = take(object);
        return true;
}
