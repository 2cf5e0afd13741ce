#include "tests/store/suites.h"

#include "server/base/secret.h"

int main(void)
{
        secret_init();
        return run_commit_tests() + run_feed_tests() + run_follow_up_tests() + run_identity_tests() + run_list_tests() +
               run_page_tests() + run_plan_tests() + run_space_tests();
}
