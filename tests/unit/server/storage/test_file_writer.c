/* server/storage/file_writer: what is put arrives in order; what a disk can do to it. The calls of the writer's thread
 * to write(2) and fdatasync(2) go through the test, which lets them fail, fall short or wait. */
#include "server/storage/file_writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <zstd.h>

#include "tests/support/allocations.h"
#include "tests/unit/server/storage/storage_support.h"

/* ---- the disk ---- */

static struct disk {
    atomic_int write_error;   /* what write fails with once room_left is used up; 0: never */
    atomic_size_t room_left;  /* bytes */
    atomic_size_t step;       /* the most that one write takes; 0: any */
    atomic_bool interrupts;   /* every second write is interrupted */
    atomic_int sync_error;    /* what fdatasync fails with */
    atomic_bool is_stuck;     /* write and fdatasync wait */
    atomic_int writes, syncs; /* calls */
    atomic_int waiting;       /* calls that wait now */
} disk;

static void make_disk_well(void) {
    atomic_store(&disk.write_error, 0);
    atomic_store(&disk.room_left, 0);
    atomic_store(&disk.step, 0);
    atomic_store(&disk.interrupts, false);
    atomic_store(&disk.sync_error, 0);
    atomic_store(&disk.is_stuck, false);
    atomic_store(&disk.writes, 0);
    atomic_store(&disk.syncs, 0);
}

static void wait_while_stuck(void) {
    atomic_fetch_add(&disk.waiting, 1);
    while (atomic_load(&disk.is_stuck)) {
        test_nap();
    }
    atomic_fetch_sub(&disk.waiting, 1);
}

ssize_t __real_write(int descriptor, const void *bytes, size_t length);
int __real_fdatasync(int descriptor);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t length);
int __wrap_fdatasync(int descriptor);

