/* The kernel of every width against neighbors_sum, bit for bit, on random worlds (kernel_fixture.h). */
#include <stdio.h>

#include "server/sim/kernels/kernels.h"
#include "tests/unit/server/sim/space/kernel_fixture.h"

enum { WORLDS = 300 };

static struct neighbor_sums expected(const struct sample *sample, int32_t slot) {
    const struct neighbor_query query = query_of(&sample->batch, slot);
    return neighbors_sum(&grid, &query, sample->zones);
}

/* At most KERNEL_PLACES slots. */
static void compare_batch(const struct sample *sample, uint64_t world, enum simd simd, int32_t begin,
                          int32_t end, int64_t *neighbors) {
    struct sums_columns columns;
    memset(&columns, 0x55, sizeof columns);
    neighbor_kernel_columns(simd, &sample->batch, begin, end, UINT64_MAX, &columns);
    for (int32_t slot = begin; slot < end; slot++) {
        const struct neighbor_sums wanted = expected(sample, slot);
        const struct neighbor_sums sums = sums_columns_get(&columns, slot - begin), *got = &sums;
        *neighbors += wanted.separation_count + wanted.alignment_count + wanted.cohesion_count;
        if (!is_same(&wanted, got, sizeof wanted)) {
            fail_msg(
                "world %d, %s, slot %d of %d: separation %d (%a %a), alignment %d (%a), cohesion %d (%a), "
                "expected %d (%a %a), %d (%a), %d (%a)",
                (int)world, simd_names[simd], slot, sample->count, got->separation_count,
                (double)got->separation.x, (double)got->separation.y, got->alignment_count,
                (double)got->velocity_weight, got->cohesion_count, (double)got->offset.x,
                wanted.separation_count, (double)wanted.separation.x, (double)wanted.separation.y,
                wanted.alignment_count, (double)wanted.velocity_weight, wanted.cohesion_count,
                (double)wanted.offset.x);
        }
    }
}

static void compare(const struct sample *sample, uint64_t world, enum simd simd, int32_t begin, int32_t end,
                    int64_t *neighbors) {
    for (int32_t first = begin; first < end; first += KERNEL_PLACES) {
        const int32_t stop = end - first < KERNEL_PLACES ? end : first + KERNEL_PLACES;
        compare_batch(sample, world, simd, first, stop, neighbors);
    }
}

static void test_every_width(void **state) {
    _Static_assert(sizeof(struct neighbor_sums) == 11 * 4, "there is no padding to compare");
    int64_t neighbors = 0;
    int widths = 0;
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        if (!simd_is_supported((enum simd)simd)) {
            print_message("%s is not supported here\n", simd_names[simd]);
            continue;
        }
        widths++;
        for (uint64_t world = 0; world < WORLDS; world++) {
            struct sample sample;
            make_sample(world, &sample);
            const int32_t count = sample.count;
            compare(&sample, world, (enum simd)simd, 0, count, &neighbors);
            /* From and to anywhere. */
            compare(&sample, world, (enum simd)simd, count / 3, count - count / 4, &neighbors);
            compare(&sample, world, (enum simd)simd, count / 2, count / 2, &neighbors);
        }
    }
    print_message("%d widths, %lld neighbors\n", widths, (long long)neighbors);
    assert_true(widths >= 1 && neighbors > 1000000);
}

/* The columns of batches from anywhere: of wanted agents the sums, of others what stood there. */
static void compare_columns(const struct sample *sample, uint64_t world, enum simd simd, struct rng *rng) {
    for (int32_t begin = 0; begin < sample->count; begin += 1 + (int32_t)rng_between(rng, 0.0f, 130.0f)) {
        const int32_t length = (int32_t)rng_between(rng, 0.0f, KERNEL_PLACES + 0.99f);
        const int32_t end = sample->count - begin < length ? sample->count : begin + length;
        const uint64_t wanted = some_wanted(rng);
        const struct neighbor_sums old = {.separation_count = 77, .velocity = {-0.0f, 7.0f}};
        struct sums_columns columns = {.separation_count = {0}};
        for (int32_t place = 0; place < KERNEL_PLACES; place++) {
            sums_columns_set(&columns, place, &old);
        }
        neighbor_kernel_columns(simd, &sample->batch, begin, end, wanted, &columns);
        for (int32_t place = 0; place < KERNEL_PLACES; place++) {
            const bool is_wanted = begin + place < end && ((wanted >> place) & 1) != 0;
            const struct neighbor_sums right = is_wanted ? expected(sample, begin + place) : old;
            const struct neighbor_sums got = sums_columns_get(&columns, place);
            if (!is_same(&right, &got, sizeof right)) {
                fail_msg("world %d, %s, place %d of slots %d to %d", (int)world, simd_names[simd], place,
                         begin, end);
            }
        }
    }
}

static void test_columns(void **state) {
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        for (uint64_t world = 1000; simd_is_supported((enum simd)simd) && world < 1000 + WORLDS / 2;
             world++) {
            struct sample sample;
            make_sample(world, &sample);
            struct rng rng = dice(world + 1000);
            compare_columns(&sample, world, (enum simd)simd, &rng);
        }
    }
}

static void test_names(void **state) {
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        assert_int_equal(simd_from_name(simd_names[simd]), simd);
    }
    assert_int_equal(simd_from_name("avx"), -1);
    assert_true(simd_is_supported(SIMD_PLAIN));
    assert_true(simd_is_supported(simd_best()));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_names),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    grid_fini(&grid);
    return failed;
}
