#include "tests/mcp/fixture.h"

#include "server/base/log.h"
#include "server/base/secret.h"

int main(void)
{
        secret_init();
        log_configure(LOG_LEVEL_ERROR, false);
        return run_envelope_tests() + run_transport_tests() + run_tool_tests() + run_bound_tests();
}