ssize_t __wrap_write(int descriptor, const void *bytes, size_t length) {
    const int count = atomic_fetch_add(&disk.writes, 1);
    wait_while_stuck();
    if (atomic_load(&disk.interrupts) && count % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    const size_t step = atomic_load(&disk.step);
    length = step != 0 && length > step ? step : length;
    const int error = atomic_load(&disk.write_error);
    if (error != 0) {
        const size_t room = atomic_load(&disk.room_left);
        if (room == 0) {
            errno = error;
            return -1;
        }
        length = length < room ? length : room;
        atomic_store(&disk.room_left, room - length);
    }
    return __real_write(descriptor, bytes, length);
}

int __wrap_fdatasync(int descriptor) {
    atomic_fetch_add(&disk.syncs, 1);
    wait_while_stuck();
    const int error = atomic_load(&disk.sync_error);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return __real_fdatasync(descriptor);
}

/* ---- a writer ---- */

struct fixture {
    struct test_folder folder;
    atomic_int notified;
};

static void notify(void *context) {
    struct fixture *fixture = context;
    atomic_fetch_add(&fixture->notified, 1);
}

static int begin(void **state) {
    static struct fixture fixture;
    make_disk_well();
    fixture.folder = test_folder_make();
    atomic_store(&fixture.notified, 0);
    *state = &fixture;
    return 0;
}

static int finish(void **state) {
    const struct fixture *fixture = *state;
    make_disk_well();
    while (atomic_load(&disk.waiting) > 0) {
        test_nap();
    }
    test_folder_remove(fixture->folder.path);
    return 0;
}

static struct file_writer *create(struct fixture *fixture, const char *name, struct file_writer_def def) {
    char path[512];
    struct failure failure = {0};
    def.path = test_path(&fixture->folder, name, path);
    def.notify = notify;
    def.context = fixture;
    struct file_writer *writer = file_writer_create(&def, &failure);
    if (writer == NULL) {
        fail_msg("%s", failure.message);
    }
    return writer;
}

static uint64_t put_text(struct file_writer *writer, const char *text) {
    return file_writer_put(writer, text, strlen(text));
}

#define WAIT_FOR(condition)                                                                                  \
    do {                                                                                                     \
        for (int naps = 0; !(condition); naps++) {                                                           \
            assert_true(naps < TEST_NAPS);                                                                   \
            test_nap();                                                                                      \
        }                                                                                                    \
    } while (0)

/* ---- what arrives ---- */

enum { FILES = 5, TEXT_BYTES = 3 * FILE_WRITER_ROOM };

/* Fills bytes as lines of many lengths. */
static void fill(char *bytes, size_t length, uint64_t seed) {
    for (size_t i = 0; i < length; i++) {
        const uint32_t letter = test_below(&seed, 40);
        bytes[i] = letter == 0 ? '\n' : (char)('a' + letter % 26);
    }
}

/* Puts length bytes, in pieces, copied and given. */
static void put_pieces(struct file_writer *writer, const char *text, size_t length, uint64_t *random) {
    for (size_t at = 0; at < length;) {
        const bool is_given = test_below(random, 50) == 0;
        const size_t most = is_given ? 300000 : test_below(random, 3) == 0 ? 20000 : 300;
        size_t count = 1 + test_below(random, (uint32_t)most);
        count = count < length - at ? count : length - at;
        const uint64_t position =
            is_given ? file_writer_put_owned(writer, test_exact_copy(text + at, count), count)
                     : file_writer_put(writer, text + at, count);
        assert_true(position >= count);
        at += count;
        /* Never so fast that the ring fills: that is another test. */
        WAIT_FOR(position < file_writer_written(writer) + FILE_WRITER_ROOM / 2);
    }
}

/* Far more than the ring holds, over several files. */
static void keeps_everything_in_order(void **state) {
    struct fixture *fixture = *state;
    uint64_t random = 1;
    char *text = malloc(TEXT_BYTES);
    assert_non_null(text);
    fill(text, TEXT_BYTES, 2);
    struct file_writer *writer = create(fixture, "0", (struct file_writer_def){.sync_s = 0.01});
    for (int i = 0; i < FILES; i++) {
        char name[16], path[512];
        if (i > 0) {
            (void)snprintf(name, sizeof name, "%d", i);
            file_writer_next_file(writer, test_path(&fixture->folder, name, path));
        }
        put_pieces(writer, text + i * (TEXT_BYTES / FILES), TEXT_BYTES / FILES, &random);
    }
    assert_false(file_writer_has_failed(writer, NULL));
    assert_true(file_writer_destroy(writer, 60.0));
    for (int i = 0; i < FILES; i++) {
        char name[16], path[512];
        (void)snprintf(name, sizeof name, "%d", i);
        test_file_is(test_path(&fixture->folder, name, path), text + i * (TEXT_BYTES / FILES),
                     TEXT_BYTES / FILES);
        assert_int_equal(test_mode(path), 0600);
    }
    free(text);
}

static void writes_and_syncs_by_itself(void **state) {
    struct fixture *fixture = *state;
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 0.05});
    const uint64_t position = put_text(writer, "one line\n");
    assert_int_equal(position, 9);
    WAIT_FOR(file_writer_written(writer) == position);
    WAIT_FOR(file_writer_synced(writer) == position);
    assert_int_equal(atomic_load(&disk.syncs), 1); /* and none while nothing is put */
    assert_true(file_writer_destroy(writer, 10.0));
    assert_int_equal(atomic_load(&fixture->notified), 0);
}

static void syncs_at_the_end_of_a_file_alone(void **state) {
    struct fixture *fixture = *state;
    char path[512];
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 0.0});
    const uint64_t first = put_text(writer, "one line\n");
    WAIT_FOR(file_writer_written(writer) == first);
    assert_int_equal(file_writer_synced(writer), 0);
    file_writer_next_file(writer, test_path(&fixture->folder, "b", path));
    WAIT_FOR(file_writer_synced(writer) == first);
    const uint64_t second = put_text(writer, "another\n");
    assert_int_equal(second, 17);
    assert_true(file_writer_destroy(writer, 10.0));
    test_file_is(path, "another\n", 8);
}

