#define FORMAT stream_format_claude
#include "tests/fuzz/json_stream.h"
