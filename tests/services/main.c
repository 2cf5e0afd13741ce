#include "tests/services/suites.h"

#include "server/base/secret.h"

int main(void)
{
        secret_init();
        return run_access_tests() + run_identity_tests() + run_setting_tests() + run_password_tests() +
               run_environment_tests() + run_metrics_tests();
}