/* The second sync has all that came during the first. */
static void syncs_groups_at_once(void **state) {
    struct fixture *fixture = *state;
    struct file_writer *writer =
        create(fixture, "a", (struct file_writer_def){.sync_s = 1.0, .is_always = true});
    atomic_store(&disk.is_stuck, true);
    (void)put_text(writer, "first\n");
    WAIT_FOR(atomic_load(&disk.waiting) == 1);
    uint64_t position = 0;
    for (int i = 0; i < 1000; i++) {
        position = put_text(writer, "further\n");
    }
    assert_int_equal(file_writer_synced(writer), 0);
    atomic_store(&disk.is_stuck, false);
    WAIT_FOR(file_writer_synced(writer) == position);
    WAIT_FOR(atomic_load(&fixture->notified) == 2);
    assert_int_equal(atomic_load(&disk.syncs), 2);
    assert_true(file_writer_destroy(writer, 10.0));
}

/* The simulation thread puts between two ticks. */
static void puts_without_allocating(void **state) {
    struct fixture *fixture = *state;
    char path[512];
    static char text[1000];
    fill(text, sizeof text, 6);
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 0.01});
    char *owned = test_exact_copy(text, sizeof text);
    (void)test_path(&fixture->folder, "b", path);
    const int before = allocations_of_thread();
    assert_true(before > 0);
    for (int i = 0; i < 100; i++) {
        (void)file_writer_put(writer, text, sizeof text);
    }
    (void)file_writer_put_owned(writer, owned, sizeof text);
    file_writer_next_file(writer, path);
    (void)file_writer_put(writer, text, sizeof text);
    assert_int_equal(allocations_of_thread(), before);
    assert_true(file_writer_destroy(writer, 60.0));
}

static void goes_on_after_short_and_interrupted_writes(void **state) {
    struct fixture *fixture = *state;
    char text[5000], path[512];
    fill(text, sizeof text, 3);
    atomic_store(&disk.step, 7);
    atomic_store(&disk.interrupts, true);
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 1.0});
    assert_int_equal(file_writer_put(writer, text, sizeof text), sizeof text);
    assert_true(file_writer_destroy(writer, 60.0));
    test_file_is(test_path(&fixture->folder, "a", path), text, sizeof text);
}

/* ---- failures ---- */

/* Everything is refused, the reason stays, and there is one notification. */
static void expect_failed(struct fixture *fixture, struct file_writer *writer, enum failure_code code,
                          const char *words) {
    struct failure failure = {0};
    WAIT_FOR(atomic_load(&fixture->notified) == 1);
    assert_true(file_writer_has_failed(writer, &failure));
    assert_int_equal(failure.code, code);
    if (strstr(failure.message, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure.message, words);
    }
    assert_int_equal(put_text(writer, "more\n"), 0);
    assert_int_equal(file_writer_put_owned(writer, test_exact_copy("more\n", 5), 5), 0);
    file_writer_next_file(writer, "/nowhere/at/all");
    assert_false(file_writer_destroy(writer, 10.0));
    assert_int_equal(atomic_load(&fixture->notified), 1);
}

static void fails_when_the_disk_is_full(void **state) {
    struct fixture *fixture = *state;
    char path[512];
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 0.01});
    const uint64_t first = put_text(writer, "fits\n");
    WAIT_FOR(file_writer_synced(writer) == first);
    atomic_store(&disk.room_left, 4);
    atomic_store(&disk.write_error, ENOSPC);
    (void)put_text(writer, "does not fit\n");
    (void)file_writer_put_owned(writer, test_exact_copy("nor this\n", 9), 9);
    expect_failed(fixture, writer, FAILURE_IO, "/a: No space left on device");
    test_file_is(test_path(&fixture->folder, "a", path), "fits\ndoes", 9);
}

/* A sync that failed is not tried again: the system may have dropped the pages. */
static void fails_when_the_disk_is_broken(void **state) {
    struct fixture *fixture = *state;
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 0.01});
    atomic_store(&disk.sync_error, EIO);
    (void)put_text(writer, "lost\n");
    expect_failed(fixture, writer, FAILURE_IO, "Input/output error");
    assert_int_equal(atomic_load(&disk.syncs), 1);
}

