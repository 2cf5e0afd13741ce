#include <stdlib.h>

#include "tests/cmocka.h"
#include "tests/docker/suite.h"

int main(void)
{
        int failed = test_client() + test_failures() + test_containers() + test_streams() + test_builds() +
                     test_execs() + test_demux();

        if (getenv("LONGSHORE_TEST_DOCKER_HOST"))
                failed += test_real_containers() + test_real_streams() + test_real_images();
        else
                fprintf(stderr, "tests/docker: the tests against a real engine were left out: "
                                "LONGSHORE_TEST_DOCKER_HOST is not set\n");
        return failed != 0;
}
