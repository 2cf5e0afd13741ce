#define FORMAT stream_format_codex
#include "tests/fuzz/json_stream.h"
