#include "tests/git/fixture.h"
int workspace_tests(void)
{
        return 0;
}
int fault_tests(void);
int fault_tests(void)
{
        return 0;
}
