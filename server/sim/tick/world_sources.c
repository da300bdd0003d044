/* Sources and sinks: agents that come into a running world, and leave it, between two ticks.
 *
 * When somebody comes depends on (seed, tick, source) alone, and where on (seed, tick, id): whatever the threads and ranks.
 * Who finds no place waits, and those behind in the same source as well. */
#include <assert.h>
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/world/world_internal.h"

enum {
    BATCH = 64,      /* agents that a source brings in a tick */
    PLACES = 8,      /* drawn for each of them */
    TRIES = 32,      /* in the box around an area, for a place that is in it */
    FIELD_BITS = 16, /* of a word in which ranks count: there are fewer of them */
    FIELDS = 64 / FIELD_BITS
};
static_assert(EXCHANGE_RANKS_MAX < 1 << FIELD_BITS, "ranks could overflow a count");
static_assert(PLACES % FIELDS == 0, "places fill whole words");

/* ---- when ---- */

/* How many the source has had to bring by now. */
static uint32_t count_due(const struct world *world, int index) {
    const struct source_def *source = &world->turnover.sources[index];
    const double now = (double)world->tick / world->tick_hz, until = (double)source->until;
    const double time = until > 0.0 && now > until ? until : now, from = (double)source->from;
    const double bursts = (double)source->rate / (double)source->burst; /* 1/s */
    uint64_t due = world->turnover.due[index];
    if (source->spread == SPREAD_EVEN && time > from) {
        due = (uint64_t)((time - from) * bursts) * source->burst;
    } else if (source->spread == SPREAD_RANDOM && now >= from && time >= now) {
        struct rng rng = rng_begin(world->seed, world->tick, (uint32_t)index, RNG_SOURCE);
        const double expected = bursts / world->tick_hz;
        const uint64_t whole = (uint64_t)expected;
        due += (whole + ((double)rng_unit(&rng) < expected - (double)whole)) * source->burst;
    }
    const uint32_t most = source->at_most > 0 ? source->at_most : UINT32_MAX;
    return due < most ? (uint32_t)due : most;
}

/* ---- where ---- */

/* Places for the next agents of a source, some for each. */
struct draft {
    int count;
    float widest, radius[BATCH];  /* px */
    vec2 place[BATCH][PLACES];    /* px */
    bool is_taken[BATCH][PLACES]; /* there is none, or a body is there */
};

/* False: no point was found in the area, as in a narrow one in a wide box. */
static bool draw_place(const struct world *world, const struct area_def *area, float radius, struct rng *rng,
                       vec2 *out) {
    vec2 low, high;
    obstacle_def_extent(&area->shape, &low, &high);
    for (int i = 0; i < TRIES; i++) {
        const float x = rng_between(rng, low.x, high.x), y = rng_between(rng, low.y, high.y);
        const vec2 place = bounds_settle(&world->bounds, vec2_make(x, y));
        if (area_holds(area, &world->bounds, place)) {
            *out = bounds_settle(&world->bounds,
                                 scenery_push_out(&world->scenery, &world->bounds, place, radius));
            return true;
        }
    }
    return false;
}

static void draw_places(const struct world *world, const struct source_def *source, struct draft *draft) {
    const struct area_def *area = &world->scenery.def.areas[source->area];
    draft->widest = 0.0f;
    for (int i = 0; i < draft->count; i++) {
        const uint32_t id = world->next_id + (uint32_t)i;
        struct rng rng = rng_begin(world->seed, world->tick, id, RNG_SPAWN_PLACE);
        draft->radius[i] = world_new_radius(world, source->kind, id);
        draft->widest = draft->radius[i] > draft->widest ? draft->radius[i] : draft->widest;
        for (int p = 0; p < PLACES; p++) {
            draft->place[i][p] = vec2_make(0.0f, 0.0f);
            draft->is_taken[i][p] = !draw_place(world, area, draft->radius[i], &rng, &draft->place[i][p]);
        }
    }
}

