#define FORMAT stream_format_gemini
#include "tests/fuzz/json_stream.h"
