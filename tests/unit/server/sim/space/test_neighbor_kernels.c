/* Kernels over neighbors: every width gives the same bits. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>

#include "server/sim/kernels/kernels.h"
#include "tests/unit/server/sim/space/kernel_fixture.h"

/* ---- what they share ---- */

enum { WORLDS = 300 };

/* ==== neighbor kernel ====
 * The kernel of every width against neighbors_sum, bit for bit, on random worlds (kernel_fixture.h). */

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

static void compare_neighbor_kernel(const struct sample *sample, uint64_t world, enum simd simd,
                                    int32_t begin, int32_t end, int64_t *neighbors) {
    for (int32_t first = begin; first < end; first += KERNEL_PLACES) {
        const int32_t stop = end - first < KERNEL_PLACES ? end : first + KERNEL_PLACES;
        compare_batch(sample, world, simd, first, stop, neighbors);
    }
}

static void test_neighbor_kernel_every_width(void **state) {
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
            compare_neighbor_kernel(&sample, world, (enum simd)simd, 0, count, &neighbors);
            /* From and to anywhere. */
            compare_neighbor_kernel(&sample, world, (enum simd)simd, count / 3, count - count / 4,
                                    &neighbors);
            compare_neighbor_kernel(&sample, world, (enum simd)simd, count / 2, count / 2, &neighbors);
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

/* ==== threat kernel ====
 * The threat kernel of every width against neighbors_threats, bit for bit, on random worlds
 * (kernel_fixture.h). */

/* How often what is rare has come up. */
struct tally {
    int64_t threats, splits;
};

static struct threat_batch make_batch(const struct sample *sample, uint64_t world) {
    struct rng rng = dice(world + 5000);
    return (struct threat_batch){
        .neighbors = &sample->batch,
        .clearance = flip(&rng, 0.1f) ? 0.0f : rng_between(&rng, 0.0f, 0.1f) * sample->zones[0].radius,
        .horizon = flip(&rng, 0.05f) ? 0.0f : rng_between(&rng, 0.0f, 4.0f),
    };
}

static void expect(const struct sample *sample, const struct threat_batch *batch, int32_t slot, float out[3],
                   struct tally *tally) {
    const struct neighbor_query query = query_of(&sample->batch, slot);
    const struct neighbor_space space = {grid.radius[slot], batch->clearance, batch->horizon};
    const struct neighbor_threats threats =
        neighbors_threats(&grid, &query, &sample->zones[ZONE_SEPARATION], &space);
    out[0] = (float)threats.count;
    out[1] = threats.push.x;
    out[2] = threats.push.y;
    tally->threats += threats.count;
    tally->splits += threats.count > 0 && threats.soonest.miss < 1e-6f;
}

static void compare_threat_kernel(const struct sample *sample, uint64_t world, enum simd simd, int32_t begin,
                                  int32_t end, uint64_t wanted, struct tally *tally) {
    const struct threat_batch batch = make_batch(sample, world);
    struct threat_columns columns;
    memset(&columns, 0x55, sizeof columns);
    const struct threat_columns old = columns;
    threat_kernel_sums(simd, &batch, begin, end, wanted, &columns);
    for (int32_t place = 0; place < KERNEL_ROOM; place++) {
        float right[3] = {old.count[place], old.push_x[place], old.push_y[place]};
        const float got[3] = {columns.count[place], columns.push_x[place], columns.push_y[place]};
        if (begin + place < end && ((wanted >> place) & 1) != 0) {
            expect(sample, &batch, begin + place, right, tally);
        }
        if (!is_same(right, got, sizeof right)) {
            fail_msg("world %d, %s, place %d of slots %d to %d: %g (%a %a), expected %g (%a %a)", (int)world,
                     simd_names[simd], place, begin, end, (double)got[0], (double)got[1], (double)got[2],
                     (double)right[0], (double)right[1], (double)right[2]);
        }
    }
}

static void test_threat_kernel_every_width(void **state) {
    struct tally tally = {0};
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        for (uint64_t world = 0; simd_is_supported((enum simd)simd) && world < WORLDS; world++) {
            struct sample sample;
            make_sample(world, &sample);
            struct rng rng = dice(world + 1000);
            for (int32_t begin = 0; begin < sample.count;
                 begin += 1 + (int32_t)rng_between(&rng, 0.0f, 200.0f)) {
                const int32_t length = (int32_t)rng_between(&rng, 0.0f, KERNEL_PLACES + 0.99f);
                const int32_t end = sample.count - begin < length ? sample.count : begin + length;
                compare_threat_kernel(&sample, world, (enum simd)simd, begin, end, some_wanted(&rng), &tally);
            }
        }
    }
    print_message("%lld threats, %lld agents with one in the same place\n", (long long)tally.threats,
                  (long long)tally.splits);
    assert_true(tally.threats > 100000 && tally.splits > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbor_kernel_every_width),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_threat_kernel_every_width),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    grid_fini(&grid);
    return failed;
}
