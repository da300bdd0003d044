/* The events of a tick: targets that were reached, quarries that were caught. */
#include <assert.h>
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/tick/world_sights.h"
#include "server/sim/world/world_internal.h"

static void note(struct world *world, struct world_note happening) {
    if (world->note_count < WORLD_NOTES_MAX) {
        world->notes[world->note_count++] = happening;
    } else {
        world->notes_left_out++;
    }
}

/* Notes that an agent of tick t is within jump_within of a target. */
static void world_note_reached(struct world *world, int32_t row, int target) {
    assert(row >= 0 && row < world->agent_count && target >= 0 && target < world->target_count);
    world->tallies[world->kind[row]].reached++;
    note(world, (struct world_note){.type = NOTE_REACHED,
                                    .agent = world->id[row],
                                    .target = target,
                                    .at = world->targets[target].at});
}

static void note_caught(struct world *world, int32_t row, uint32_t quarry) {
    note(world, (struct world_note){.type = NOTE_CAUGHT, .agent = world->id[row], .quarry = quarry});
}

/* ---- catches of ranks ---- */

/* An agent that caught its quarry. */
struct caught {
    int32_t row;
    uint32_t quarry; /* id */
};

/* The first catches of a world, in their order. */
struct first_caught {
    int count;
    struct caught at[WORLD_NOTES_MAX];
};

/* By kind, then by id. */
static bool comes_before(const struct world *world, int32_t row, int32_t other) {
    const int kind = world->kind[row], other_kind = world->kind[other];
    return kind < other_kind || (kind == other_kind && row < other);
}

static void enter(const struct world *world, struct first_caught *first, struct caught caught) {
    int at = first->count;
    while (at > 0 && comes_before(world, caught.row, first->at[at - 1].row)) {
        at--;
    }
    if (at == WORLD_NOTES_MAX) {
        return;
    }
    const int moved = (first->count < WORLD_NOTES_MAX ? first->count : WORLD_NOTES_MAX - 1) - at;
    memmove(&first->at[at + 1], &first->at[at], sizeof first->at[0] * (size_t)moved);
    first->at[at] = caught;
    first->count = at + moved + 1;
}

/* The catches of own agents, counted by kind. */
static void find_own(const struct world *world, uint64_t counts[LIMIT_KINDS], struct first_caught *first) {
    const struct world_slots own = world_own_slots(world);
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        const int kind = world->grid.kind[slot];
        const int32_t row = world->grid.row[slot];
        const struct memory *memory = &world->memory[world->is_pure_flock ? row : slot];
        if (world->kinds[kind].pursues && memory->has_caught) {
            counts[kind]++;
            enter(world, first, (struct caught){row, memory->caught});
        }
    }
}

/* Every rank sends its first ones to all others. */
static void gather_first(const struct world *world, struct first_caught *first) {
    const struct exchange *exchange = world->exchange;
    struct first_caught own = *first;
    struct exchange_part in[EXCHANGE_RANKS_MAX];
    exchange_send_to_all(exchange, own.at, sizeof own.at[0] * (size_t)own.count, in);
    for (int rank = 0; rank < exchange->ranks; rank++) {
        for (size_t i = 0; i < in[rank].size / sizeof(struct caught); i++) {
            struct caught caught;
            memcpy(&caught, (const char *)in[rank].bytes + i * sizeof caught, sizeof caught);
            enter(world, first, caught);
        }
    }
}

static bool some_pursue(const struct world *world) {
    bool some = false;
    for (int k = 0; k < world->kind_count; k++) {
        some |= world->kinds[k].pursues && world_kind_population(world, k) > 0;
    }
    return some;
}

static void note_catches_of_ranks(struct world *world) {
    uint64_t counts[LIMIT_KINDS] = {0}, all = 0;
    struct first_caught first = {.count = 0};
    if (!some_pursue(world)) {
        return;
    }
    find_own(world, counts, &first);
    world->exchange->sum(world->exchange->context, counts, world->kind_count);
    for (int k = 0; k < world->kind_count; k++) {
        world->tallies[k].caught += (uint32_t)counts[k];
        all += counts[k];
    }
    if (all > 0) {
        gather_first(world, &first);
    }
    for (int i = 0; i < first.count; i++) {
        note_caught(world, first.at[i].row, first.at[i].quarry);
    }
    world->notes_left_out += (uint32_t)(all - (uint64_t)first.count);
}

