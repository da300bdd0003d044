/* Agents as bytes, and snapshots of several such parts: what comes of them is the snapshot of the whole. */
#include "tests/unit/server/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "server/frames/snapshot_gather.h"
#include "server/frames/world_snapshot.h"
#include "tests/unit/server/frames/world_fixture.h"

enum { PARTS = 5, AGENTS = 60 };

/* Two kinds, of which one has forces with parts. */
static const char *const text =
    "{\"name\":\"t\",\"world\":{\"size\":[300,200]},\"targets\":{\"a\":[100,0],\"b\":[0,7.5]},"
    "\"kinds\":{\"bird\":{\"behaviors\":[{\"seek\":{\"target\":\"b\"}},{\"flock\":{}}]},"
    "\"fish\":{\"behaviors\":[{\"wander\":{}},{\"seek\":{\"target\":\"a\"}}]}},"
    "\"agents\":[{\"kind\":\"fish\",\"count\":25,\"in\":{\"rect\":[0,0,300,200]}},"
    "{\"kind\":\"bird\",\"count\":35,\"in\":{\"rect\":[0,0,300,200]}}]}";

/* The rows that a part has; `turn` varies who has whom. Some parts have none. */
static int32_t rows_of(int part, int turn, int32_t rows[AGENTS]) {
    int32_t count = 0;
    for (int32_t row = 0; row < AGENTS; row++) {
        if ((row * (turn + 3) + row / 7) % (PARTS - turn % 3) == part) {
            rows[count++] = row;
        }
    }
    return count;
}

/* At an odd address, as bytes from elsewhere may lie. */
static struct exchange_part pack(const struct world *world, unsigned fields, int part, int turn) {
    int32_t rows[AGENTS];
    struct buffer bytes;
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    buffer_init(&bytes, 1 << 20);
    const int32_t count = rows_of(part, turn, rows);
    assert_int_equal(world_snapshot_copy_rows(world, fields, rows, count, snapshot), 0);
    snapshot_parcel_write(snapshot, &bytes);
    assert_false(bytes.failed);
    char *copy = malloc(bytes.length + 1);
    assert_non_null(copy);
    memcpy(copy + 1, bytes.data, bytes.length);
    const struct exchange_part parcel = {copy + 1, bytes.length};
    buffer_fini(&bytes);
    snapshot_destroy(snapshot);
    return parcel;
}

/* All that a frame may say. */
static void assert_same(const struct snapshot *a, const struct snapshot *b) {
    struct buffer one, other;
    buffer_init(&one, 1 << 20);
    buffer_init(&other, 1 << 20);
    snapshot_encode_fields(a, ~0u, &one);
    snapshot_encode_fields(b, ~0u, &other);
    assert_false(one.failed || other.failed);
    assert_int_equal(one.length, other.length);
    assert_memory_equal(one.data, other.data, one.length);
    assert_int_equal(a->share_count, b->share_count);
    assert_int_equal(a->part_count, b->part_count);
    assert_int_equal(a->behavior_names.count, b->behavior_names.count);
    for (int i = 0; i < a->behavior_names.count; i++) {
        assert_string_equal(a->behavior_names.names[i], b->behavior_names.names[i]);
    }
    buffer_fini(&one);
    buffer_fini(&other);
}

static void parts_make_the_whole(void **state) {
    static const unsigned wanted[] = {0, SNAPSHOT_HEADING, SNAPSHOT_FORCES,
                                      SNAPSHOT_HEADING | SNAPSHOT_FORCES | SNAPSHOT_PARTS};
    struct world *world = make_world(text);
    assert_int_equal(world_agent_count(world), AGENTS);
    struct snapshot *whole = snapshot_create(), *merged = snapshot_create();
    assert_true(whole != NULL && merged != NULL);
    for (int turn = 0; turn < 16; turn++) {
        const unsigned fields = wanted[turn % 4];
        struct exchange_part parcels[PARTS];
        world_step(world);
        for (int part = 0; part < PARTS; part++) {
            parcels[part] = pack(world, fields, part, turn);
        }
        assert_int_equal(world_snapshot_copy_wanted(world, fields, NULL, whole), 0);
        assert_int_equal(world_snapshot_copy_rows(world, fields, NULL, 0, merged), 0);
        assert_int_equal(merged->count, 0);
        assert_int_equal(snapshot_parcel_merge(parcels, PARTS, merged), 0);
        assert_same(merged, whole);
        for (int part = 0; part < PARTS; part++) {
            free((char *)parcels[part].bytes - 1);
        }
    }
    snapshot_destroy(whole);
    snapshot_destroy(merged);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_make_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