static void fails_when_the_next_file_is_there(void **state) {
    struct fixture *fixture = *state;
    char path[512];
    test_write_file(test_path(&fixture->folder, "b", path), "mine\n", 5);
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 1.0});
    (void)put_text(writer, "one\n");
    file_writer_next_file(writer, path);
    (void)put_text(writer, "two\n");
    expect_failed(fixture, writer, FAILURE_IO, "/b: File exists");
    test_file_is(path, "mine\n", 5);
    test_file_is(test_path(&fixture->folder, "a", path), "one\n", 4);
}

static void fails_at_the_limit_of_a_file(void **state) {
    struct fixture *fixture = *state;
    char path[512];
    struct file_writer *writer =
        create(fixture, "a", (struct file_writer_def){.sync_s = 1.0, .max_bytes = 20});
    (void)put_text(writer, "123456789\nabc\nno more than this\n");
    expect_failed(fixture, writer, FAILURE_FULL, "at most 20");
    test_file_is(test_path(&fixture->folder, "a", path), "123456789\nabc\n", 14);
}

/* The limit of the shell (ulimit -f): the signal that the system sends is blocked. */
static void fails_at_the_limit_of_the_process(void **state) {
    struct fixture *fixture = *state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 1.0});
    small = before;
    small.rlim_cur = 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    (void)put_text(writer, "longer than ten bytes\n");
    WAIT_FOR(file_writer_has_failed(writer, NULL));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_failed(fixture, writer, FAILURE_IO, "File too large");
}

static void fails_when_the_disk_is_too_slow(void **state) {
    struct fixture *fixture = *state;
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 1.0});
    static char block[FILE_WRITER_ROOM / 4];
    fill(block, sizeof block, 4);
    atomic_store(&disk.is_stuck, true);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(file_writer_put(writer, block, sizeof block), (size_t)(i + 1) * sizeof block);
    }
    assert_int_equal(file_writer_put(writer, block, 1), 0);
    assert_int_equal(file_writer_written(writer), 0);
    atomic_store(&disk.is_stuck, false);
    expect_failed(fixture, writer, FAILURE_FULL, "the disk is too slow");
}

static void fails_when_too_many_blocks_wait(void **state) {
    struct fixture *fixture = *state;
    struct file_writer *writer = create(fixture, "a", (struct file_writer_def){.sync_s = 1.0});
    atomic_store(&disk.is_stuck, true);
    for (int i = 0; i < FILE_WRITER_MARKS; i++) {
        assert_int_equal(file_writer_put_owned(writer, test_exact_copy("x", 1), 1), i + 1);
    }
    assert_int_equal(file_writer_put_owned(writer, test_exact_copy("x", 1), 1), 0);
    atomic_store(&disk.is_stuck, false);
    expect_failed(fixture, writer, FAILURE_FULL, "the disk is too slow");
}

/* A disk that never answers holds up no other thread. */
static void ends_though_the_disk_is_stuck(void **state) {
    struct fixture *fixture = *state;
    struct file_writer *writer =
        create(fixture, "a", (struct file_writer_def){.sync_s = 1.0, .is_always = true});
    atomic_store(&disk.is_stuck, true);
    (void)put_text(writer, "stuck\n");
    WAIT_FOR(atomic_load(&disk.waiting) == 1);
    assert_false(file_writer_destroy(writer, 0.05));
    atomic_store(&disk.is_stuck, false);
    WAIT_FOR(atomic_load(&disk.waiting) == 0);
    assert_int_equal(atomic_load(&fixture->notified), 0);
}