/* ---- all of them ---- */

/* Notes the agents that caught their quarry in the tick that has just been done. */
static void world_note_catches(struct world *world) {
    if (world_is_partial(world)) {
        note_catches_of_ranks(world);
        return;
    }
    for (int k = 0; k < world->kind_count; k++) {
        if (!world->kinds[k].pursues) {
            continue;
        }
        for (int32_t i = world->kind_begin[k]; i < world->kind_begin[k + 1]; i++) {
            const int32_t row = world_row_of_kind(world, k, i);
            const struct memory *memory = world_memory(world, row);
            if (memory->has_caught) {
                world->tallies[k].caught++;
                note_caught(world, row, memory->caught);
            }
        }
    }
}

struct world_tally world_tally_of(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return world->tallies[kind];
}

int world_notes(const struct world *world, const struct world_note **notes, uint32_t *left_out) {
    assert(world->notes_left_out == 0 || world->note_count == WORLD_NOTES_MAX);
    *notes = world->notes;
    *left_out = world->notes_left_out;
    return world->note_count;
}

/* ---- step ---- */

/* The tick of a world: targets that jump and stroll, the agents, the events, then tick t+1. */

/* Agents that one thread takes at a time: few enough to share out evenly, many enough to fill the lanes. */
static int32_t grain_of(int32_t count, int threads) {
    const int32_t share = count / (threads * 8);
    return share < 512 ? 512 : share > 4096 ? 4096 : share;
}

/* The own agent of tick t that is within the target's jump_within, of several the one of the lowest id; or -1. */
static int32_t reaching_row(const struct world *world, const struct target_def *target) {
    const float limit = target->jump_within * target->jump_within;
    int32_t lowest = -1;
    const struct world_slots own = world_own_slots(world);
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        const struct motion *motion = &world->grid.motion[slot];
        const vec2 offset = bounds_difference(&world->bounds, vec2_make(motion->x, motion->y), target->at);
        if (vec2_length_squared(offset) < limit && (lowest < 0 || world->grid.row[slot] < lowest)) {
            lowest = world->grid.row[slot];
        }
    }
    return lowest;
}

/* reaching_row of every target that jumps, on all ranks; -1 of the others. */
static void find_reaching(const struct world *world, int targets, int32_t rows[LIMIT_TARGETS]) {
    uint32_t least[LIMIT_TARGETS];
    bool some_jump = false;
    for (int i = 0; i < targets; i++) {
        const bool jumps = world->targets[i].jump_within > 0.0f;
        rows[i] = jumps && !world_is_given_up(world) ? reaching_row(world, &world->targets[i]) : -1;
        least[i] = rows[i] < 0 ? UINT32_MAX : (uint32_t)rows[i];
        some_jump |= jumps;
    }
    if (world->stripes != NULL && some_jump) {
        world->exchange->least(world->exchange->context, least, targets);
        for (int i = 0; i < targets; i++) {
            rows[i] = least[i] == UINT32_MAX ? -1 : (int32_t)least[i];
        }
    }
}

static vec2 jump(const struct world *world, int target) {
    assert(target >= 0 && target < world->target_count);
    const float margin = world->targets[target].jump_margin;
    const vec2 size = world->bounds.size;
    struct rng rng = rng_begin(world->seed, world->tick, (uint32_t)target, RNG_TARGET_JUMP);
    const float x = rng_between(&rng, margin, size.x - margin),
                y = rng_between(&rng, margin, size.y - margin);
    return bounds_settle(&world->bounds, vec2_make(x, y));
}

static void step_agents(void *context, int32_t begin, int32_t end) {
    world_step_slots(context, begin, end); /* in the order of the grid, neighbors are near in memory */
}

struct part {
    struct world *world;
    int32_t begin; /* slot */
};

static void step_part(void *context, int32_t begin, int32_t end) {
    const struct part *part = context;
    world_step_slots(part->world, part->begin + begin, part->begin + end);
}

/* The agents in some slots alone. */
static void act_in(struct world *world, struct world_slots slots, const struct parallel *parallel) {
    const int32_t count = slots.end - slots.begin;
    struct part part = {world, slots.begin};
    if (count > 0) {
        parallel->run(parallel->pool, count, grain_of(count, parallel->threads), step_part, &part);
    }
}

