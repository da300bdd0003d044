/* The places of formations: who stands where. See world_internal.h.
 *
 * Places are given out so that as many as possible are taken, the first ones first, and then so that the sum of the squared
 * ways to them is least: no member crosses the way of another without need. Distances count in whole tenths of a px, so sums
 * are exact and the same everywhere; of two ways to do it as good, the agents of the lower kind, then of the lower id, win.
 * They stay as they are until a member or the leader comes or goes or the leader has turned by more than 60 degrees: agents
 * do not swap places because one is a hair nearer. O(places^2 * members), on the stack.
 * source  Kuhn 1955, "The Hungarian method for the assignment problem", as shortest augmenting paths (Jonker, Volgenant 1987)
 */
#include "server/sim/world/world_internal.h"

enum {
    MEMBERS_MAX =
        256, /* of a formation that are looked at; of each kind its lowest ids, as many as of the others */
    SEATS_MAX = MEMBERS_MAX + LIMIT_FORMATION_PLACES /* and for each place one that leaves it empty */
};
#define TURNED   0.5f   /* cosine: places are given out again when the leader has turned further */
#define TENTHS   10.0f  /* of a px */
#define FAR_AWAY 1.0e6f /* tenths; what is further away counts like this */
#define EMPTY    (INT64_C(1) << 47) /* leaving the last place empty; more than all ways together */
#define NO_COST  INT64_MAX

/* A member, and where its leader is. */
struct member {
    int32_t row;
    int kind;
    struct target_info leader;
};

struct muster {
    int count;
    struct member members[MEMBERS_MAX];
};

/* What the agent of a member kind keeps its place around. */
static struct target_info leader_of(const struct world *world, int32_t row) {
    const struct kind *kind = &world->kinds[world->kind[row]];
    for (int s = 0; s < kind->def.state_count; s++) {
        for (int b = 0; b < kind->def.states[s].behavior_count; b++) {
            const struct behavior_runtime *runtime = &kind->states[s].behaviors[b];
            if (runtime->formation >= 0) {
                return world_resolve_target(world, row, &kind->def.states[s].behaviors[b].target,
                                            &runtime->target, (struct sight_place){.sights = NULL});
            }
        }
    }
    return (struct target_info){.is_there = false};
}

/* The rows of the members that are looked at, and how many they are. */
static int find_members(const struct world *world, uint64_t kinds, int32_t rows[MEMBERS_MAX]) {
    int count = 0, sharing = 0;
    for (int k = 0; k < world->kind_count; k++) {
        sharing += (int)(kinds >> k & 1);
    }
    for (int k = 0; k < world->kind_count; k++) {
        const int32_t begin = world->kind_begin[k], all = world->kind_begin[k + 1] - begin;
        const int32_t most = (kinds >> k & 1) != 0 ? MEMBERS_MAX / sharing : 0;
        for (int32_t i = 0; i < (all < most ? all : most); i++) {
            rows[count++] = world_row_of_kind(world, k, begin + i);
        }
    }
    return count;
}

static int64_t tenths(float px) {
    const float most = FAR_AWAY, tenths = px * TENTHS;
    return (int64_t)(tenths < -most ? -most : tenths > most ? most : tenths);
}

/* What it costs that a member takes a place; seats behind the members leave it empty. */
static int64_t cost_of(const struct world *world, const struct formation_def *def,
                       const struct muster *muster, int place, int seat) {
    const int64_t empty = EMPTY * (def->place_count - place);
    if (seat >= muster->count) {
        return empty;
    }
    const struct member *member = &muster->members[seat];
    const struct formation_place *to = &def->places[place];
    if (to->kind >= 0 && to->kind != member->kind) {
        return empty + EMPTY * (def->place_count + 1); /* never: it can be left empty instead */
    }
    const vec2 heading = member->leader.heading, right = {-heading.y, heading.x}, nowhere = {0.0f, 0.0f};
    const vec2 beside = vec2_add(vec2_scale(heading, to->at.x), vec2_scale(right, to->at.y));
    const vec2 way = bounds_difference(&world->bounds, nowhere, vec2_add(member->leader.offset, beside));
    const int64_t x = tenths(way.x), y = tenths(way.y);
    return x * x + y * y;
}

