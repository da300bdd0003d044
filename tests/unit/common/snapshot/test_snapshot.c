/* Snapshots: columns, selections, densities. */

#include "tests/unit/common/test_support.h"

#include <math.h>

#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_packed.h"
#include "tests/support/snapshots.h"

/* ==== snapshot: the exact text, the round trip of random snapshots, hostile lines ==== */

static uint16_t intern(struct name_table *names, const char *name) {
    const int index = name_table_intern(names, name, strlen(name));
    assert_true(index >= 0);
    return (uint16_t)index;
}

static struct snapshot *create_snapshot(int32_t count, int32_t share_count, bool has_forces) {
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(snapshot_reserve(snapshot, count, share_count, has_forces), 0);
    snapshot->count = count;
    snapshot->share_count = share_count;
    snapshot->has_forces = has_forces;
    return snapshot;
}

/* The ship of protocol.md, with two shares, and a target. */
static struct snapshot *create_ship(void) {
    struct snapshot *ship = create_snapshot(1, 2, true);
    ship->tick = 60;
    ship->time_s = 1.0;
    ship->clock_ms = 88123.412;
    ship->id[0] = 1;
    ship->kind[0] = intern(&ship->kind_names, "ship");
    ship->state[0] = intern(&ship->state_names, "seek");
    ship->x[0] = 1234;
    ship->y[0] = 500;
    ship->vx[0] = -320;
    ship->vy[0] = 0;
    ship->heading[0] = 18000;
    ship->desired[0] = (struct snapshot_vector){12000, 0};
    ship->steering[0] = (struct snapshot_vector){36000, 0};
    ship->share_begin[0] = 0;
    ship->share_begin[1] = 2;
    ship->shares[0] = (struct snapshot_share){intern(&ship->behavior_names, "seek"), {40000, 0}};
    ship->shares[1] = (struct snapshot_share){intern(&ship->behavior_names, "flee"), {-4000, -1}};
    ship->target_count = 1;
    ship->target_name[0] = intern(&ship->target_names, "mouse");
    ship->target_x[0] = 40000;
    ship->target_y[0] = 30000;
    return ship;
}

static void assert_encodes(const struct snapshot *snapshot, bool with_forces, const char *expected) {
    struct buffer out;
    buffer_init(&out, 1 << 20);
    snapshot_encode_objects(snapshot, with_forces, &out);
    assert_false(out.failed);
    assert_string_equal(out.data, expected);
    buffer_fini(&out);
}

static void writes_the_documented_text(void **state) {
    struct snapshot *ship = create_ship();
    assert_encodes(
        ship, false,
        "{\"op\":\"snapshot\",\"tick\":60,\"time\":1.000000,\"agents\":[{\"id\":1,\"kind\":\"ship\","
        "\"state\":\"seek\",\"x\":12.34,\"y\":5.00,\"vx\":-3.20,\"vy\":0.00,\"heading\":180.00}],"
        "\"targets\":[{\"name\":\"mouse\",\"x\":400.00,\"y\":300.00}],\"clock\":88123.412}\n");
    assert_encodes(
        ship, true,
        "{\"op\":\"snapshot\",\"tick\":60,\"time\":1.000000,\"agents\":[{\"id\":1,\"kind\":\"ship\","
        "\"state\":\"seek\",\"x\":12.34,\"y\":5.00,\"vx\":-3.20,\"vy\":0.00,\"heading\":180.00,"
        "\"desired\":[120.00,0.00],\"steering\":[360.00,0.00],"
        "\"forces\":{\"seek\":[400.00,0.00],\"flee\":[-40.00,-0.01]}}],"
        "\"targets\":[{\"name\":\"mouse\",\"x\":400.00,\"y\":300.00}],\"clock\":88123.412}\n");
    ship->share_begin[1] = 0;
    ship->target_count = 0;
    assert_encodes(
        ship, true,
        "{\"op\":\"snapshot\",\"tick\":60,\"time\":1.000000,\"agents\":[{\"id\":1,\"kind\":\"ship\","
        "\"state\":\"seek\",\"x\":12.34,\"y\":5.00,\"vx\":-3.20,\"vy\":0.00,\"heading\":180.00,"
        "\"desired\":[120.00,0.00],\"steering\":[360.00,0.00],\"forces\":{}}],"
        "\"targets\":[],\"clock\":88123.412}\n");
    ship->count = 0;
    ship->time_s = 1.0 / 60.0;
    assert_encodes(ship, true,
                   "{\"op\":\"snapshot\",\"tick\":60,\"time\":0.016667,\"agents\":[],\"targets\":[],"
                   "\"clock\":88123.412}\n");
    snapshot_destroy(ship);
}

#define PARTS_BEGIN                                                                                          \
    "{\"op\":\"snapshot\",\"tick\":60,\"time\":1.000000,\"agents\":[{\"id\":1,\"kind\":\"ship\","            \
    "\"state\":\"seek\",\"x\":12.34,\"y\":5.00,\"vx\":-3.20,\"vy\":0.00,\"heading\":180.00,"                 \
    "\"desired\":[120.00,0.00],\"steering\":[360.00,0.00],"                                                  \
    "\"forces\":{\"seek\":[400.00,0.00],\"flee\":[-40.00,-0.01]}"
#define PARTS_END "}],\"targets\":[{\"name\":\"mouse\",\"x\":400.00,\"y\":300.00}],\"clock\":88123.412}\n"

