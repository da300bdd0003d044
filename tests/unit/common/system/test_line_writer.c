/* common/line_writer: order, lines that are left out, an end with a bounded wait. The descriptor is a pipe,
 * which the test fills first when it must stay unread. */
#include "common/system/line_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "tests/unit/common/test_support.h"

enum { READER, WRITER, RING_BYTES = 4096 };

static char ring[RING_BYTES];

static size_t write_note(char *line, size_t size, uint64_t left_out) {
    return (size_t)snprintf(line, size, "left out %llu\n", (unsigned long long)left_out);
}

/* Returns how many bytes it took to fill it. */
static size_t open_full_pipe(int ends[2]) {
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[WRITER], F_SETFL, O_NONBLOCK), 0);
    size_t bytes = 0;
    while (write(ends[WRITER], "\n", 1) == 1) {
        bytes++;
    }
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(fcntl(ends[WRITER], F_SETFL, 0), 0);
    return bytes;
}

static void put_number(struct line_writer *writer, int number) {
    char line[64];
    line_writer_put(writer, line,
                    (size_t)snprintf(line, sizeof line, "line %d, and words that fill it\n", number));
}

/* Reads lines to the end of the pipe: numbers ascend, and every gap is reported in its place.
 * Returns the number after the last. */
static int expect_numbers(int reader) {
    FILE *lines = fdopen(reader, "r");
    assert_non_null(lines);
    char line[128];
    int next = 0;
    while (fgets(line, sizeof line, lines) != NULL) {
        int number = 0;
        unsigned long long left_out = 0;
        if (sscanf(line, "line %d, and words that fill it\n", &number) == 1) {
            assert_int_equal(number, next);
            next++;
        } else {
            assert_int_equal(sscanf(line, "left out %llu\n", &left_out), 1);
            assert_true(left_out > 0);
            next += (int)left_out;
        }
    }
    assert_int_equal(fclose(lines), 0);
    return next;
}

/* Far more than the ring holds, so it goes round many times. */
static void keeps_order(void **state) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct line_writer writer = LINE_WRITER_ON(ends[WRITER]);
    put_number(&writer, 0); /* at once */
    assert_true(line_writer_start(&writer, ring, sizeof ring, write_note));
    for (int number = 1; number < 1000; number++) {
        put_number(&writer, number);
    }
    line_writer_stop(&writer);
    put_number(&writer, 1000); /* at once again */
    line_writer_stop(&writer); /* does nothing */
    close(ends[WRITER]);
    assert_int_equal(expect_numbers(ends[READER]), 1001);
}

static void leaves_out_what_has_no_room(void **state) {
    int ends[2];
    const size_t filling = open_full_pipe(ends);
    struct line_writer writer = LINE_WRITER_ON(ends[WRITER]);
    assert_true(line_writer_start(&writer, ring, sizeof ring, write_note));
    for (int number = 0; number < 5000; number++) {
        put_number(&writer, number); /* never waits, or this would not end */
    }
    char byte = 0;
    for (size_t i = 0; i < filling; i++) {
        assert_int_equal(read(ends[READER], &byte, 1), 1);
        assert_int_equal(byte, '\n');
    }
    line_writer_stop(&writer); /* the count comes though no further line does */
    put_number(&writer, 5000);
    close(ends[WRITER]);
    assert_int_equal(expect_numbers(ends[READER]), 5001);
}

static void *stop_writer(void *context) {
    line_writer_stop(context);
    return NULL;
}

/* As when a lost rank and the program's own end come together: each waits until all is written. */
static void several_threads_stop_it(void **state) {
    enum { STOPPERS = 4, ROUNDS = 200 };
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t stoppers[STOPPERS];
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        struct line_writer writer = LINE_WRITER_ON(ends[WRITER]);
        assert_true(line_writer_start(&writer, ring, sizeof ring, write_note));
        for (int number = 0; number < 10; number++) {
            put_number(&writer, number);
        }
        for (int i = 0; i < STOPPERS; i++) {
            assert_int_equal(pthread_create(&stoppers[i], NULL, stop_writer, &writer), 0);
        }
        for (int i = 0; i < STOPPERS; i++) {
            assert_int_equal(pthread_join(stoppers[i], NULL), 0);
        }
        put_number(&writer, 10); /* at once */
        close(ends[WRITER]);
        assert_int_equal(expect_numbers(ends[READER]), 11);
    }
}

static void ends_without_a_reader(void **state) {
    int ends[2];
    (void)open_full_pipe(ends);
    static struct line_writer writer; /* its thread stays */
    writer = (struct line_writer)LINE_WRITER_ON(ends[WRITER]);
    static char kept[RING_BYTES];
    assert_true(line_writer_start(&writer, kept, sizeof kept, NULL));
    for (int number = 0; number < 500; number++) {
        put_number(&writer, number);
    }
    const uint64_t start_ns = clock_now_ns();
    line_writer_stop(&writer);
    const double seconds = (double)(clock_now_ns() - start_ns) * 1e-9;
    assert_true(seconds > 0.15 && seconds < 10.0);
    put_number(&writer, 500); /* given up: left out, without a wait */
    line_writer_stop(&writer);
    close(ends[READER]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_order), cmocka_unit_test(leaves_out_what_has_no_room),
        cmocka_unit_test(several_threads_stop_it), cmocka_unit_test(ends_without_a_reader)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
