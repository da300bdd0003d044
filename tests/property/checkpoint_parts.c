/* A checkpoint in parts is the world, however many parts there are and wherever they were cut.
 *
 * Every scenario runs with random requests. At random ticks it is written in 1 to 5 parts, cut at random rows of cells,
 * some of them empty; what is read back has the hash of the run that was not interrupted, tick by tick. A part that is
 * damaged, cut off, missing, of another checkpoint or another part of this one is refused by its number.
 *
 * DROVER_TRAVEL=NAME runs one scenario, DROVER_PROPERTY_SEED repeats or varies the requests and cuts. Where DROVER_SLOW
 * is set there are more ticks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request.h"
#include "server/commands/command_apply.h"
#include "server/recording/checkpoint.h"
#include "server/sim/world/world_internal.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/property/random_request.h"
#include "tests/support/request_decode.h"

enum {
    PARTS = 5,
    TICKS = 200,    /* after a checkpoint, in the slow run */
    UPDATES = 9000, /* agents times ticks after a checkpoint, otherwise */
    MANY = 20000,   /* agents: not in the run that is not slow */
    ROUNDS = 2,     /* checkpoints of a scenario */
    LINE_BYTES = 256,
    READS = 12, /* of a small part, in all */
};

/* A checkpoint in memory. */
struct parts {
    int count;
    struct buffer head, bytes[PARTS];
    struct checkpoint_part_facts facts[PARTS];
    const struct buffer *open; /* the part that is read */
    int reads, most_reads;     /* so many reads until somebody writes into it; 0: nobody does */
};

/* ---- writing ---- */

/* Where each part begins: rows of cells, or slots of a world without an order. */
static void cut(int32_t whole, int count, int32_t *cuts) {
    cuts[0] = 0;
    cuts[count] = whole;
    for (int i = 1; i < count; i++) {
        cuts[i] = below(5) == 0 ? cuts[i - 1] : cuts[i - 1] + below(whole - cuts[i - 1] + 1);
    }
}

static struct image_slots slots_of(const struct world *world, const int32_t *cuts, int part) {
    const struct grid *grid = &world->grid;
    const int32_t columns = grid->across.cells;
    if (grid->drift == 0.0f) {
        return (struct image_slots){cuts[part], cuts[part + 1], 0, 0};
    }
    const int32_t first = columns * cuts[part], end = columns * cuts[part + 1];
    return (struct image_slots){grid->begin[first], grid->begin[end], first, end};
}

static void write_parts(const struct simulation_state *state, int count, struct parts *out) {
    const struct world *world = state->world;
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    const uint64_t hash = world_hash(world);
    int32_t cuts[PARTS + 1];
    cut(world->grid.drift == 0.0f ? world->agent_count : world->grid.down.cells, count, cuts);
    out->count = count;
    out->reads = out->most_reads = 0;
    buffer_init(&out->head, (size_t)1 << 29);
    for (int i = 0; i < count; i++) {
        const struct checkpoint_part part = {.number = (uint32_t)i,
                                             .count = (uint32_t)count,
                                             .tick = world->tick,
                                             .seq = rest.seq,
                                             .hash = hash};
        const struct image_slots slots = slots_of(world, cuts, i);
        buffer_init(&out->bytes[i], (size_t)1 << 29);
        checkpoint_part_write(world, &slots, &part, &out->bytes[i]);
        assert_false(out->bytes[i].failed);
        out->facts[i] =
            (struct checkpoint_part_facts){(uint64_t)(slots.end - slots.begin), out->bytes[i].length,
                                           checkpoint_part_sum(out->bytes[i].data, out->bytes[i].length)};
    }
    checkpoint_write_head(world, &rest, hash, &out->head);
    checkpoint_end_head(out->facts, count, &out->head);
    assert_false(out->head.failed);
}

static void free_parts(struct parts *parts) {
    buffer_fini(&parts->head);
    for (int i = 0; i < parts->count; i++) {
        buffer_fini(&parts->bytes[i]);
    }
}

/* ---- reading ---- */

static int open_part(void *context, uint32_t number, uint64_t *length, struct failure *failure) {
    struct parts *parts = context;
    (void)failure;
    assert_true(number < (uint32_t)parts->count);
    parts->open = &parts->bytes[number];
    *length = parts->open->length;
    return 0;
}

