#include "git/worker.h"
#include "server/base/secret.h"
#include "tests/git/fixture.h"

int main(int argc, char **argv)
{
        secret_init();
        if (argc > 1 && !strcmp(argv[1], REPOSITORY_WORKER_ARGUMENT))
                return repository_worker_main(argc, argv);
        return address_tests() + mirror_tests() + workspace_tests() + bundle_tests() + change_tests() + fault_tests() +
               damage_tests();
}