static void assert_fields(const struct snapshot *snapshot, unsigned fields, const char *expected) {
    struct buffer out;
    buffer_init(&out, 1 << 20);
    snapshot_encode_fields(snapshot, fields, &out);
    assert_false(out.failed);
    assert_string_equal(out.data, expected);
    buffer_fini(&out);
}

static void parts_stand_beside_the_forces(void **state) {
    const unsigned forces = SNAPSHOT_USUAL | SNAPSHOT_FORCES, parts = SNAPSHOT_PARTS;
    struct snapshot *ship = create_ship();
    assert_int_equal(snapshot_reserve_parts(ship, 3), 0);
    ship->fields = forces | parts;
    const uint16_t flock = intern(&ship->behavior_names, "flock");
    const uint16_t flock2 = intern(&ship->behavior_names, "flock2");
    ship->parts[0] = (struct snapshot_part){flock, intern(&ship->part_names, "separation"), {100, -250}};
    ship->parts[1] = (struct snapshot_part){flock, intern(&ship->part_names, "cohesion"), {0, 1}};
    ship->parts[2] = (struct snapshot_part){flock2, intern(&ship->part_names, "separation"), {7, 0}};
    ship->part_begin[0] = 0;
    ship->part_begin[1] = ship->part_count = 3;
    assert_fields(ship, forces, PARTS_BEGIN PARTS_END);
    assert_fields(ship, forces | parts,
                  PARTS_BEGIN ",\"parts\":{\"flock\":{\"separation\":[1.00,-2.50],\"cohesion\":[0.00,0.01]},"
                              "\"flock2\":{\"separation\":[0.07,0.00]}}" PARTS_END);
    struct snapshot *copy = snapshot_create();
    assert_non_null(copy);
    const int32_t first = 0;
    assert_int_equal(snapshot_select(ship, &first, 1, copy), 0);
    assert_true(snapshot_has_parts(copy) && copy->part_count == 3);
    assert_fields(
        copy, SNAPSHOT_SHARES | parts | SNAPSHOT_POS,
        "{\"op\":\"snapshot\",\"tick\":60,\"time\":1.000000,\"agents\":[{\"id\":1,\"x\":12.34,\"y\":5.00,"
        "\"forces\":{\"seek\":[400.00,0.00],\"flee\":[-40.00,-0.01]},\"parts\":{\"flock\":{"
        "\"separation\":[1.00,-2.50],\"cohesion\":[0.00,0.01]},\"flock2\":{\"separation\":[0.07,0.00]}"
        "}" PARTS_END);
    ship->part_begin[1] = 0;
    assert_fields(ship, forces | parts, PARTS_BEGIN PARTS_END); /* an agent that does not flock */
    ship->fields = forces;
    assert_int_equal(snapshot_copy(ship, copy), 0);
    assert_false(snapshot_has_parts(copy));
    assert_fields(copy, forces | parts, PARTS_BEGIN PARTS_END);
    snapshot_destroy(copy);
    snapshot_destroy(ship);
}

static int32_t random_value(uint64_t *random) {
    const uint64_t bits = test_random(random);
    const int32_t value = (int32_t)((uint32_t)bits >> (bits >> 59));
    return (bits >> 40) & 1 ? value : (int32_t)(0u - (uint32_t)value);
}

static struct snapshot_vector random_vector(uint64_t *random) {
    const int32_t x = random_value(random);
    return (struct snapshot_vector){x, random_value(random)};
}

/* Some agents have parts of two behaviors. */
static void add_random_parts(uint64_t *random, struct snapshot *snapshot) {
    static const char *const names[] = {"p", "9876543210987654321098765432109", "q-2"};
    assert_int_equal(snapshot_reserve_parts(snapshot, snapshot->count * 6), 0);
    snapshot->fields = SNAPSHOT_USUAL | SNAPSHOT_FORCES | SNAPSHOT_PARTS;
    for (int n = 0; n < 3; n++) {
        (void)intern(&snapshot->part_names, names[n]);
    }
    for (int32_t i = 0; i < snapshot->count; i++) {
        snapshot->part_begin[i] = snapshot->part_count;
        const int parts = i > 0 && test_below(random, 3) == 0 ? 0 : 6;
        for (int p = 0; p < parts; p++) {
            struct snapshot_part *part = &snapshot->parts[snapshot->part_count++];
            part->behavior = (uint16_t)(p / 3);
            part->part = (uint16_t)(p % 3);
            part->force = random_vector(random);
        }
    }
    snapshot->part_begin[snapshot->count] = snapshot->part_count;
}

static void assert_parts_equal(const struct snapshot *a, const struct snapshot *b) {
    assert_int_equal(a->part_count, b->part_count);
    for (int32_t i = 0; i <= a->count; i++) {
        assert_int_equal(a->part_begin[i], b->part_begin[i]);
    }
    for (int32_t p = 0; p < a->part_count; p++) {
        assert_string_equal(a->behavior_names.names[a->parts[p].behavior],
                            b->behavior_names.names[b->parts[p].behavior]);
        assert_string_equal(a->part_names.names[a->parts[p].part], b->part_names.names[b->parts[p].part]);
        assert_memory_equal(&a->parts[p].force, &b->parts[p].force, sizeof a->parts[p].force);
    }
}

