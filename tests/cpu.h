#ifndef TESTS_CPU_H
#define TESTS_CPU_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of processor time of this thread: what other programs do meanwhile does not count. */
static inline int64_t cpu_ms(void)
{
        struct timespec time;

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

#endif
