/* Heads of requests and responses that the gateway carries. What was taken is written and must be taken again. */
#include "server/http/message_head.h"

#include <stdlib.h>
#include <string.h>

static bool is_own(const char *name, size_t length)
{
        return length == 3 && !strncmp(name, "own", 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const struct head_forward forward = {.client = "192.0.2.1", .scheme = "http", .is_own_cookie = is_own};
        auto_free char *bytes = memory_new(size + 1), *again = memory_new(size + 1);
        auto_text request = TEXT_WITH_MAXIMUM(SIZE_MAX / 2), response = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        struct message_head head;

        if (size)
                memcpy(bytes, data, size);
        memcpy(again, bytes, size + 1);
        size_t length = head_length(bytes, size);
        if (!length)
                return 0;
        if (head_read_request(bytes, length, &head)) {
                auto_free char *cookie = head_cookie(&head, "own");
                head_write_request(&head, &forward, &request);
                size_t written = head_length(text_string(&request), request.length);
                /* Without one, the fields that are added may be too many. */
                if (written != request.length || (!head_read_request(request.data, written, &head) && head.count < 120))
                        abort();
        }
        if (head_read_response(again, length, "GET", &head))
                head_write_response(&head, &forward, true, &response);
        return 0;
}