/* Names as long as they may be, numbers as long as they may be. */
static struct snapshot *create_random(uint64_t *random, bool has_forces) {
    static const char *const names[] = {"a", "0123456789012345678901234567890", "prey-2", "_"};
    const int32_t count = (int32_t)test_below(random, 200);
    struct snapshot *snapshot = create_snapshot(count, has_forces ? count * 3 : 0, has_forces);
    for (int n = 0; n < 4; n++) {
        (void)intern(&snapshot->kind_names, names[n]);
        (void)intern(&snapshot->state_names, names[3 - n]);
        (void)intern(&snapshot->behavior_names, names[(n + 1) % 4]);
        (void)intern(&snapshot->target_names, names[n]);
    }
    snapshot->tick = test_random(random) >> 11;
    snapshot->time_s = (double)(test_random(random) >> 24) / 1e6;
    snapshot->clock_ms = (double)(test_random(random) >> 24) / 1e3;
    uint32_t id = test_below(random, UINT32_MAX - 100000);
    int32_t shares = 0;
    for (int32_t i = 0; i < count; i++) {
        id += 1 + test_below(random, 100);
        snapshot->id[i] = id;
        snapshot->kind[i] = (uint16_t)test_below(random, 4);
        snapshot->state[i] = (uint16_t)test_below(random, 4);
        snapshot->x[i] = random_value(random);
        snapshot->y[i] = random_value(random);
        snapshot->vx[i] = random_value(random);
        snapshot->vy[i] = i == 0 ? INT32_MIN : random_value(random);
        snapshot->heading[i] = (int32_t)test_below(random, 36000);
        if (has_forces) {
            snapshot->desired[i] = random_vector(random);
            snapshot->steering[i] = random_vector(random);
            snapshot->share_begin[i] = shares;
            const uint32_t first = test_below(random, 4);
            for (uint32_t s = test_below(random, 4); s > 0; s--, shares++) {
                snapshot->shares[shares].behavior = (uint16_t)((first + s) % 4);
                snapshot->shares[shares].force = random_vector(random);
            }
        }
    }
    if (has_forces) {
        snapshot->share_begin[count] = snapshot->share_count = shares;
        add_random_parts(random, snapshot);
    }
    snapshot->target_count = (int32_t)test_below(random, 5);
    for (int32_t i = 0; i < snapshot->target_count; i++) {
        snapshot->target_name[i] = (uint16_t)i;
        snapshot->target_x[i] = random_value(random);
        snapshot->target_y[i] = random_value(random);
    }
    return snapshot;
}

static void assert_forces_equal(const struct snapshot *a, const struct snapshot *b) {
    assert_int_equal(a->share_count, b->share_count);
    for (int32_t i = 0; i <= a->count; i++) {
        assert_int_equal(a->share_begin[i], b->share_begin[i]);
    }
    for (int32_t i = 0; i < a->count; i++) {
        assert_memory_equal(&a->desired[i], &b->desired[i], sizeof a->desired[i]);
        assert_memory_equal(&a->steering[i], &b->steering[i], sizeof a->steering[i]);
    }
    for (int32_t s = 0; s < a->share_count; s++) {
        assert_string_equal(a->behavior_names.names[a->shares[s].behavior],
                            b->behavior_names.names[b->shares[s].behavior]);
        assert_memory_equal(&a->shares[s].force, &b->shares[s].force, sizeof a->shares[s].force);
    }
}

static void assert_snapshots_equal(const struct snapshot *a, const struct snapshot *b) {
    assert_true(a->tick == b->tick);
    assert_true(fabs(a->time_s - b->time_s) < 1e-6 && fabs(a->clock_ms - b->clock_ms) < 1e-3);
    assert_int_equal(a->count, b->count);
    for (int32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->id[i], b->id[i]);
        assert_string_equal(a->kind_names.names[a->kind[i]], b->kind_names.names[b->kind[i]]);
        assert_string_equal(a->state_names.names[a->state[i]], b->state_names.names[b->state[i]]);
        assert_int_equal(a->x[i], b->x[i]);
        assert_int_equal(a->y[i], b->y[i]);
        assert_int_equal(a->vx[i], b->vx[i]);
        assert_int_equal(a->vy[i], b->vy[i]);
        assert_int_equal(a->heading[i], b->heading[i]);
    }
    assert_int_equal(a->target_count, b->target_count);
    for (int32_t i = 0; i < a->target_count; i++) {
        assert_string_equal(a->target_names.names[a->target_name[i]],
                            b->target_names.names[b->target_name[i]]);
        assert_int_equal(a->target_x[i], b->target_x[i]);
        assert_int_equal(a->target_y[i], b->target_y[i]);
    }
}

static void random_snapshots_round_trip(void **state) {
    uint64_t random = 21;
    struct snapshot *back = snapshot_create(); /* one for all, as a viewer has */
    assert_non_null(back);
    struct buffer out;
    buffer_init(&out, 1 << 22);
    for (int round = 0; round < 300; round++) {
        const bool has_forces = round % 3 == 1;
        const bool with_forces = round % 4 != 0;
        struct snapshot *snapshot = create_random(&random, has_forces);
        buffer_clear(&out);
        const unsigned parts = round % 2 == 0 ? (unsigned)SNAPSHOT_PARTS : 0u;
        snapshot_encode_fields(snapshot, SNAPSHOT_USUAL | (with_forces ? SNAPSHOT_FORCES | parts : 0u), &out);
        assert_false(out.failed);
        char *line = test_exact_copy(out.data, out.length - 1);
        struct failure failure;
        if (snapshot_decode(line, out.length - 1, back, &failure) != 0) {
            fail_msg("%s: %s", failure.field, failure.message);
        }
        free(line);
        assert_snapshots_equal(snapshot, back);
        assert_int_equal(back->has_forces, has_forces && with_forces && snapshot->count > 0);
        if (back->has_forces) {
            assert_forces_equal(snapshot, back);
            assert_int_equal(snapshot_has_parts(back), parts != 0);
            if (parts != 0) {
                assert_parts_equal(snapshot, back);
            }
        }
        snapshot_destroy(snapshot);
    }
    buffer_fini(&out);
    snapshot_destroy(back);
}

