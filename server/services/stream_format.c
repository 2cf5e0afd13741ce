#include "server/services/stream.h"

#include <string.h>

static const struct stream_format *const formats[] = {
        &stream_format_text, &stream_format_claude, &stream_format_codex, &stream_format_gemini, &stream_format_chat,
};

const struct stream_format *stream_format_find(const char *name)
{
        for (size_t i = 0; name && i < COUNT_OF(formats); i++)
                if (!strcmp(formats[i]->name, name))
                        return formats[i];
        return &stream_format_text;
}