static void refuses_paths(void **state) {
    struct fixture *fixture = *state;
    char path[512], longest[5000];
    struct failure failure = {0};
    test_write_file(test_path(&fixture->folder, "a", path), "mine\n", 5);
    assert_null(file_writer_create(&(struct file_writer_def){.path = path}, &failure));
    assert_int_equal(failure.code, FAILURE_EXISTS);
    assert_non_null(strstr(failure.message, "/a: File exists"));
    test_file_is(path, "mine\n", 5);
    assert_null(file_writer_create(
        &(struct file_writer_def){.path = test_path(&fixture->folder, "no/such.zst", path)}, &failure));
    assert_int_equal(failure.code, FAILURE_IO);
    assert_non_null(strstr(failure.message, "/no/such.zst: No such file or directory"));
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(file_writer_create(&(struct file_writer_def){.path = longest}, &failure));
    assert_int_equal(failure.code, FAILURE_IO);
}

/* ---- compressed ---- */

/* What zstd makes of the first bytes of a file: all frames, and what the last one has. Returns how many bytes. */
static size_t decode(const char *packed, size_t length, ZSTD_outBuffer decoded) {
    ZSTD_DCtx *decoder = ZSTD_createDCtx();
    assert_non_null(decoder);
    ZSTD_inBuffer in = {packed, length, 0};
    size_t before = 0;
    do {
        before = decoded.pos;
        const size_t result = ZSTD_decompressStream(decoder, &decoded, &in);
        if (ZSTD_isError(result)) {
            fail_msg("%s", ZSTD_getErrorName(result));
        }
    } while (in.pos < in.size || decoded.pos > before);
    (void)ZSTD_freeDCtx(decoder);
    return decoded.pos;
}

/* Every flush can be read, wherever the file is cut after it. */
static void compressed_files_may_be_cut_anywhere(void **state) {
    enum { FLUSHES = 40 };
    struct fixture *fixture = *state;
    char path[512], text[FLUSHES * 16] = "", out[FLUSHES * 16 + 1];
    size_t sizes[FLUSHES + 1] = {0}, positions[FLUSHES + 1] = {0}, length = 0;
    struct file_writer *writer =
        create(fixture, "a.zst", (struct file_writer_def){.sync_s = 1.0, .is_always = true});
    (void)test_path(&fixture->folder, "a.zst", path);
    for (int i = 1; i <= FLUSHES; i++) {
        char line[16];
        const int count = snprintf(line, sizeof line, "line %d\n", i * i * i);
        memcpy(text + positions[i - 1], line, (size_t)count);
        positions[i] = (size_t)put_text(writer, line);
        WAIT_FOR(file_writer_synced(writer) == positions[i]);
        sizes[i] = test_size(path);
    }
    assert_true(file_writer_destroy(writer, 10.0));
    char *packed = test_read_file(path, &length);
    for (size_t cut = 0, flushes = 0; cut <= length; cut++) {
        while (flushes < FLUSHES && sizes[flushes + 1] <= cut) {
            flushes++;
        }
        const size_t decoded = decode(packed, cut, (ZSTD_outBuffer){out, sizeof out, 0});
        assert_true(decoded >= positions[flushes] && decoded <= positions[FLUSHES]);
        assert_memory_equal(out, text, decoded);
    }
    assert_int_equal(decode(packed, length, (ZSTD_outBuffer){out, sizeof out, 0}), positions[FLUSHES]);
    free(packed);
}

/* 3.5 MiB are four frames, whose sizes stand in no header but whose ends a decoder finds. */
static void compressed_files_are_frames(void **state) {
    enum { BYTES = 7 << 19 };
    struct fixture *fixture = *state;
    char path[512];
    size_t length = 0;
    char *text = malloc(BYTES), *out = malloc(BYTES + 1);
    assert_non_null(text);
    assert_non_null(out);
    fill(text, BYTES, 5);
    struct file_writer *writer = create(fixture, "a.zst", (struct file_writer_def){.sync_s = 1.0});
    assert_int_equal(file_writer_put(writer, text, BYTES), BYTES);
    assert_true(file_writer_destroy(writer, 60.0));
    char *packed = test_read_file(test_path(&fixture->folder, "a.zst", path), &length);
    assert_true(length < BYTES * 3 / 4);
    int frames = 0;
    for (size_t at = 0; at < length; frames++) {
        const size_t size = ZSTD_findFrameCompressedSize(packed + at, length - at);
        assert_false(ZSTD_isError(size));
        at += size;
    }
    assert_true(frames >= 4);
    assert_int_equal(decode(packed, length, (ZSTD_outBuffer){out, BYTES + 1, 0}), BYTES);
    assert_memory_equal(out, text, BYTES);
    free(packed);
    free(out);
    free(text);
}

