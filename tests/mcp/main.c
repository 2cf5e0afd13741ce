#include "tests/mcp/fixture.h"

#include "server/base/log.h"
#include "server/base/secret.h"

int main(void)
{
        secret_init();
        log_configure(LOG_LEVEL_ERROR, false);
        return run_envelope_tests() + run_transport_tests() + run_tool_tests() + run_bound_tests() +
               run_origin_tests() + run_stateless_tests() + run_scope_tests() + run_streamed_tests() +
               run_resource_tests() + run_error_tests();
}