enum { POLLS = 8 /* while the inner rows of a window are stepped */ };

/* Border rows, then the inner ones, while the border is sent to other ranks. A tick that sorts renews the ghosts. */
static void act_in_stripes(struct world *world, const struct parallel *parallel) {
    const struct exchange *exchange = world->exchange;
    const struct world_slots own = world_own_slots(world), inner = world_stripes_inner(world);
    if (world_will_sort(world)) {
        act_in(world, own, parallel);
        return;
    }
    act_in(world, (struct world_slots){own.begin, inner.begin}, parallel);
    act_in(world, (struct world_slots){inner.end, own.end}, parallel);
    world_stripes_begin(world);
    const int64_t count = inner.end - inner.begin;
    for (int part = 0; part < POLLS; part++) {
        const int32_t begin = inner.begin + (int32_t)(count * part / POLLS);
        act_in(world, (struct world_slots){begin, inner.begin + (int32_t)(count * (part + 1) / POLLS)},
               parallel);
        exchange->poll(exchange->context);
    }
    world_stripes_end(world);
}

static void act_with_ranks(struct world *world, const struct parallel *parallel) {
    if (world->stripes != NULL) {
        act_in_stripes(world, parallel);
        return;
    }
    act_in(world, world_copy_share(world), parallel);
    world_copy_exchange(world);
}

/* A pure flock, or one whose first tick it is: agents of several kinds go through a crowd then. */
static bool needs_no_lookup(const struct world *world) {
    return world->is_pure_flock || (world_is_pure_flock(world) && !world->grid.has_kinds);
}

void world_act(struct world *world, const struct parallel *parallel) {
    if (world->agent_count > 0) {
        world->keeps_order = world_keeps_order(world);
        /* A torus has the same cells from tick to tick. */
        world->grid.has_cells = world->is_pure_flock && world->bounds.edge == EDGE_WRAP &&
                                !world->keeps_order && (world->exchange == NULL || world->stripes != NULL);
        if (!needs_no_lookup(world)) {
            grid_look_up(&world->grid, parallel);
        }
        world_form_up(world);
        world_sights_begin(world);
        world_listen(world);
        if (world->exchange == NULL) {
            parallel->run(parallel->pool, world->agent_count, grain_of(world->agent_count, parallel->threads),
                          step_agents, world);
        } else {
            act_with_ranks(world, parallel);
        }
        world->has_voices = false;
    }
}

void world_step(struct world *world) {
    const struct parallel alone = parallel_alone();
    world_step_parallel(world, &alone);
}

void world_step_parallel(struct world *world, const struct parallel *parallel) {
    assert(world_is_consistent(world) && parallel->threads >= 1 && !world->scenery.has_old_ways);
    /* Where targets jump or walk to is decided from tick t as well, but only takes their place once all agents have
     * acted. */
    vec2 next_targets[LIMIT_TARGETS];
    int32_t reaching[LIMIT_TARGETS];
    const int targets = world->target_count;
    world_begin_counting(world);
    world->note_count = 0;
    world->notes_left_out = 0;
    memset(world->tallies, 0, sizeof world->tallies);
    find_reaching(world, targets, reaching);
    for (int i = 0; i < targets && !world_is_given_up(world); i++) {
        const int32_t row = reaching[i];
        next_targets[i] = row >= 0 ? jump(world, i) : world_stroll(world, i);
        if (row >= 0) {
            world_note_reached(world, row, i);
        }
    }
    world_act(world, parallel);
    if (world_is_given_up(world)) {
        world->is_spoiled = true;
        return; /* parts of tick t+1 may be missing */
    }
    world_note_catches(world);
    world_count_crossings(world, parallel);
    for (int i = 0; i < targets; i++) {
        world->targets[i].at = next_targets[i];
        world->targets[i].idle = world_stroll_idle(world, i);
    }
    world_fade_drives(world);
    world->tick++;
    scenery_place_movers(&world->scenery, &world->bounds, world->tick_hz, world->tick);
    if (world->tick % WAY_TICKS == 0) {
        world_lead_ways(world, true);
    }
    world_advance(world, parallel);
    world->is_spoiled = world_is_given_up(world); /* perhaps on the way */
    if (!world->is_spoiled && world->turnover.source_count + world->turnover.sink_count > 0) {
        world_turn_over(world);
    }
    assert(world->is_spoiled || world_is_consistent(world));
}