static int read_part(void *context, uint64_t at, void *bytes, size_t size, struct failure *failure) {
    struct parts *parts = context;
    (void)failure;
    if (++parts->reads == parts->most_reads) {
        const size_t line =
            (size_t)((char *)memchr(parts->open->data, '\n', parts->open->length) - parts->open->data);
        memset(parts->open->data + line + 1, 0xfe, parts->open->length - line - 1);
    }
    assert_true(at <= parts->open->length && size <= parts->open->length - at);
    if (size > 0) {
        memcpy(bytes, parts->open->data + at, size);
    }
    return 0;
}

static int read_parts(struct parts *parts, const struct scenario *scenario, struct simulation_state *state,
                      struct failure *failure) {
    const struct world_overrides overrides = {.has_simd = false};
    const struct checkpoint_parts source = {parts, open_part, read_part};
    struct built_world built;
    struct checkpoint_rest rest;
    if (checkpoint_read_parts(parts->head.data, parts->head.length - 1, scenario, &source, &overrides, NULL,
                              &built, &rest, failure) != 0) {
        return -1;
    }
    simulation_state_init(state);
    checkpoint_restore(state, &built, &rest);
    built_world_fini(&built);
    return 0;
}

/* ---- damage ---- */

static void expect_refusal(struct parts *parts, const struct scenario *scenario, const char *what) {
    struct simulation_state state;
    struct failure failure = {0};
    assert_int_equal(read_parts(parts, scenario, &state, &failure), -1);
    if (failure.code != FAILURE_BAD_SAVE || strstr(failure.message, what) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", failure.message, what);
    }
}

static void expect_damage_to_be_found(struct parts *parts, struct parts *other,
                                      const struct scenario *scenario) {
    const int number = below(parts->count);
    char name[16];
    struct buffer *part = &parts->bytes[number];
    const struct buffer kept = *part;
    (void)snprintf(name, sizeof name, "part %d: ", number);
    const size_t at = (size_t)below((int)part->length);
    const char bit = (char)(1 << below(8));
    part->data[at] = (char)(part->data[at] ^ bit);
    expect_refusal(parts, scenario, name);
    part->data[at] = (char)(part->data[at] ^ bit);
    part->length--;
    expect_refusal(parts, scenario, name);
    part->length = 0;
    expect_refusal(parts, scenario, name);
    *part = other->bytes[0];
    expect_refusal(parts, scenario, name);
    *part = kept;
}

/* What is written into a part after its sum was right is refused where it is no agent or no value, and harms nobody. */
static void expect_changes_while_reading_to_be_harmless(const struct simulation_state *state,
                                                        const struct scenario *scenario) {
    for (int reads = 1; reads < READS; reads++) {
        struct parts parts;
        struct failure failure = {0};
        struct simulation_state read;
        write_parts(state, 1, &parts);
        parts.most_reads = reads;
        if (read_parts(&parts, scenario, &read, &failure) == 0) {
            simulation_state_fini(&read);
        }
        free_parts(&parts);
    }
}

/* Gives a part so many bytes of cells, empty ones where these are more; 0: leaves them out. */
static void set_cells(struct parts *parts, int number, size_t bytes) {
    static const char name[] = ",\"cells\":";
    struct buffer *part = &parts->bytes[number], changed;
    const char *begin = strstr(part->data, name), *end = strchr(begin + 1, '}');
    const size_t had = strtoul(begin + strlen(name), NULL, 10), line = (size_t)(begin - part->data);
    const size_t left = part->length - (size_t)(end - part->data);
    char cells[40] = "";
    if (bytes > 0) {
        (void)snprintf(cells, sizeof cells, "%s%zu", name, bytes);
    }
    buffer_init(&changed, (size_t)1 << 29);
    buffer_append(&changed, part->data, line);
    buffer_append(&changed, cells, strlen(cells));
    buffer_append(&changed, end, bytes > 0 ? left : left - had);
    for (size_t i = had; i < bytes; i++) {
        buffer_append(&changed, "", 1);
    }
    buffer_fini(part);
    *part = changed;
    parts->facts[number].bytes = changed.length;
    parts->facts[number].sum = checkpoint_part_sum(changed.data, changed.length);
}

/* The cells of one part are left out, and another one has as many more, in which nobody is. */
static void expect_lost_cells_to_be_found(const struct simulation_state *state,
                                          const struct scenario *scenario) {
    struct parts parts;
    write_parts(state, 2, &parts);
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    const int without = parts.facts[0].agents > 0 ? 0 : 1;
    if (state->world->grid.drift != 0.0f) {
        set_cells(&parts, without, 0);
        set_cells(&parts, 1 - without, sizeof(int32_t) * (size_t)world_cells(state->world));
        buffer_clear(&parts.head);
        checkpoint_write_head(state->world, &rest, world_hash(state->world), &parts.head);
        checkpoint_end_head(parts.facts, 2, &parts.head);
        expect_refusal(&parts, scenario, "or their cells");
    }
    free_parts(&parts);
}

