#include "tests/base/suites.h"

#include <semaphore.h>
#include <stdatomic.h>

#include "tests/cmocka.h"

#include "server/base/pool.h"

/* Work that says it has started and ends when it may. */
struct gate {
        sem_t started, may_end;
        atomic_uint ended;
};

static void pass(void *argument)
{
        struct gate *gate = argument;

        sem_post(&gate->started);
        sem_wait(&gate->may_end);
        atomic_fetch_add(&gate->ended, 1);
}

static int open_gate(void **state)
{
        static struct gate gate;

        sem_init(&gate.started, 0, 0);
        sem_init(&gate.may_end, 0, 0);
        atomic_store(&gate.ended, 0);
        *state = &gate;
        return 0;
}

static void work_runs_on_as_many_threads_as_there_are(void **state)
{
        struct gate *gate = *state;
        struct pool *pool = pool_new(3, 10);

        for (int i = 0; i < 3; i++)
                assert_true(pool_submit(pool, pass, gate));
        for (int i = 0; i < 3; i++)
                sem_wait(&gate->started);
        for (int i = 0; i < 3; i++)
                sem_post(&gate->may_end);
        pool_free(pool);
        assert_int_equal(atomic_load(&gate->ended), 3);
}

static void work_that_runs_alone_waits_for_its_like_and_holds_up_no_other(void **state)
{
        struct gate *gate = *state;
        struct gate other = {0};
        struct pool *pool = pool_new(3, 10);

        sem_init(&other.started, 0, 0);
        sem_init(&other.may_end, 0, 0);
        for (int i = 0; i < 4; i++)
                assert_true(pool_submit_alone(pool, pass, gate));
        for (int i = 0; i < 2; i++)
                assert_true(pool_submit(pool, pass, &other));
        sem_wait(&gate->started);
        sem_wait(&other.started);
        sem_wait(&other.started);
        assert_int_equal(sem_trywait(&gate->started), -1);
        sem_post(&other.may_end);
        sem_post(&other.may_end);
        for (int i = 0; i < 3; i++) {
                sem_post(&gate->may_end);
                sem_wait(&gate->started);
        }
        sem_post(&gate->may_end);
        pool_free(pool);
        assert_int_equal(atomic_load(&gate->ended), 4);
        assert_int_equal(atomic_load(&other.ended), 2);
}

static void a_full_queue_refuses_work(void **state)
{
        struct gate *gate = *state;
        struct pool *pool = pool_new(1, 2);

        assert_true(pool_submit(pool, pass, gate));
        sem_wait(&gate->started);
        assert_true(pool_submit(pool, pass, gate));
        assert_true(pool_submit(pool, pass, gate));
        assert_false(pool_submit(pool, pass, gate));
        sem_post(&gate->may_end);
        sem_wait(&gate->started);
        assert_true(pool_submit(pool, pass, gate));
        for (int i = 0; i < 3; i++)
                sem_post(&gate->may_end);
        pool_free(pool);
        assert_int_equal(atomic_load(&gate->ended), 4);
}

static void freeing_a_pool_runs_what_waits(void **state)
{
        struct gate *gate = *state;
        struct pool *pool = pool_new(1, 100);

        for (int i = 0; i < 100; i++) {
                sem_post(&gate->may_end);
                assert_true(pool_submit(pool, pass, gate));
        }
        pool_free(pool);
        assert_int_equal(atomic_load(&gate->ended), 100);
}

static char order[9];

static void note_order(void *letter)
{
        strncat(order, letter, 1);
}

static void work_is_taken_in_the_order_it_came(void **state)
{
        struct pool *pool = pool_new(1, 8);
        static char letters[] = "abcdefgh";

        (void)state;
        for (size_t i = 0; letters[i]; i++)
                assert_true(pool_submit(pool, note_order, &letters[i]));
        pool_free(pool);
        assert_string_equal(order, letters);
}

int run_pool_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup(work_runs_on_as_many_threads_as_there_are, open_gate),
                cmocka_unit_test_setup(work_that_runs_alone_waits_for_its_like_and_holds_up_no_other, open_gate),
                cmocka_unit_test_setup(a_full_queue_refuses_work, open_gate),
                cmocka_unit_test_setup(freeing_a_pool_runs_what_waits, open_gate),
                cmocka_unit_test(work_is_taken_in_the_order_it_came),
        };

        return cmocka_run_group_tests_name("worker pool", tests, NULL, NULL);
}
