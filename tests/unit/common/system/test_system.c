/* Clocks, threads with a duty, lines written by a thread, logs, free memory, options, regular files. */

#include "tests/unit/common/test_support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "common/system/duty.h"
#include "common/system/line_writer.h"
#include "common/system/log.h"
#include "common/system/log_line.h"
#include "common/system/options.h"
#include "common/system/process.h"
#include "common/system/regular_file.h"

/* ==== clock: it moves forward, in nanoseconds ==== */

static void moves_forward_in_nanoseconds(void **state) {
    const uint64_t before = clock_now_ns();
    const struct timespec pause = {.tv_nsec = 5000000};
    assert_int_equal(nanosleep(&pause, NULL), 0);
    const uint64_t after = clock_now_ns();
    assert_true(after - before >= 5000000u);
    assert_true(after - before < UINT64_C(60000000000));
}

/* ==== duty ====
 * A thread that works when it is ordered: nothing that was ordered is left out, and the end waits for it. */

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

/* ==== line writer ====
 * line_writer: order, lines that are left out, an end with a bounded wait. The descriptor is a pipe,
 * which the test fills first when it must stay unread. */

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

/* ==== log ====
 * log: level, shape of a line, no forged lines. stderr is turned to a file for the length of a test. */

static size_t captured(char *text, size_t size) {
    char path[] = "/tmp/drover_test_log_XXXXXX";
    const int file = mkstemp(path);
    const int saved = dup(STDERR_FILENO);
    assert_true(file >= 0 && saved >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    log_write(LOG_DEBUG, "net", "hidden");
    log_write(LOG_WARN, "net", "session %d\nforged \x1B[31m", 3);
    log_set_level(LOG_DEBUG);
    log_write(LOG_DEBUG, "sim", "shown");
    char large[3000];
    memset(large, 'q', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    log_write(LOG_ERROR, "sim", "%s", large);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    const ssize_t length = pread(file, text, size - 1, 0);
    close(saved);
    close(file);
    unlink(path);
    assert_true(length > 0);
    text[length] = '\0';
    return (size_t)length;
}

static void writes_lines(void **state) {
    char text[8192];
    (void)captured(text, sizeof text);
    assert_null(strstr(text, "hidden"));
    const char *first = strstr(text, "Z warn  net: session 3?forged ?[31m\n");
    assert_non_null(first);
    assert_int_equal(first - text, 23); /* 2026-01-31T12:00:00.123 */
    assert_int_equal(text[10], 'T');
    assert_int_equal(text[19], '.');
    assert_non_null(strstr(text, "Z debug sim: shown\n"));
    assert_non_null(strstr(text, "Z error sim: qqqq"));
    assert_int_equal(text[strlen(text) - 1], '\n');
}

static void names_are_null_ended(void **state) {
    assert_string_equal(log_level_names[LOG_ERROR], "error");
    assert_string_equal(log_level_names[LOG_DEBUG], "debug");
    assert_null(log_level_names[LOG_DEBUG + 1]);
}

/* The same with the thread: in order, whole at the end; and the program's last lines. */
static void writes_by_a_thread(void **state) {
    char path[] = "/tmp/drover_test_log_XXXXXX";
    const int file = mkstemp(path);
    const int saved = dup(STDERR_FILENO);
    assert_true(file >= 0 && saved >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    log_start();
    for (int i = 0; i < 1000; i++) {
        log_write(LOG_INFO, "net", "number %d", i);
    }
    log_plain("drover-server: it\nends");
    log_stop();
    log_plain("behind");
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    FILE *lines = fdopen(file, "r");
    assert_non_null(lines);
    rewind(lines);
    char line[256];
    for (int i = 0; i < 1000; i++) {
        int number = -1;
        assert_non_null(fgets(line, sizeof line, lines));
        assert_int_equal(sscanf(line + 23, "Z info  net: number %d\n", &number), 1);
        assert_int_equal(number, i);
    }
    assert_non_null(fgets(line, sizeof line, lines));
    assert_string_equal(line, "drover-server: it?ends\n");
    assert_non_null(fgets(line, sizeof line, lines));
    assert_string_equal(line, "behind\n");
    assert_null(fgets(line, sizeof line, lines));
    assert_int_equal(fclose(lines), 0);
    close(saved);
    unlink(path);
}

/* ==== Lines of the log as bytes: both formats, and texts that try to be more than one line ==== */

static const char *written(struct log_line line) {
    static char out[LOG_LINE_BYTES + 1];
    line.time = (struct timespec){.tv_sec = 1769860800, .tv_nsec = 123456789};
    const size_t length = log_line_write(&line, out);
    assert_true(length <= LOG_LINE_BYTES);
    out[length] = '\0';
    assert_ptr_equal(strchr(out, '\n'), out + length - 1);
    return out;
}

static void text(void **state) {
    const struct log_about about = {7, "192.0.2.1", "full"};
    const struct log_line line = {.level = LOG_WARN, .module = "net", .text = "it is", .about = &about};
    assert_string_equal(written(line), "2026-01-31T12:00:00.123Z warn  net: it is\n");
    struct log_line bare = line;
    bare.is_bare = true;
    assert_string_equal(written(bare), "it is\n");
}

static void json(void **state) {
    const struct log_about about = {7, "192.0.2.1", "full"};
    struct log_line line = {
        .level = LOG_INFO, .module = "net", .text = "it is", .about = &about, .format = LOG_JSON};
    assert_string_equal(written(line),
                        "{\"ts\":\"2026-01-31T12:00:00.123Z\",\"level\":\"info\",\"module\":\"net\",\"msg\":"
                        "\"it is\",\"session\":7,\"address\":\"192.0.2.1\",\"code\":\"full\"}\n");
    line.about = NULL;
    line.is_bare = true; /* an object all the same */
    assert_string_equal(written(line),
                        "{\"ts\":\"2026-01-31T12:00:00.123Z\",\"level\":\"info\",\"module\":\"net\",\"msg\":"
                        "\"it is\"}\n");
}

static void priorities(void **state) {
    static const char *const wanted[] = {"<3>{", "<4>{", "<6>{", "<7>{"};
    for (int level = LOG_ERROR; level <= LOG_DEBUG; level++) {
        const struct log_line line = {.level = (enum log_level)level,
                                      .module = "net",
                                      .text = "",
                                      .format = LOG_JSON,
                                      .has_priority = true};
        assert_memory_equal(written(line), wanted[level], 4);
    }
}

static void texts_cannot_forge(void **state) {
    struct log_line line = {.module = "net",
                            .text = "a\n<3>b\r\x1B[31m\x7F \xC2\x9B \xE2\x80\xA8 \"\\ \xFF \xC3\xA4"};
    assert_non_null(strstr(written(line), "error net: a?<3>b??[31m? ? ? \"\\ \xFF \xC3\xA4\n"));
    line.format = LOG_JSON;
    assert_non_null(strstr(written(line),
                           "\"msg\":\"a\\u000a<3>b\\u000d\\u001b[31m\\u007f \\u009b \\u2028 \\\"\\\\ "
                           "\xEF\xBF\xBD \xC3\xA4\"}\n"));
}

static void the_longest_line_is_whole(void **state) {
    char large[LOG_LINE_TEXT], address[64];
    memset(large, 1, sizeof large - 1);
    memset(address, 2, sizeof address - 1);
    large[sizeof large - 1] = address[sizeof address - 1] = '\0';
    const struct log_about about = {UINT32_MAX, address, "protocol"};
    const struct log_line line = {
        .module = "net", .text = large, .about = &about, .format = LOG_JSON, .has_priority = true};
    const char *out = written(line);
    assert_non_null(strstr(out, "\",\"session\":4294967295,\"address\":\"\\u0002"));
    assert_non_null(strstr(out, ",\"code\":\"protocol\"}\n"));
}

/* ==== What memory is left, as the files of the system say it ==== */

static char root[] = "/tmp/drover-test-memory-XXXXXX";

static int set_up_root(void **state) {
    memcpy(root + sizeof root - 7, "XXXXXX", 6);
    return mkdtemp(root) == NULL ? -1 : 0;
}

static int tear_down_root(void **state) {
    char command[256];
    (void)snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

/* A file below the root, and the folders on the way to it. */
static void write_below_root(const char *path, const char *text) {
    char whole[512];
    (void)snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = strchr(whole + sizeof root, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        assert_true(mkdir(whole, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_machine(void) {
    write_below_root("/proc/meminfo",
                     "MemTotal:       8000 kB\nMemFree:         100 kB\nMemAvailable:   5000 kB\n");
}

static void nothing_to_read(void **state) {
    assert_true(memory_free_of_files(root) == UINT64_MAX);
}

static void the_machine(void **state) {
    write_machine();
    write_below_root("/proc/self/cgroup", "0::/\n");
    assert_true(memory_free_of_files(root) == UINT64_C(5000) * 1024);
}

/* The limit of a group that this one is in counts as well; what files hold is given back. */
static void groups_of_version_2(void **state) {
    write_machine();
    write_below_root("/proc/self/cgroup", "0::/system.slice/drover.service\n");
    write_below_root("/sys/fs/cgroup/system.slice/drover.service/memory.max", "max\n");
    assert_true(memory_free_of_files(root) == UINT64_C(5000) * 1024);
    write_below_root("/sys/fs/cgroup/system.slice/memory.max", "1000000\n");
    write_below_root("/sys/fs/cgroup/system.slice/memory.current", "700000\n");
    assert_true(memory_free_of_files(root) == 300000);
    write_below_root("/sys/fs/cgroup/system.slice/memory.stat", "anon 5\ninactive_file 50000\n");
    assert_true(memory_free_of_files(root) == 350000);
    write_below_root("/sys/fs/cgroup/system.slice/drover.service/memory.max", "1000\n");
    write_below_root("/sys/fs/cgroup/system.slice/drover.service/memory.current", "2000\n");
    assert_true(memory_free_of_files(root) == 0);
}

static void groups_of_version_1(void **state) {
    write_machine();
    write_below_root("/proc/self/cgroup", "12:cpu:/elsewhere\n4:memory:/docker/abc\n0::/\n");
    write_below_root("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "900000\n");
    write_below_root("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "100000\n");
    assert_true(memory_free_of_files(root) == 800000);
}

/* ==== options: values, refusals that name the flag, --help with the defaults ==== */

struct settings {
    char listen[64];
    uint32_t port;
    double scale;
    uint64_t seed;
    int log;
    bool paused;
};

static const char *const levels[] = {"error", "warn", "info", NULL};

static const struct field table[] = {
    OPTION_TEXT(struct settings, listen, "listen", "ADDR", "Address to listen on."),
    OPTION_NUMBER(struct settings, port, "port", 0, 65535, 7717, "N", "Port; 0 takes a free one."),
    OPTION_NUMBER(struct settings, scale, "scale", 0.1, 10, 1, "X", "Scale."),
    OPTION_NUMBER(struct settings, seed, "seed", 0, 9007199254740991.0, 1, "N", "Seed."),
    {.name = "log",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct settings, log),
     .initial = 2,
     .choices = levels,
     .unit = "LEVEL",
     .help = "How much is logged."},
    OPTION_FLAG(struct settings, paused, "paused", "Starts paused."),
    OPTIONS_END,
};

static const struct options_def def = {
    .program = "drover-test",
    .summary = "Tests options.",
    .positional = "[SCENARIO]",
    .positional_help = "What to run.",
    .table = table,
    .epilog = "The end.",
};

enum { MOST_ARGUMENTS = 12 };

/* Splits at spaces: the first word is the program. */
static enum options_result parse(const char *line, struct settings *settings, const char **positional,
                                 struct failure *failure) {
    static char text[512];
    char *arguments[MOST_ARGUMENTS + 1] = {NULL};
    int count = 0;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *at = text; at != NULL; count++) {
        assert_true(count < MOST_ARGUMENTS);
        arguments[count] = at;
        at = strchr(at, ' ');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    *settings = (struct settings){.listen = "127.0.0.1", .port = 7717, .scale = 1, .seed = 1, .log = 2};
    return options_parse(&def, count, arguments, settings, positional, failure);
}

static void reads_values(void **state) {
    struct settings settings;
    struct failure failure;
    const char *positional = "x";
    assert_int_equal(parse("p", &settings, &positional, &failure), OPTIONS_RUN);
    assert_null(positional);
    assert_int_equal(settings.port, 7717);
    assert_int_equal(
        parse("p --port 0 seek --listen=::1 --scale 0.25 --seed=9007199254740991 --log error --paused",
              &settings, &positional, &failure),
        OPTIONS_RUN);
    assert_string_equal(positional, "seek");
    assert_string_equal(settings.listen, "::1");
    assert_int_equal(settings.port, 0);
    assert_true(settings.scale == 0.25);
    assert_true(settings.seed == UINT64_C(9007199254740991));
    assert_int_equal(settings.log, 0);
    assert_true(settings.paused);
    assert_int_equal(parse("p --port 1 --port 2 -- --port", &settings, &positional, &failure), OPTIONS_RUN);
    assert_int_equal(settings.port, 2);
    assert_string_equal(positional, "--port");
}

static void refused_line(const char *line, const char *message) {
    struct settings settings;
    struct failure failure;
    const char *positional = NULL;
    assert_int_equal(parse(line, &settings, &positional, &failure), OPTIONS_BAD);
    assert_string_equal(failure.message, message);
}

static void names_the_flag_and_what_is_allowed(void **state) {
    refused_line("p --port 65536", "--port: 65536 is out of range: 0 to 65535");
    refused_line("p --port=-1", "--port: -1 is out of range: 0 to 65535");
    refused_line("p --port 1.5", "--port: expected an integer, found 1.5");
    refused_line("p --port abc", "--port: expected a number, found \"abc\"");
    refused_line("p --port 12x", "--port: expected a number, found \"12x\"");
    refused_line("p --port=", "--port: expected a number, found \"\"");
    refused_line("p --scale 1e999", "--scale: expected a number, found \"1e999\"");
    refused_line("p --port", "--port: needs a value: N");
    refused_line("p --log loud", "--log: \"loud\" is not one of \"error\", \"warn\", \"info\"");
    refused_line("p --paused=1", "--paused: takes no value");
    refused_line("p --fast", "--fast: unknown option; --help lists them");
    refused_line("p --por 1", "--por: unknown option; --help lists them");
    refused_line("p -p", "-p: unknown option; --help lists them");
    refused_line("p one two", "unexpected argument \"two\"; --help shows the usage");
    refused_line("p --listen 0123456789012345678901234567890123456789012345678901234567890123",
                 "--listen: a text of 64 bytes is too long: at most 63");
}

static void help_and_version_end_it(void **state) {
    struct settings settings;
    struct failure failure;
    const char *positional = NULL;
    assert_int_equal(parse("p --port x --help", &settings, &positional, &failure), OPTIONS_EXIT);
    assert_int_equal(parse("p --version", &settings, &positional, &failure), OPTIONS_EXIT);
}

static void help_shows_ranges_and_defaults(void **state) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    options_print_help(&def, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "Usage: drover-test [OPTIONS] [SCENARIO]\nTests options.\n"));
    assert_non_null(
        strstr(text, "\n  --port N                Port; 0 takes a free one. (0 to 65535; default 7717)\n"));
    assert_non_null(
        strstr(text, "\n  --log LEVEL             How much is logged. (error, warn, info; default info)\n"));
    assert_non_null(strstr(text, "\n  --paused                Starts paused.\n"));
    assert_non_null(strstr(text, "\n  --help "));
    assert_non_null(strstr(text, "\nThe end.\n"));
    free(text);
}

static void test_a_negative_number_is_no_flag_where_several_arguments_are_taken(void **state) {
    struct options_def several = def;
    struct settings settings = {.port = 1};
    struct failure failure = {0};
    const char *first = NULL;
    char program[] = "p", a[] = "mouse", b[] = "-5", flag[] = "--port", port[] = "3", c[] = "-0.5",
         d[] = "-x";
    char *arguments[] = {program, a, b, flag, port, c, NULL};
    char *wrong[] = {program, d, NULL};
    several.takes_several = true;
    assert_int_equal(options_parse(&several, 6, arguments, &settings, &first, &failure), OPTIONS_RUN);
    assert_string_equal(arguments[1], "mouse");
    assert_string_equal(arguments[2], "-5");
    assert_string_equal(arguments[3], "-0.5");
    assert_null(arguments[4]);
    assert_int_equal(settings.port, 3);
    assert_int_equal(options_parse(&several, 2, wrong, &settings, &first, &failure), OPTIONS_BAD);
    char *single[] = {program, b, NULL};
    assert_int_equal(options_parse(&def, 2, single, &settings, &first, &failure), OPTIONS_BAD);
}

/* ==== Files that are opened and files that are refused, without a wait ==== */

static char folder[] = "/tmp/drover-test-files-XXXXXX";

static int set_up_folder(void **state) {
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int tear_down_folder(void **state) {
    return rmdir(folder);
}

static const char *in_folder(const char *name) {
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_whole(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void refused_file(const char *path, enum regular_file_result expected, const char *words) {
    char *text = NULL;
    size_t length = 0;
    char reason[REGULAR_FILE_REASON] = "";
    assert_int_equal(regular_file_read(path, 100, &text, &length, reason), expected);
    assert_null(text);
    if (strstr(reason, words) == NULL) {
        fail_msg("\"%s\" says nothing of \"%s\"", reason, words);
    }
}

static void reads_a_file_up_to_its_limit(void **state) {
    const char *path = in_folder("file");
    char *text = NULL;
    size_t length = 0;
    char reason[REGULAR_FILE_REASON];
    write_whole(path, "seek");
    assert_int_equal(regular_file_read(path, 4, &text, &length, reason), REGULAR_FILE_OK);
    assert_int_equal(length, 4);
    assert_string_equal(text, "seek");
    free(text);
    assert_int_equal(regular_file_read(path, 3, &text, &length, reason), REGULAR_FILE_REFUSED);
    assert_string_equal(reason, "the file is longer than 3 bytes");
    assert_null(text);
    write_whole(path, "");
    assert_int_equal(regular_file_read(path, 3, &text, &length, reason), REGULAR_FILE_OK);
    assert_int_equal(length, 0);
    assert_string_equal(text, "");
    free(text);
    (void)unlink(path);
}

static void refuses_what_is_no_file(void **state) {
    alarm(20); /* a wait for a FIFO ends the test */
    refused_file(in_folder("nothing"), REGULAR_FILE_MISSING, "No such file");
    refused_file(folder, REGULAR_FILE_REFUSED, "a directory, not a regular file");
    refused_file("/dev/zero", REGULAR_FILE_REFUSED, "a device, not a regular file");
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    refused_file(in_folder("fifo"), REGULAR_FILE_REFUSED, "a FIFO, not a regular file");
    (void)unlink(in_folder("fifo"));
    assert_int_equal(symlink("loop", in_folder("loop")), 0);
    refused_file(in_folder("loop"), REGULAR_FILE_REFUSED, "Too many levels of symbolic links");
    (void)unlink(in_folder("loop"));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", in_folder("socket"));
    const int socket_there = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(socket_there, (const struct sockaddr *)&address, sizeof address), 0);
    refused_file(in_folder("socket"), REGULAR_FILE_REFUSED, "not a regular file");
    close(socket_there);
    (void)unlink(in_folder("socket"));
    if (geteuid() != 0) {
        write_whole(in_folder("secret"), "x");
        assert_int_equal(chmod(in_folder("secret"), 0), 0);
        refused_file(in_folder("secret"), REGULAR_FILE_REFUSED, "Permission denied");
        (void)unlink(in_folder("secret"));
    }
    alarm(0);
}

static void tells_a_shortage_from_a_refusal(void **state) {
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    write_whole(in_folder("file"), "x");
    const int next = dup(0);
    assert_true(next >= 0);
    close(next);
    const struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    char *text = NULL;
    size_t length = 0;
    char reason[REGULAR_FILE_REASON] = "";
    const enum regular_file_result result = regular_file_read(in_folder("file"), 100, &text, &length, reason);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(result, REGULAR_FILE_SHORT);
    assert_string_equal(reason, "Too many open files");
    (void)unlink(in_folder("file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_forward_in_nanoseconds),
        cmocka_unit_test(work_is_done_once_an_order),
        cmocka_unit_test(orders_while_it_works_are_one_after_it),
        cmocka_unit_test(the_end_waits_for_what_was_ordered),
        cmocka_unit_test(keeps_order),
        cmocka_unit_test(leaves_out_what_has_no_room),
        cmocka_unit_test(several_threads_stop_it),
        cmocka_unit_test(ends_without_a_reader),
        cmocka_unit_test(writes_lines),
        cmocka_unit_test(writes_by_a_thread),
        cmocka_unit_test(names_are_null_ended),
        cmocka_unit_test(text),
        cmocka_unit_test(json),
        cmocka_unit_test(priorities),
        cmocka_unit_test(texts_cannot_forge),
        cmocka_unit_test(the_longest_line_is_whole),
        cmocka_unit_test_setup_teardown(nothing_to_read, set_up_root, tear_down_root),
        cmocka_unit_test_setup_teardown(the_machine, set_up_root, tear_down_root),
        cmocka_unit_test_setup_teardown(groups_of_version_2, set_up_root, tear_down_root),
        cmocka_unit_test_setup_teardown(groups_of_version_1, set_up_root, tear_down_root),
        cmocka_unit_test(reads_values),
        cmocka_unit_test(names_the_flag_and_what_is_allowed),
        cmocka_unit_test(help_and_version_end_it),
        cmocka_unit_test(help_shows_ranges_and_defaults),
        cmocka_unit_test(test_a_negative_number_is_no_flag_where_several_arguments_are_taken),
        cmocka_unit_test_setup_teardown(reads_a_file_up_to_its_limit, set_up_folder, tear_down_folder),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_file, set_up_folder, tear_down_folder),
        cmocka_unit_test_setup_teardown(tells_a_shortage_from_a_refusal, set_up_folder, tear_down_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
