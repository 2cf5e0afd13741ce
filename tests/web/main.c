#include "tests/web/suites.h"

int main(void)
{
        return run_coding_tests();
}
