/* Anything as the arguments of a tool; the first byte chooses the tool. What is accepted must be within the limits. */
#include <stdlib.h>
#include <string.h>

#include "mcp/tool.h"
#include "server/base/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_row(const struct field *row, const char *input)
{
        const char *string;
        int64_t number;

        if (row->type == FIELD_STRING) {
                memcpy(&string, input + row->offset, sizeof string);
                if (string && row->maximum && utf8_count(string, strlen(string)) > (size_t)row->maximum)
                        abort();
                if (!string && row->is_required)
                        abort();
        } else if (row->type == FIELD_INTEGER) {
                memcpy(&number, input + row->offset, sizeof number);
                if (number < row->minimum || (row->maximum && number > row->maximum))
                        abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        _Alignas(max_align_t) char input[TOOL_INPUT_SIZE];
        auto_field_memory memory = {0};
        auto_error error = {0}, refused = {0};

        if (!size)
                return 0;
        const struct tool *tool = mcp_tools[data[0] % mcp_tool_count];
        auto_json *document = document_parse((const char *)data + 1, size - 1, &error);
        if (!document)
                return 0;
        if (!field_read(tool->input, document, &memory, input, &refused)) {
                if (!utf8_is_valid(refused.message, strlen(refused.message)) || refused.code != ERROR_INVALID_INPUT)
                        abort();
                return 0;
        }
        for (size_t i = 0; i < tool->input->count; i++)
                check_row(&tool->input->rows[i], input);
        return 0;
}
