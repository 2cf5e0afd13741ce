#define FORMAT stream_format_chat
#include "tests/fuzz/json_stream.h"
