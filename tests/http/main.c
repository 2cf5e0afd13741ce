#include "server/base/secret.h"
#include "tests/http/fixture.h"

static int run_all(void)
{
        return run_routing_tests() + run_body_tests() + run_suspend_tests() + run_lifecycle_tests() + run_load_tests() +
               run_stream_tests() + run_file_tests() + run_limit_tests();
}

/* Everything is true of both kinds of connections. */
int main(void)
{
        secret_init();
        int failed = run_address_tests() + run_fetch_tests() + run_gateway_tests() + run_all();
        fixture_use_tls();
        return failed + run_all() + run_tls_tests();
}