/* A frame is closed when it is a second old, though nothing more is put. */
static void old_frames_are_closed(void **state) {
    struct fixture *fixture = *state;
    char path[512];
    struct file_writer *writer = create(fixture, "a.zst", (struct file_writer_def){.sync_s = 0.0});
    (void)put_text(writer, "a line\n");
    bool is_closed = false;
    for (int naps = 0; !is_closed && naps < TEST_NAPS; naps++) {
        size_t length = 0;
        char *packed = test_read_file(test_path(&fixture->folder, "a.zst", path), &length);
        is_closed = length > 0 && !ZSTD_isError(ZSTD_findFrameCompressedSize(packed, length));
        free(packed);
        test_nap();
    }
    assert_true(is_closed);
    assert_true(file_writer_destroy(writer, 10.0));
}

static void compressed_files_fail_alike(void **state) {
    struct fixture *fixture = *state;
    struct file_writer *writer = create(fixture, "a.zst", (struct file_writer_def){.sync_s = 1.0});
    atomic_store(&disk.room_left, 4);
    atomic_store(&disk.write_error, ENOSPC);
    (void)put_text(writer, "does not fit\n");
    expect_failed(fixture, writer, FAILURE_IO, "/a.zst: No space left on device");
}

/* ---- whole files ---- */

static void whole_files_are_there_or_not(void **state) {
    struct fixture *fixture = *state;
    char path[512], part[512];
    struct failure failure = {0};
    (void)test_path(&fixture->folder, "a", path);
    (void)test_path(&fixture->folder, "a" WHOLE_FILE_PART, part);
    test_write_file(part, "of a crash, and longer", 22);
    assert_int_equal(file_write_whole(path, "one\n", 4, false, &failure), 0);
    test_file_is(path, "one\n", 4);
    assert_int_equal(test_mode(path), 0600);
    assert_int_equal(file_write_whole(path, "two\n", 4, false, &failure), -1);
    assert_int_equal(failure.code, FAILURE_EXISTS);
    assert_int_equal(file_write_whole(path, "two\n", 4, true, &failure), 0);
    test_file_is(path, "two\n", 4);
    atomic_store(&disk.room_left, 2);
    atomic_store(&disk.write_error, ENOSPC);
    assert_int_equal(file_write_whole(path, "three\n", 6, true, &failure), -1);
    assert_int_equal(failure.code, FAILURE_IO);
    assert_non_null(strstr(failure.message, "/a: No space left on device"));
    test_file_is(path, "two\n", 4);
    assert_false(test_is_there(part));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(keeps_everything_in_order),
        TEST(writes_and_syncs_by_itself),
        TEST(syncs_at_the_end_of_a_file_alone),
        TEST(syncs_groups_at_once),
        TEST(puts_without_allocating),
        TEST(goes_on_after_short_and_interrupted_writes),
        TEST(fails_when_the_disk_is_full),
        TEST(fails_when_the_disk_is_broken),
        TEST(fails_when_the_next_file_is_there),
        TEST(fails_at_the_limit_of_a_file),
        TEST(fails_at_the_limit_of_the_process),
        TEST(fails_when_the_disk_is_too_slow),
        TEST(fails_when_too_many_blocks_wait),
        TEST(ends_though_the_disk_is_stuck),
        TEST(refuses_paths),
        TEST(compressed_files_may_be_cut_anywhere),
        TEST(compressed_files_are_frames),
        TEST(old_frames_are_closed),
        TEST(compressed_files_fail_alike),
        TEST(whole_files_are_there_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