/* The state of the search: a price for each place and seat, and who sits where. Seat 0 is where a search begins. */
struct search {
    int seats;
    int64_t place_price[LIMIT_FORMATION_PLACES + 1], seat_price[SEATS_MAX + 1], least[SEATS_MAX + 1];
    int taken[SEATS_MAX + 1]; /* 1 + the place that the seat has; 0: none */
    int from[SEATS_MAX + 1];  /* the seat before it on the cheapest way there */
    bool is_done[SEATS_MAX + 1];
};

/* From a seat that is done on: makes others cheaper, and returns the cheapest that is not done. */
static int search_on(const struct world *world, const struct formation_def *def, const struct muster *muster,
                     struct search *search, int seat) {
    const int place = search->taken[seat];
    int64_t cheapest = NO_COST;
    int next = 0;
    search->is_done[seat] = true;
    for (int s = 1; s <= search->seats; s++) {
        if (search->is_done[s]) {
            continue;
        }
        const int64_t cost = cost_of(world, def, muster, place - 1, s - 1) - search->place_price[place] -
                             search->seat_price[s];
        if (cost < search->least[s]) {
            search->least[s] = cost;
            search->from[s] = seat;
        }
        if (search->least[s] < cheapest) {
            cheapest = search->least[s];
            next = s;
        }
    }
    for (int s = 0; s <= search->seats; s++) {
        if (search->is_done[s]) {
            search->place_price[search->taken[s]] += cheapest;
            search->seat_price[s] -= cheapest;
        } else {
            search->least[s] -= cheapest;
        }
    }
    return next;
}

/* Gives out all places: search->taken. */
static void assign(const struct world *world, const struct formation_def *def, const struct muster *muster,
                   struct search *search) {
    *search = (struct search){.seats = muster->count + def->place_count};
    for (int place = 1; place <= def->place_count; place++) {
        int seat = 0;
        search->taken[0] = place;
        for (int s = 0; s <= search->seats; s++) {
            search->least[s] = NO_COST;
            search->is_done[s] = false;
        }
        do {
            seat = search_on(world, def, muster, search, seat);
        } while (search->taken[seat] != 0);
        while (seat != 0) { /* everybody on the way there moves on */
            search->taken[seat] = search->taken[search->from[seat]];
            seat = search->from[seat];
        }
    }
}

static void form_up(struct world *world, struct formation *formation) {
    int32_t rows[MEMBERS_MAX];
    const int count = find_members(world, formation->kinds, rows);
    struct formation_state now = {.members = (uint32_t)count};
    struct target_info leader = {.is_there = false};
    for (int i = 0; i < count; i++) {
        now.ids += world->id[rows[i]];
        leader = leader.is_there ? leader : leader_of(world, rows[i]);
    }
    const struct formation_state *then = &formation->state;
    now.leader = leader.id;
    now.heading = leader.heading;
    if (!leader.is_there || (now.members == then->members && now.ids == then->ids &&
                             now.leader == then->leader && vec2_dot(now.heading, then->heading) >= TURNED)) {
        return;
    }
    struct muster muster;
    struct search search;
    muster.count = 0;
    for (int i = 0; i < count; i++) {
        const struct target_info own = leader_of(world, rows[i]);
        if (own.is_there) {
            muster.members[muster.count++] = (struct member){rows[i], world->kind[rows[i]], own};
        }
    }
    assign(world, &formation->def, &muster, &search);
    for (int32_t row = 0; row < world->agent_count; row++) {
        world->post[row] = (formation->kinds >> world->kind[row] & 1) != 0 ? 0 : world->post[row];
    }
    for (int i = 0; i < muster.count; i++) {
        world->post[muster.members[i].row] = (uint8_t)search.taken[i + 1];
    }
    formation->state = now;
}

void world_form_up(struct world *world) {
    for (int i = 0; i < world->formation_count; i++) {
        form_up(world, &world->formations[i]);
    }
}

int world_formation_count(const struct world *world) {
    return world->formation_count;
}
