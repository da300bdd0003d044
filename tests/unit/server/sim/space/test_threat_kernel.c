/* The threat kernel of every width against neighbors_threats, bit for bit, on random worlds
 * (kernel_fixture.h). */
#include "server/sim/kernels/kernels.h"
#include "tests/unit/server/sim/space/kernel_fixture.h"

enum { WORLDS = 300 };

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

static void compare(const struct sample *sample, uint64_t world, enum simd simd, int32_t begin, int32_t end,
                    uint64_t wanted, struct tally *tally) {
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

static void test_every_width(void **state) {
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
                compare(&sample, world, (enum simd)simd, begin, end, some_wanted(&rng), &tally);
            }
        }
    }
    print_message("%lld threats, %lld agents with one in the same place\n", (long long)tally.threats,
                  (long long)tally.splits);
    assert_true(tally.threats > 100000 && tally.splits > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_width)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    grid_fini(&grid);
    return failed;
}
