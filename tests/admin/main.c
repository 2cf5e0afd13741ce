#include "tests/admin/suites.h"

#include "server/base/secret.h"

int main(void)
{
        secret_init();
        return run_command_line_tests() + run_process_tests() + run_socket_tests() + run_backup_tests();
}
