#include "tests/runner/cases.h"

int main(void)
{
        return (message_cases() + run_cases() + end_cases() + control_cases() + connect_cases() + fault_cases()) != 0;
}