static void a_full_buffer_fails_without_harm(void **state) {
    uint64_t random = 4;
    struct snapshot *snapshot = create_random(&random, true);
    for (size_t limit = 1; limit < 3000; limit += 7) {
        struct buffer out;
        buffer_init(&out, limit);
        snapshot_encode_objects(snapshot, limit % 2 == 0, &out);
        assert_true(out.failed);
        assert_true(out.length <= limit);
        buffer_fini(&out);
    }
    snapshot_destroy(snapshot);
}

static int decode(struct snapshot *snapshot, const char *text, size_t length) {
    struct failure failure = {.code = FAILURE_NONE};
    char *copy = test_exact_copy(text, length);
    const int result = snapshot_decode(copy, length, snapshot, &failure);
    free(copy);
    if (result != 0) {
        assert_int_not_equal(failure.code, FAILURE_NONE);
        assert_int_equal(snapshot->count, 0);
    }
    return result;
}

static int decode_text(struct snapshot *snapshot, const char *text) {
    return decode(snapshot, text, strlen(text));
}

#define AGENT_REST "\"kind\":\"a\",\"state\":\"s\",\"x\":1.5,\"y\":2,\"vx\":0,\"vy\":0,\"heading\":359.99"
#define SNAPSHOT_LINE(agents)                                                                                \
    "{\"op\":\"snapshot\",\"tick\":1,\"time\":0,\"agents\":[" agents "],\"targets\":[],\"clock\":1}"

#define FORCED(more)                                                                                         \
    SNAPSHOT_LINE("{\"id\":1,\"forces\":{},\"desired\":[0,0],\"steering\":[0,0]," more "," AGENT_REST "}")

static void accepts_any_order_and_unknown_members(void **state) {
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(
        decode_text(
            snapshot,
            " {\"clock\":2.5,\"new\":[{}],\"targets\":[{\"y\":-1,\"x\":1e2,\"name\":\"m\",\"z\":0}],"
            "\"agents\":[{\"heading\":0,\"vy\":4,\"more\":null,\"y\":2.004,\"vx\":3,\"x\":1.006,"
            "\"state\":\"s\",\"id\":9,\"kind\":\"a\"}],\"time\":0.5,\"op\":\"snapshot\",\"tick\":3} \r\n"),
        0);
    assert_int_equal(snapshot->count, 1);
    assert_int_equal(snapshot->id[0], 9);
    assert_int_equal(snapshot->x[0], 101);
    assert_int_equal(snapshot->y[0], 200);
    assert_int_equal(snapshot->target_x[0], 10000);
    assert_int_equal(snapshot->target_y[0], -100);
    assert_int_equal(decode_text(snapshot, SNAPSHOT_LINE("{\"id\":1," AGENT_REST "}")), 0);
    snapshot_destroy(snapshot);
}

static void refuses_hostile_lines(void **state) {
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "null",
        "{\"op\":\"hello\"}",
        SNAPSHOT_LINE("1"),
        SNAPSHOT_LINE("[]"),
        SNAPSHOT_LINE("{}"),
        SNAPSHOT_LINE("null"),
        SNAPSHOT_LINE("{\"id\":0," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":1.5," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":4294967296," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":\"1\"," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":1,\"id\":2," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":2," AGENT_REST "},{\"id\":1," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":2," AGENT_REST "},{\"id\":2," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":1,\"kind\":\"a\",\"state\":\"s\",\"x\":1,\"y\":2,\"vx\":0,\"vy\":0}"),
        SNAPSHOT_LINE(
            "{\"id\":1,\"kind\":\"a\",\"state\":\"s\",\"x\":1,\"y\":2,\"vx\":0,\"vy\":0,\"heading\":360}"),
        SNAPSHOT_LINE(
            "{\"id\":1,\"kind\":\"a\",\"state\":\"s\",\"x\":1,\"y\":2,\"vx\":0,\"vy\":0,\"heading\":-1}"),
        SNAPSHOT_LINE(
            "{\"id\":1,\"kind\":\"a\",\"state\":\"s\",\"x\":1e999,\"y\":2,\"vx\":0,\"vy\":0,\"heading\":1}"),
        SNAPSHOT_LINE("{\"id\":1,\"kind\":\"a\",\"state\":\"s\",\"x\":21474836.48,\"y\":2,\"vx\":0,\"vy\":0,"
                      "\"heading\":1}"),
        SNAPSHOT_LINE(
            "{\"id\":1,\"kind\":\"a b\",\"state\":\"s\",\"x\":1,\"y\":2,\"vx\":0,\"vy\":0,\"heading\":1}"),
        SNAPSHOT_LINE(
            "{\"id\":1,\"kind\":7,\"state\":\"s\",\"x\":1,\"y\":2,\"vx\":0,\"vy\":0,\"heading\":1}"),
        SNAPSHOT_LINE("{\"id\":1,\"forces\":{}," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":1,\"forces\":[],\"desired\":[0,0],\"steering\":[0,0]," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":1,\"forces\":{\"seek\":[1]},\"desired\":[0,0],\"steering\":[0,0]," AGENT_REST
                      "}"),
        SNAPSHOT_LINE("{\"id\":1,\"forces\":{\"a b\":[1,2]},\"desired\":[0,0],\"steering\":[0,0]," AGENT_REST
                      "}"),
        FORCED("\"parts\":[]"),
        FORCED("\"parts\":{\"flock\":[1,2]}"),
        FORCED("\"parts\":{\"flock\":{\"separation\":[1]}}"),
        FORCED("\"parts\":{\"flock\":{\"a b\":[1,2]}}"),
        FORCED("\"parts\":{\"a b\":{\"separation\":[1,2]}}"),
        FORCED("\"parts\":{},\"parts\":{}"),
        SNAPSHOT_LINE("{\"id\":1,\"forces\":{},\"desired\":[0,0,0],\"steering\":[0,0]," AGENT_REST "}"),
        SNAPSHOT_LINE("{\"id\":1,\"forces\":{},\"desired\":[0,0],\"steering\":[0,0]," AGENT_REST
                      "},{\"id\":2," AGENT_REST "}"),
        "{\"op\":\"snapshot\",\"tick\":1,\"time\":0,\"agents\":[],\"targets\":[],\"clock\":1}x",
        "{\"op\":\"snapshot\",\"tick\":-1,\"time\":0,\"agents\":[],\"targets\":[],\"clock\":1}",
        "{\"op\":\"snapshot\",\"tick\":1,\"time\":\"\",\"agents\":[],\"targets\":[],\"clock\":1}",
        "{\"op\":\"snapshot\",\"tick\":1,\"time\":0,\"agents\":{},\"targets\":[],\"clock\":1}",
        "{\"op\":\"snapshot\",\"tick\":1,\"time\":0,\"agents\":[],\"clock\":1}",
        "{\"op\":\"snapshot\",\"tick\":1,\"time\":0,\"agents\":[],\"clock\":1,\"targets\":[{\"x\":1}]}",
        "{\"op\":\"snapshot\",\"tick\":1,\"time\":0,\"agents\":[],\"targets\":[]}",
    };
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(decode_text(snapshot, SNAPSHOT_LINE("")), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (decode_text(snapshot, bad[i]) == 0) {
            fail_msg("accepted: %s", bad[i]);
        }
    }
    snapshot_destroy(snapshot);
}

