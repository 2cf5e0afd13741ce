#include <semaphore.h>

#include "server/base/document.h"
#include "server/services/password.h"
#include "server/services/user.h"
#include "server/store/user.h"
#include "tests/services/identity_fixture.h"
#include "tests/services/suites.h"

static void a_password_is_kept_as_a_hash_that_only_it_fits(void **state)
{
        struct identity *identity = *state;
        struct call call = identity_call(identity, &actor_local);
        struct user_add_input input = {.name = "ann", .password = "correct horse"};
        auto_error error = {0};
        auto_json *result = NULL;
        auto_store_user user = {0};
        bool is_right;

        assert_true(user_add(&call, &input, &result, &error));
        assert_true(store_user_find(identity->db, "ann", &user, &error));
        assert_non_null(strstr(user.password_hash, "$argon2id$"));
        assert_true(password_verify(user.password_hash, "correct horse", &is_right, &error));
        assert_true(is_right);
        assert_true(password_verify(user.password_hash, "wrong horse", &is_right, &error));
        assert_false(is_right);
        assert_true(password_verify(NULL, "correct horse", &is_right, &error));
        assert_false(is_right);
}

struct round {
        sem_t done;
        sem_t hold;
        bool is_held;
};

/* The first check holds the pool's thread, so that what is queued meanwhile waits. */
static void round_done(void *context, bool is_right)
{
        struct round *round = context;

        bool is_first = !round->is_held;

        (void)is_right;
        round->is_held = true;
        sem_post(&round->done);
        if (is_first)
                sem_wait(&round->hold);
}

static void more_logins_than_the_queue_holds_are_told_to_come_again(void **state)
{
        struct round round = {.is_held = false};
        auto_error error = {0}, refused = {0};
        const char *broken = "not a hash: is refused without any work";

        (void)state;
        sem_init(&round.done, 0, 0);
        sem_init(&round.hold, 0, 0);
        assert_true(password_verify_later(broken, "x", round_done, &round, &error));
        sem_wait(&round.done);
        for (size_t i = 0; i < PASSWORD_QUEUE_MAXIMUM; i++)
                assert_true(password_verify_later(broken, "x", round_done, &round, &error));
        assert_false(password_verify_later(broken, "x", round_done, &round, &refused));
        assert_int_equal(refused.code, ERROR_TOO_MANY);
        assert_int_equal(error_kind(refused.code)->status, 429);
        sem_post(&round.hold);
        for (size_t i = 0; i < PASSWORD_QUEUE_MAXIMUM; i++)
                sem_wait(&round.done);
        assert_true(password_verify_later(broken, "x", round_done, &round, &error));
        sem_wait(&round.done);
}

int run_password_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_password_is_kept_as_a_hash_that_only_it_fits, identity_open,
                                                identity_close),
                cmocka_unit_test(more_logins_than_the_queue_holds_are_told_to_come_again),
        };

        return cmocka_run_group_tests_name("passwords", tests, NULL, NULL);
}
