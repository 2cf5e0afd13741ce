#include "server/base/secret.h"
#include "tests/http/fixture.h"

int main(void)
{
        secret_init();
        return run_routing_tests() + run_body_tests() + run_suspend_tests() + run_lifecycle_tests() + run_load_tests() +
               run_stream_tests() + run_file_tests() + run_fetch_tests();
}