static void refuses_too_many_targets(void **state) {
    struct buffer line;
    buffer_init(&line, 1 << 20);
    buffer_append_text(&line,
                       "{\"op\":\"snapshot\",\"tick\":1,\"time\":0,\"clock\":1,\"agents\":[],\"targets\":[");
    for (int i = 0; i <= LIMIT_TARGETS; i++) {
        buffer_printf(&line, "%s{\"name\":\"t\",\"x\":0,\"y\":0}", i == 0 ? "" : ",");
    }
    buffer_append_text(&line, "]}");
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(decode(snapshot, line.data, line.length), -1);
    snapshot_destroy(snapshot);
    buffer_fini(&line);
}

static void survives_prefixes_and_mutations(void **state) {
    uint64_t random = 8;
    struct snapshot *ship = create_ship();
    struct snapshot *back = snapshot_create();
    assert_non_null(back);
    struct buffer out;
    buffer_init(&out, 1 << 16);
    snapshot_encode_objects(ship, true, &out);
    for (size_t length = 0; length + 1 < out.length; length++) { /* all but the whole object */
        assert_int_equal(decode(back, out.data, length), -1);
    }
    int accepted = 0;
    for (int i = 0; i < 30000; i++) {
        static const char interesting[] = "{}[]\",:-.eE0919\\ n";
        char *copy = test_exact_copy(out.data, out.length);
        for (uint32_t m = 1 + test_below(&random, 3); m > 0; m--) {
            copy[test_below(&random, (uint32_t)out.length)] =
                test_below(&random, 2) ? (char)test_random(&random)
                                       : interesting[test_below(&random, sizeof interesting)];
        }
        struct failure failure;
        accepted += snapshot_decode(copy, out.length, back, &failure) == 0;
        free(copy);
    }
    assert_true(accepted > 100 && accepted < 29000);
    assert_int_equal(decode(back, out.data, out.length), 0);
    buffer_fini(&out);
    snapshot_destroy(back);
    snapshot_destroy(ship);
}

static void reserve_keeps_contents(void **state) {
    struct snapshot *snapshot = create_snapshot(3, 0, false);
    for (int32_t i = 0; i < 3; i++) {
        snapshot->id[i] = (uint32_t)i + 7;
    }
    assert_int_equal(snapshot_reserve(snapshot, 3, 5, true), 0);
    assert_true(snapshot->share_capacity >= 5);
    snapshot->share_begin[snapshot->capacity] = 5;
    assert_int_equal(snapshot_reserve(snapshot, 1000, 2, false), 0);
    assert_true(snapshot->capacity >= 1000);
    snapshot->share_begin[snapshot->capacity] = 5; /* the force arrays grew along */
    snapshot->steering[snapshot->capacity - 1].y = 1;
    assert_int_equal(snapshot->id[2], 9);
    snapshot_destroy(snapshot);
    snapshot_destroy(NULL);
}

