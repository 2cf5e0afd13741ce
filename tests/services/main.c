#include "tests/services/suites.h"

#include "server/base/secret.h"

int main(void)
{
        secret_init();
        return run_environment_tests() + run_metrics_tests();
}