static bool overlap(const struct world *world, vec2 a, vec2 b, float apart) {
    return vec2_length_squared(bounds_difference(&world->bounds, a, b)) < apart * apart;
}

/* Those places at which an agent of this rank stands. */
static void find_taken(const struct world *world, const struct source_def *source, struct draft *draft) {
    const struct world_slots own = world_own_slots(world);
    const struct area_def *area = &world->scenery.def.areas[source->area];
    vec2 low, high;
    obstacle_def_extent(&area->shape, &low, &high);
    const vec2 middle = vec2_scale(vec2_add(low, high), 0.5f), half = vec2_scale(vec2_sub(high, low), 0.5f);
    const bool has_solids = world->scenery.solid_count > 0; /* which may push places out of the area */
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        const vec2 at = {world->grid.motion[slot].x, world->grid.motion[slot].y};
        const float radius = world_body(world, world->grid.row[slot])->radius;
        const vec2 away = bounds_difference(&world->bounds, middle, at);
        const float reach = radius + draft->widest;
        if (!has_solids && (away.x > half.x + reach || away.x < -half.x - reach || away.y > half.y + reach ||
                            away.y < -half.y - reach)) {
            continue;
        }
        for (int i = 0; i < draft->count; i++) {
            for (int p = 0; p < PLACES; p++) {
                draft->is_taken[i][p] = draft->is_taken[i][p] ||
                                        overlap(world, draft->place[i][p], at, radius + draft->radius[i]);
            }
        }
    }
}

/* The same on all ranks. */
static void share_taken(const struct world *world, struct draft *draft) {
    uint64_t words[BATCH * PLACES / FIELDS] = {0};
    bool *taken = &draft->is_taken[0][0];
    const int places = draft->count * PLACES;
    for (int i = 0; i < places; i++) {
        words[i / FIELDS] |= (uint64_t)taken[i] << (i % FIELDS * FIELD_BITS);
    }
    world->exchange->sum(world->exchange->context, words, places / FIELDS);
    for (int i = 0; i < places; i++) {
        taken[i] = (words[i / FIELDS] >> (i % FIELDS * FIELD_BITS) & ((1u << FIELD_BITS) - 1)) != 0;
    }
}

/* How many of them have a place, one after the other; `places` receives these. */
static int choose_places(const struct world *world, const struct draft *draft, vec2 places[BATCH]) {
    for (int i = 0; i < draft->count; i++) {
        int p = 0;
        for (bool is_free = false; !is_free; p += !is_free) {
            if (p == PLACES) {
                return i;
            }
            is_free = !draft->is_taken[i][p];
            for (int k = 0; k < i && is_free; k++) {
                is_free = !overlap(world, draft->place[i][p], places[k], draft->radius[i] + draft->radius[k]);
            }
        }
        places[i] = draft->place[i][p];
    }
    return draft->count;
}

/* ---- sources ---- */

/* How many agents more sources may bring. */
static uint32_t room_of(const struct world *world) {
    const int32_t allowed = world_max_agents(world);
    const int32_t most = world->turnover.limit < allowed ? world->turnover.limit : allowed;
    const uint32_t ids = UINT32_MAX - world->next_id;
    const uint32_t room = most > world->agent_count ? (uint32_t)(most - world->agent_count) : 0;
    return room < ids ? room : ids;
}

static void run_source(struct world *world, int index) {
    struct turnover *turnover = &world->turnover;
    const struct source_def *source = &turnover->sources[index];
    struct draft draft;
    vec2 places[BATCH];
    turnover->due[index] = count_due(world, index);
    uint32_t count = turnover->due[index] - turnover->spawned[index];
    const uint32_t room = room_of(world);
    turnover->is_full = turnover->is_full || count > room;
    count = count < room ? count : room;
    draft.count = count < BATCH ? (int)count : BATCH;
    if (draft.count == 0) {
        return;
    }
    draw_places(world, source, &draft);
    find_taken(world, source, &draft);
    if (world_is_partial(world)) {
        share_taken(world, &draft);
    }
    uint32_t first = world->next_id;
    const struct spawn_def spawn = {
        .kind = source->kind,
        .count = (uint32_t)choose_places(world, &draft, places),
        .places = places,
        .first_place = first,
    };
    if (spawn.count > 0 && world_spawn(world, &spawn, &first) == WORLD_OK) {
        turnover->spawned[index] += spawn.count;
    }
}