/* The last member of a frame, in each layout that has frames. */
static void the_speed_is_read_in_every_layout(void **state) {
    static const int layouts[] = {LAYOUT_OBJECTS, LAYOUT_PACKED, LAYOUT_DENSITY};
    struct snapshot *ship = create_ship(), *back = snapshot_create();
    struct density *density = density_create(), *scratch = density_create();
    struct packed_decoder *key = packed_decoder_create();
    const struct frame_reader reader = {.key = key, .snapshot = back, .density = density};
    ship->width = ship->height = 800.0f;
    ship->fields = SNAPSHOT_USUAL;
    for (size_t i = 0; i < 3; i++) {
        const struct frame_layout *layout = frame_layout_row(layouts[i]);
        const struct snapshot_view view = {.layout = layouts[i], .fields = SNAPSHOT_USUAL, .grid = {1, 1}};
        struct packed_encoder encoder;
        struct failure failure = {0};
        struct buffer out;
        assert_int_equal(packed_encoder_init(&encoder, SNAPSHOT_USUAL), 0);
        for (int has_speed = 0; has_speed < 2; has_speed++) {
            buffer_init(&out, 1 << 16);
            if (layout->key != NULL) {
                layout->key->encode_key(&encoder, ship, 7, &out);
                assert_int_equal(layout->decode(&reader, out.data, out.length - 1, &failure), FRAME_KEY);
                buffer_clear(&out);
                assert_true(layout->key->encode_delta(&encoder, ship, &out));
            } else {
                layout->encode(&view, ship, scratch, &out);
            }
            if (has_speed != 0) {
                snapshot_view_add_speed(0.05, &out);
                assert_non_null(strstr(out.data, ",\"speed\":0.050000}\n"));
            }
            assert_int_equal(layout->decode(&reader, out.data, out.length - 1, &failure), FRAME_READY);
            assert_int_equal(back->has_speed, has_speed);
            assert_true(back->speed == (has_speed != 0 ? 0.05 : 0.0));
            buffer_fini(&out);
        }
        packed_encoder_fini(&encoder);
    }
    packed_decoder_destroy(key);
    density_destroy(density);
    density_destroy(scratch);
    snapshot_destroy(ship);
    snapshot_destroy(back);
}

/* ==== snapshot density ====
 * common/snapshot_density and snapshot_view: the agents of a view, the counts of a cell, the line there and
 * back. */

static struct snapshot *create_snapshot_density(int32_t count, float width, float height, bool wraps) {
    struct snapshot *snapshot = snapshot_create();
    assert_non_null(snapshot);
    assert_int_equal(snapshot_reserve(snapshot, count, 0, false), 0);
    snapshot->count = count;
    snapshot->width = width;
    snapshot->height = height;
    snapshot->wraps = wraps;
    assert_int_equal(name_table_intern(&snapshot->kind_names, "prey", 4), 0);
    assert_int_equal(name_table_intern(&snapshot->kind_names, "hunter", 6), 1);
    assert_int_equal(name_table_intern(&snapshot->state_names, "s", 1), 0);
    for (int32_t i = 0; i < count; i++) {
        snapshot->id[i] = (uint32_t)i + 1;
        snapshot->kind[i] = (uint16_t)(i % 2);
        snapshot->state[i] = 0;
        snapshot->heading[i] = snapshot->stamina[i] = 0;
        snapshot->vx[i] = snapshot->vy[i] = 0;
    }
    return snapshot;
}

static struct snapshot_view view_of(float x, float y, float width, float height) {
    return (struct snapshot_view){.has_region = true, .region = {x, y, width, height}};
}

static int32_t shown(const struct snapshot_view *view, const struct snapshot *snapshot) {
    struct snapshot_filter filter;
    int32_t rows[64];
    snapshot_view_filter(view, snapshot, 0.0, &filter);
    return snapshot_filter_rows(&filter, snapshot, rows);
}

static void a_region_wraps_with_the_world(void **state) {
    static const int32_t x[] = {0, 999, 5000, 79999, 80000, 79000, -100};
    struct snapshot *flat = create_snapshot_density(7, 800, 600, false),
                    *round = create_snapshot_density(7, 800, 600, true);
    for (int32_t i = 0; i < 7; i++) {
        flat->x[i] = round->x[i] = x[i];
        flat->y[i] = round->y[i] = 100;
    }
    const struct snapshot_view corner = view_of(-10, 0, 20, 600);
    assert_int_equal(shown(&corner, flat), 3);  /* 0, 999 and -100 */
    assert_int_equal(shown(&corner, round), 6); /* all but 5000 */
    const struct snapshot_view edge = view_of(790, 0, 10, 600);
    assert_int_equal(shown(&edge, flat), 3);
    const struct snapshot_view everything = view_of(-5000, -5000, 10000, 10000);
    assert_int_equal(shown(&everything, round), 7);
    const struct snapshot_view nowhere = view_of(300, 300, 10, 10);
    assert_int_equal(shown(&nowhere, round), 0);
    snapshot_destroy(flat);
    snapshot_destroy(round);
}

static void kinds_by_name(void **state) {
    struct snapshot *world = create_snapshot_density(9, 800, 600, false);
    struct snapshot_view view = {.kinds = "hunter"};
    assert_int_equal(shown(&view, world), 4);
    memcpy(view.kinds, "hunt prey", 10);
    assert_int_equal(shown(&view, world), 5);
    memcpy(view.kinds, "prey hunter", 12);
    assert_int_equal(shown(&view, world), 9);
    memcpy(view.kinds, "preys", 6);
    assert_int_equal(shown(&view, world), 0); /* another scenario's kinds: no agent */
    struct snapshot_view other = view;
    assert_true(snapshot_view_equals(&view, &other));
    other.fields = 1;
    assert_false(snapshot_view_equals(&view, &other));
    snapshot_destroy(world);
}