/* A head that believes what its parts are, and parts of another checkpoint. */
static void expect_mixed_parts_to_be_found(const struct simulation_state *state,
                                           const struct scenario *scenario) {
    struct parts parts;
    write_parts(state, 2, &parts);
    const struct checkpoint_rest rest = checkpoint_rest_of(state);
    const struct buffer first = parts.bytes[0];
    const struct checkpoint_part_facts facts[2] = {parts.facts[1], parts.facts[0]};
    buffer_clear(&parts.head);
    checkpoint_write_head(state->world, &rest, world_hash(state->world) + 1, &parts.head);
    checkpoint_end_head(parts.facts, 2, &parts.head);
    expect_refusal(&parts, scenario, "part 0: of another checkpoint");
    buffer_clear(&parts.head);
    checkpoint_write_head(state->world, &rest, world_hash(state->world), &parts.head);
    checkpoint_end_head(facts, 2, &parts.head);
    parts.bytes[0] = parts.bytes[1];
    parts.bytes[1] = first;
    expect_refusal(&parts, scenario, "part 0: part: another number");
    free_parts(&parts);
}

/* ---- the run ---- */

static void apply_something(struct simulation_state *state) {
    char text[LINE_BYTES];
    struct request request;
    struct failure failure;
    struct buffer reply;
    write_change(state->world, text, LINE_BYTES);
    if (request_decode(text, strlen(text), &request, &failure) == 0) {
        buffer_init(&reply, (size_t)1 << 20);
        (void)command_apply(state, &request, 1, &reply);
        request_fini(&request);
        buffer_fini(&reply);
    }
}

static void step(struct simulation_state *state) {
    simulation_state_step(state);
    state->log.count = 0;
}

/* The world that was read and the one that went on. Returns whether a hash differs. */
static int compare(const char *name, int parts, struct simulation_state *read, struct simulation_state *state,
                   int ticks) {
    for (int tick = 0; tick <= ticks; tick++) {
        if (world_hash(read->world) != world_hash(state->world)) {
            print_message("%s: from %d parts, tick %d has another hash\n", name, parts, tick);
            return 1;
        }
        step(read);
        step(state);
    }
    return 0;
}

static int travel(const char *name, struct simulation_state *state, const struct scenario *scenario,
                  int ticks) {
    struct parts other;
    int failures = 0;
    write_parts(state, 1, &other);
    for (int round = 0; round < ROUNDS && failures == 0; round++) {
        struct parts parts;
        struct failure failure = {0};
        struct simulation_state read;
        for (int tick = 1 + below(12); tick > 0; tick--) {
            if (below(3) == 0) {
                apply_something(state);
            }
            step(state);
        }
        write_parts(state, 1 + below(PARTS), &parts);
        if (read_parts(&parts, scenario, &read, &failure) != 0) {
            print_message("%s: %s\n", name, failure.message);
            failures++;
        } else {
            failures += compare(name, parts.count, &read, state, ticks);
            simulation_state_fini(&read);
        }
        expect_damage_to_be_found(&parts, &other, scenario);
        expect_mixed_parts_to_be_found(state, scenario);
        expect_lost_cells_to_be_found(state, scenario);
        expect_changes_while_reading_to_be_harmless(state, scenario);
        free_parts(&parts);
    }
    free_parts(&other);
    return failures;
}

static int try_scenario(const char *name) {
    const struct world_overrides overrides = {.has_simd = false};
    struct scenario scenario;
    struct built_world built;
    struct simulation_state state;
    struct failure failure;
    scenario_named(name, &scenario);
    const int64_t agents = agents_of(&scenario.def), affordable = UPDATES / (agents + 1);
    const int ticks = is_slow() ? TICKS : affordable > 30 ? 30 : affordable < 4 ? 4 : (int)affordable;
    int failures = 0;
    if (is_slow() || agents < MANY) {
        assert_int_equal(built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure), 0);
        simulation_state_init(&state);
        simulation_state_change(&state, &built);
        built_world_fini(&built);
        failures = travel(name, &state, &scenario, ticks);
        simulation_state_fini(&state);
    }
    scenario_fini(&scenario);
    return failures;
}

static void test_scenarios(void **state) {
    dice = rng_begin(environment("DROVER_PROPERTY_SEED", 1), 0, 0, RNG_SPAWN_PLACE);
    assert_int_equal(each_scenario(getenv("DROVER_TRAVEL"), try_scenario), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenarios)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
