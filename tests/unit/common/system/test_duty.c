/* A thread that works when it is ordered: nothing that was ordered is left out, and the end waits for it. */
#include "tests/unit/common/test_support.h"

#include <semaphore.h>
#include <signal.h>

#include "common/system/duty.h"

struct stage {
    struct duty duty;
    sem_t begun, may_end;
    int done; /* the thread's while the duty is busy */
    bool takes_signals;
};

static void work(void *context) {
    struct stage *stage = context;
    sigset_t blocked;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
    stage->takes_signals = sigismember(&blocked, SIGTERM) == 0;
    assert_int_equal(sem_post(&stage->begun), 0);
    assert_int_equal(sem_wait(&stage->may_end), 0);
    stage->done++;
}

static void begin(struct stage *stage) {
    *stage = (struct stage){.done = 0};
    assert_int_equal(sem_init(&stage->begun, 0, 0), 0);
    assert_int_equal(sem_init(&stage->may_end, 0, 0), 0);
    assert_int_equal(duty_start(&stage->duty, work, stage), 0);
}

static void work_is_done_once_an_order(void **state) {
    struct stage stage;
    begin(&stage);
    assert_false(duty_is_busy(&stage.duty));
    for (int i = 1; i <= 3; i++) {
        duty_order(&stage.duty);
        assert_int_equal(sem_wait(&stage.begun), 0);
        assert_true(duty_is_busy(&stage.duty));
        assert_int_equal(sem_post(&stage.may_end), 0);
        duty_wait(&stage.duty);
        assert_false(duty_is_busy(&stage.duty));
        assert_int_equal(stage.done, i);
    }
    assert_false(stage.takes_signals);
    duty_end(&stage.duty);
    assert_int_equal(stage.done, 3);
}

static void orders_while_it_works_are_one_after_it(void **state) {
    struct stage stage;
    begin(&stage);
    duty_order(&stage.duty);
    assert_int_equal(sem_wait(&stage.begun), 0);
    duty_order(&stage.duty);
    duty_order(&stage.duty);
    assert_int_equal(sem_post(&stage.may_end), 0);
    assert_int_equal(sem_post(&stage.may_end), 0);
    duty_wait(&stage.duty);
    assert_int_equal(stage.done, 2);
    duty_end(&stage.duty);
    assert_int_equal(stage.done, 2);
}

static void the_end_waits_for_what_was_ordered(void **state) {
    struct stage stage;
    begin(&stage);
    assert_int_equal(sem_post(&stage.may_end), 0);
    duty_order(&stage.duty);
    duty_end(&stage.duty);
    assert_int_equal(stage.done, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_done_once_an_order),
        cmocka_unit_test(orders_while_it_works_are_one_after_it),
        cmocka_unit_test(the_end_waits_for_what_was_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