static void cells_count_and_average(void **state) {
    struct snapshot *world = create_snapshot_density(6, 100, 100, false);
    static const int32_t at[6][4] = {{0, 0, 100, -100},    {4999, 4999, 101, -100}, {5000, 0, 7, 8},
                                     {10000, 10000, 9, 9}, {10001, 0, 5, 5},        {5000, 5000, -10, 0}};
    for (int32_t i = 0; i < 6; i++) {
        world->x[i] = at[i][0];
        world->y[i] = at[i][1];
        world->vx[i] = at[i][2];
        world->vy[i] = at[i][3];
    }
    const struct snapshot_view view = {.grid = {2, 2}};
    struct density density;
    density_init(&density);
    assert_int_equal(density_count(&view, world, &density), 0);
    assert_int_equal(density.inside, 5);
    assert_int_equal(density.outside, 1);
    assert_memory_equal(density.count, ((uint32_t[]){2, 1, 0, 2}), 16);
    assert_memory_equal(density.vx, ((int32_t[]){101, 7, 0, -1}), 16); /* 100.5 and -0.5 away from zero */
    assert_memory_equal(density.vy, ((int32_t[]){-100, 8, 0, 5}), 16);
    density_fini(&density);
    snapshot_destroy(world);
}

static void kinds_and_speeds_when_they_are_asked_for(void **state) {
    struct snapshot *world = create_snapshot_density(7, 100, 100, false); /* prey and hunters in turns */
    static const int32_t at[7][4] = {{0, 0, 100, 0},   {10, 10, -100, 0}, {20, 20, 300, 400},
                                     {6000, 10, 3, 4}, {7000, 10, 0, 4},  {9, 9999, 0, 0},
                                     {10001, 0, 5, 5}};
    for (int32_t i = 0; i < 7; i++) {
        world->x[i] = at[i][0];
        world->y[i] = at[i][1];
        world->vx[i] = at[i][2];
        world->vy[i] = at[i][3];
    }
    struct density density;
    density_init(&density);
    struct snapshot_view view = {.grid = {2, 2}, .by_kind = true, .mean_speed = true};
    assert_int_equal(density_count(&view, world, &density), 0);
    assert_true(density.kind_count == 2 && density.has_mean_speed);
    assert_string_equal(density.kinds[0], "prey");
    assert_string_equal(density.kinds[1], "hunter");
    assert_memory_equal(density.by_kind, ((uint32_t[]){2, 1, 0, 0, 1, 1, 1, 0}), 32);
    assert_memory_equal(density.mean_speed, ((uint32_t[]){233, 5, 0, 0}),
                        16); /* 700 / 3; 4.5 away from zero */
    memcpy(view.kinds, "hunter", 7);
    assert_int_equal(density_count(&view, world, &density), 0);
    assert_int_equal(density.kind_count, 1); /* a kind that is not shown has no column */
    assert_string_equal(density.kinds[0], "hunter");
    assert_memory_equal(density.by_kind, density.count, 16);
    const struct snapshot_view plain = {.grid = {2, 2}};
    assert_int_equal(density_count(&plain, world, &density), 0);
    assert_true(density.kind_count == 0 && !density.has_mean_speed);
    assert_false(snapshot_view_equals(&plain, &(struct snapshot_view){.grid = {2, 2}, .by_kind = true}));
    assert_false(snapshot_view_equals(&plain, &(struct snapshot_view){.grid = {2, 2}, .mean_speed = true}));
    density_fini(&density);
    snapshot_destroy(world);
}

static void grids_by_cell_size(void **state) {
    int32_t columns = 0, rows = 0;
    struct snapshot_view view = {.cell = 10};
    density_grid(&view, 800, 601, &columns, &rows);
    assert_true(columns == 80 && rows == 61);
    density_grid(&view, 5, 1e5, &columns, &rows);
    assert_true(columns == 1 && rows == 10000);
    density_grid(&view, 1e5, 1e5, &columns, &rows); /* would be 10^8 cells */
    assert_true(columns * rows <= LIMIT_GRID_CELLS && columns * rows > LIMIT_GRID_CELLS / 2);
}

static void random_worlds_there_and_back(void **state) {
    uint64_t random = 21;
    struct density density, back;
    density_init(&density);
    density_init(&back);
    for (int round = 0; round < 200; round++) {
        struct snapshot *world =
            create_snapshot_density((int32_t)test_below(&random, 500), 640, 480, round % 2 == 0);
        for (int32_t i = 0; i < world->count; i++) {
            world->x[i] = (int32_t)test_below(&random, 70000) - 3000;
            world->y[i] = (int32_t)test_below(&random, 50000) - 1000;
            world->vx[i] = (int32_t)test_below(&random, 4000001) - 2000000;
        }
        struct snapshot_view view = view_of(-20, 100, 5 + (float)test_below(&random, 900), 77);
        view.has_region = round % 3 != 0;
        view.grid[0] = 1 + (float)test_below(&random, 40);
        view.grid[1] = 1 + (float)test_below(&random, 40);
        view.by_kind = round % 4 > 0;
        view.mean_speed = round % 4 > 1;
        assert_int_equal(density_count(&view, world, &density), 0);
        assert_int_equal(density.inside + density.outside, world->count);
        struct buffer line;
        buffer_init(&line, 1 << 20);
        density_encode(&density, world, &line);
        struct failure failure;
        char *copy = test_exact_copy(line.data, line.length);
        assert_int_equal(density_decode(copy, line.length, &back, NULL, &failure), 0);
        const size_t bytes = (size_t)(density.columns * density.rows) * 4;
        assert_memory_equal(back.count, density.count, bytes);
        assert_memory_equal(back.vx, density.vx, bytes);
        assert_memory_equal(back.vy, density.vy, bytes);
        assert_true(back.kind_count == (view.by_kind ? 2 : 0) && back.has_mean_speed == view.mean_speed);
        for (int32_t k = 0; k < back.kind_count; k++) {
            assert_string_equal(back.kinds[k], density.kinds[k]);
        }
        if (view.by_kind) {
            assert_memory_equal(back.by_kind, density.by_kind, 2 * bytes);
        }
        if (view.mean_speed) {
            assert_memory_equal(back.mean_speed, density.mean_speed, bytes);
        }
        assert_memory_equal(&back.region, &density.region, sizeof back.region);
        assert_true(back.inside == density.inside && back.outside == density.outside);
        for (int hits = 0; hits < 20; hits++) { /* mutants: accepted or not, nothing is touched outside */
            const uint32_t place = test_below(&random, (uint32_t)line.length);
            copy[place] = (char)test_random(&random);
            const int result = density_decode(copy, line.length, &back, NULL, &failure);
            assert_true(result == -1 || back.columns * back.rows <= LIMIT_GRID_CELLS);
            copy[place] = line.data[place];
        }
        free(copy);
        buffer_fini(&line);
        snapshot_destroy(world);
    }
    density_fini(&density);
    density_fini(&back);
}