/* ---- sinks ---- */

/* The sink that takes the agent in a slot; -1: none. */
static int sink_of(const struct world *world, int32_t slot) {
    const struct turnover *turnover = &world->turnover;
    const vec2 at = {world->grid.motion[slot].x, world->grid.motion[slot].y};
    for (int i = 0; i < turnover->sink_count; i++) {
        const struct sink_def *sink = &turnover->sinks[i];
        if ((sink->kinds >> world->grid.kind[slot] & 1) != 0 &&
            area_holds(&world->scenery.def.areas[sink->area], &world->bounds, at)) {
            return i;
        }
    }
    return -1;
}

/* Every rank knows then who is marked on one of them. */
static void share_marks(struct world *world, int32_t *rows, int32_t count) {
    struct exchange_part in[EXCHANGE_RANKS_MAX];
    exchange_send_to_all(world->exchange, rows, sizeof *rows * (size_t)count, in);
    for (int rank = 0; rank < world->exchange->ranks; rank++) {
        for (size_t i = 0; i < in[rank].size / sizeof *rows; i++) {
            int32_t row;
            memcpy(&row, (const char *)in[rank].bytes + i * sizeof row, sizeof row);
            world->flags[row] |= AGENT_REMOVED;
        }
    }
}

static void run_sinks(struct world *world) {
    struct turnover *turnover = &world->turnover;
    const struct world_slots own = world_own_slots(world);
    uint64_t counts[LIMIT_SINKS] = {0};
    int32_t marked = 0, removed = 0;
    int32_t *rows = world->rank; /* computed again when agents are removed */
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        const int sink = sink_of(world, slot);
        if (sink >= 0) {
            world->flags[world->grid.row[slot]] |= AGENT_REMOVED;
            counts[sink]++;
            rows[marked++] = world->grid.row[slot];
        }
    }
    if (world_is_partial(world)) {
        world->exchange->sum(world->exchange->context, counts, turnover->sink_count);
    }
    for (int i = 0; i < turnover->sink_count; i++) {
        turnover->removed[i] += (uint32_t)counts[i];
        removed += (int32_t)counts[i];
    }
    if (removed > 0 && world_is_partial(world)) {
        share_marks(world, rows, marked);
    }
    world_remove_marked(world, removed);
}

void world_turn_over(struct world *world) {
    world->turnover.is_full = false;
    for (int i = 0; i < world->turnover.source_count; i++) {
        run_source(world, i);
    }
    if (world->turnover.sink_count > 0) {
        run_sinks(world);
    }
}

/* ---- reading ---- */

int world_source_count(const struct world *world) {
    return world->turnover.source_count;
}

struct source_view world_source(const struct world *world, int index) {
    const struct turnover *turnover = &world->turnover;
    assert(index >= 0 && index < turnover->source_count);
    return (struct source_view){.def = &turnover->sources[index],
                                .spawned = turnover->spawned[index],
                                .waiting = turnover->due[index] - turnover->spawned[index]};
}

int world_sink_count(const struct world *world) {
    return world->turnover.sink_count;
}

struct sink_view world_sink(const struct world *world, int index) {
    assert(index >= 0 && index < world->turnover.sink_count);
    return (struct sink_view){.def = &world->turnover.sinks[index],
                              .removed = world->turnover.removed[index]};
}

bool world_sources_are_full(const struct world *world) {
    return world->turnover.is_full;
}
