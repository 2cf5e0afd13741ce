#include "server/base/secret.h"
#include "tests/oauth/fixture.h"

int main(void)
{
        secret_init();
        return run_flow_tests() + run_replay_tests() + run_discovery_tests() + run_redirect_tests() +
               run_oauth_refusal_tests() + run_page_tests() + run_registration_tests() + run_document_tests();
}