#define SNAPSHOT_DENSITY_LINE(grid, region, n, counts)                                                       \
    "{\"op\":\"density\",\"tick\":1,\"time\":1,\"grid\":" grid ",\"region\":" region ",\"n\":" n             \
    ",\"outside\":0,\"count\":\"" counts "\",\"vx\":\"AAAAAA==\",\"vy\":\"AAAAAA==\",\"clock\":1}"
/* One agent in one cell, with more members. */
#define MORE(members)                                                                                        \
    "{\"op\":\"density\",\"tick\":1,\"time\":1,\"grid\":[1,1],\"region\":[0,0,1,1],\"n\":1,\"outside\":0,"   \
    "\"count\":\"AQAAAA==\",\"vx\":\"AAAAAA==\",\"vy\":\"AAAAAA==\",\"clock\":1," members "}"
#define NAME_OF_32 "\"a2345678901234567890123456789012\""

static void wrong_lines_are_refused(void **state) {
    static const char *const lines[] = {SNAPSHOT_DENSITY_LINE("[1,1]", "[0,0,1,1]", "0", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1,2]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[0,1]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1,1,1]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1.5,1]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[129,128]", "[0,0,1,1]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1,1]", "[0,0,0,1]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1,1]", "[0,0,1]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1,1]", "[0,0,1,1e300]", "1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1,1]", "[0,0,1,1]", "-1", "AQAAAA=="),
                                        SNAPSHOT_DENSITY_LINE("[1,1]", "[0,0,1,1]", "1", "AQAAAA"),
                                        SNAPSHOT_DENSITY_LINE("[1,1]", "[0,\"a\",1,1]", "1", "AQAAAA=="),
                                        MORE("\"mean_speed\":5"),
                                        MORE("\"mean_speed\":\"AAAA\""),
                                        MORE("\"by_kind\":[\"AQAAAA==\"]"),
                                        MORE("\"by_kind\":{}"),
                                        MORE("\"by_kind\":{\"a\":\"AgAAAA==\"}"),
                                        MORE("\"by_kind\":{\"a\":\"AQAAAA==\",\"b\":\"AQAAAA==\"}"),
                                        MORE("\"by_kind\":{\"a\":\"AQAA\"}"),
                                        MORE("\"by_kind\":{\"a\":1}"),
                                        MORE("\"by_kind\":{" NAME_OF_32 ":\"AQAAAA==\"}"),
                                        "{\"op\":\"density\"}",
                                        "{\"op\":\"snapshot\"}"};
    struct density density;
    struct failure failure;
    density_init(&density);
    static const char fine[] = SNAPSHOT_DENSITY_LINE("[1,1]", "[0,0,1,1]", "1", "AQAAAA==");
    assert_int_equal(density_decode(fine, sizeof fine - 1, &density, NULL, &failure), 0);
    static const char more[] =
        MORE("\"by_kind\":{\"a\":\"AAAAAA==\",\"b\":\"AQAAAA==\"},\"mean_speed\":\"AAAAAA==\"");
    assert_int_equal(density_decode(more, sizeof more - 1, &density, NULL, &failure), 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        failure.message[0] = '\0';
        assert_int_equal(density_decode(lines[i], strlen(lines[i]), &density, NULL, &failure), -1);
        assert_true(failure.message[0] != '\0');
    }
    density_fini(&density);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_documented_text),
        cmocka_unit_test(parts_stand_beside_the_forces),
        cmocka_unit_test(random_snapshots_round_trip),
        cmocka_unit_test(a_full_buffer_fails_without_harm),
        cmocka_unit_test(accepts_any_order_and_unknown_members),
        cmocka_unit_test(refuses_hostile_lines),
        cmocka_unit_test(refuses_too_many_targets),
        cmocka_unit_test(survives_prefixes_and_mutations),
        cmocka_unit_test(reserve_keeps_contents),
        cmocka_unit_test(the_speed_is_read_in_every_layout),
        cmocka_unit_test(a_region_wraps_with_the_world),
        cmocka_unit_test(kinds_by_name),
        cmocka_unit_test(cells_count_and_average),
        cmocka_unit_test(grids_by_cell_size),
        cmocka_unit_test(random_worlds_there_and_back),
        cmocka_unit_test(wrong_lines_are_refused),
        cmocka_unit_test(kinds_and_speeds_when_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
