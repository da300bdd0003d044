/* See world_stripes.h. */
#include "server/sim/world/world_stripes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/column.h"
#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes_inside.h"

enum { SHARE_OF_WINDOW = 4 /* a halo is at most a quarter of the average window */ };

/* ---- the world, as it is or as a command would make it ---- */

struct outlook {
    const struct world *world;
    const struct param_ref *ref; /* that has another value; or NULL */
    double value;
    int32_t population[LIMIT_KINDS], agents;
};

static struct outlook outlook_of(const struct world *world) {
    struct outlook outlook = {.world = world, .agents = world->agent_count};
    for (int k = 0; k < world->kind_count; k++) {
        const int32_t pending = world_pending(world, k);
        outlook.population[k] = world_kind_population(world, k) + pending;
        outlook.agents += pending;
    }
    return outlook;
}

/* A behavior, and how it is prepared. */
struct prepared {
    struct behavior_def def;
    struct behavior_runtime runtime;
};

/* The body of a kind. */
static struct body_def body_of(const struct outlook *outlook, int kind) {
    struct body_def def = outlook->world->kinds[kind].def.body;
    if (outlook->ref != NULL && outlook->ref->kind == kind && outlook->ref->behavior < 0) {
        world_put_param(&def, outlook->ref->field, outlook->value);
    }
    return def;
}

static struct prepared behavior_at(const struct outlook *outlook, int kind, int state, int index) {
    const struct kind *owner = &outlook->world->kinds[kind];
    const struct param_ref *ref = outlook->ref;
    struct prepared prepared = {owner->def.states[state].behaviors[index],
                                owner->states[state].behaviors[index]};
    if (ref != NULL && ref->kind == kind && ref->state == state && ref->behavior == index) {
        world_put_param(&prepared.def, ref->field, outlook->value);
    }
    if (ref != NULL && ref->kind == kind) {
        const struct body_def body = body_of(outlook, kind);
        world_refresh_zones(&prepared.def, &body, &prepared.runtime);
    }
    return prepared;
}

/* px: no agent of the kind has a larger body. */
static float largest_radius(const struct outlook *outlook, int kind) {
    const struct world *world = outlook->world;
    float largest = body_of(outlook, kind).radius.high;
    const int32_t end = world->has_own_bodies ? world->kind_begin[kind + 1] : 0;
    for (int32_t i = world->kind_begin[kind]; i < end; i++) {
        const float radius = world_body(world, world_row_of_kind(world, kind, i))->radius;
        largest = radius > largest ? radius : largest;
    }
    return largest;
}

/* ---- every look of every kind that has agents ---- */

/* That agents of a kind look for the nearest of another, or for an agent by its id. */
struct look_at {
    int asker;
    const char *what; /* behavior, or condition */
    const struct target_ref *ref;
    const struct ref_runtime *runtime;
    bool keeps; /* its quarry */
};

typedef void looker(const struct outlook *outlook, const struct look_at *look, void *context);

static void visit_state(const struct outlook *outlook, int asker, int index, looker *function,
                        void *context) {
    const struct kind *kind = &outlook->world->kinds[asker];
    const struct state_def *state = &kind->def.states[index];
    for (int c = 0; c < state->condition_count; c++) {
        const struct look_at near = {asker, "near", &state->conditions[c].target,
                                     &kind->states[index].conditions[c], false};
        function(outlook, &near, context);
    }
    for (int b = 0; b < state->behavior_count; b++) {
        const struct prepared one = behavior_at(outlook, asker, index, b);
        const char *name = behavior_row(one.def.type)->name;
        const struct look_at first = {asker, name, &one.def.target, &one.runtime.target, one.def.keep};
        const struct look_at second = {asker, name, &one.def.second, &one.runtime.second, false};
        function(outlook, &first, context);
        function(outlook, &second, context);
        if (one.runtime.formation >= 0) { /* every rank gives out its places: where members and leaders are */
            static const struct target_ref anywhere;
            const struct ref_runtime own = {REF_KIND, asker};
            const bool has_kind = one.runtime.target.mode == REF_KIND;
            const struct look_at members = {asker, name, &anywhere, &own, false};
            const struct look_at leaders = {asker, name, &anywhere, has_kind ? &one.runtime.target : &own,
                                            false};
            function(outlook, &members, context);
            function(outlook, &leaders, context);
        }
    }
}

static void each_look(const struct outlook *outlook, looker *function, void *context) {
    for (int k = 0; k < outlook->world->kind_count; k++) {
        for (int s = 0; outlook->population[k] > 0 && s < outlook->world->kinds[k].def.state_count; s++) {
            visit_state(outlook, k, s, function, context);
        }
    }
}

/* ---- how far zones see ---- */

/* px: how far agents of the kind see others with a behavior that has neighbors. Every use has its answer here. */
static float zone_of(const struct outlook *outlook, int kind, const struct prepared *behavior) {
    const float widest = world_widest_zone(&behavior->runtime);
    switch (behavior_neighbor_use((enum behavior_type)behavior->def.type)) {
    case NEIGHBORS_UNUSED:
        return 0.0f;
    case NEIGHBORS_SUMS:
    case NEIGHBORS_THREATS:
    case NEIGHBORS_NEAREST:
        return widest;
    case NEIGHBORS_AHEAD:
        break;
    }
    const float elbows = 2.0f * largest_radius(outlook, kind) + behavior->def.clearance;
    return elbows > widest ? elbows : widest;
}

/* The widest zone of all, and the behavior that has it. */
struct zone_seen {
    float reach; /* px */
    int kind;
    const char *what;
};

static void widen(const struct outlook *outlook, int kind, int state, struct zone_seen *widest) {
    for (int b = 0; b < outlook->world->kinds[kind].def.states[state].behavior_count; b++) {
        const struct prepared behavior = behavior_at(outlook, kind, state, b);
        const float reach = zone_of(outlook, kind, &behavior);
        if (reach > widest->reach) {
            *widest = (struct zone_seen){reach, kind, behavior_row(behavior.def.type)->name};
        }
    }
}

static struct zone_seen widest_zone(const struct outlook *outlook) {
    struct zone_seen widest = {0.0f, 0, ""};
    for (int k = 0; k < outlook->world->kind_count; k++) {
        for (int s = 0; outlook->population[k] > 0 && s < outlook->world->kinds[k].def.state_count; s++) {
            widen(outlook, k, s, &widest);
        }
    }
    return widest;
}

/* ---- needs ---- */

/* Whether the ghosts of the zones answer the look. */
static bool is_in_zones(const struct look_at *look, float zones) {
    return !look->keeps && look->ref->within > 0.0f && look->ref->within <= zones;
}

static bool is_many(const struct outlook *outlook, int kind) {
    return outlook->population[kind] > STRIPES_KNOWN_MAX;
}

struct needing {
    float zones; /* px */
    struct stripes_needs *needs;
};

/* Keeps ids ascending. */
static void name_agent(struct stripes_needs *needs, uint32_t id) {
    int32_t at = needs->named_count;
    while (at > 0 && needs->named[at - 1] > id) {
        at--;
    }
    if ((at > 0 && needs->named[at - 1] == id) || needs->named_count == STRIPES_NAMED_MAX) {
        return;
    }
    memmove(&needs->named[at + 1], &needs->named[at],
            sizeof needs->named[0] * (size_t)(needs->named_count - at));
    needs->named[at] = id;
    needs->named_count++;
}

static void need(const struct outlook *outlook, const struct look_at *look, void *context) {
    struct needing *needing = context;
    struct stripes_needs *needs = needing->needs;
    if (look->runtime->mode == REF_AGENT) {
        name_agent(needs, look->ref->agent);
    }
    if (look->runtime->mode != REF_KIND || is_in_zones(look, needing->zones)) {
        return;
    }
    if (!is_many(outlook, look->runtime->index)) {
        needs->known |= UINT64_C(1) << look->runtime->index;
    } else if (look->ref->within > needs->halo) {
        needs->halo = look->ref->within;
    }
}

static void find_needs(const struct outlook *outlook, struct stripes_needs *needs) {
    *needs = (struct stripes_needs){.halo = widest_zone(outlook).reach};
    struct needing needing = {needs->halo, needs};
    each_look(outlook, need, &needing);
}

void world_stripes_needs(const struct world *world, struct stripes_needs *needs) {
    const struct outlook outlook = outlook_of(world);
    find_needs(&outlook, needs);
}

/* ---- sentences ---- */

struct sentence {
    char *text;
    size_t length, size;
};

static void say(struct sentence *sentence, const char *words) {
    for (; *words != '\0' && sentence->length + 1 < sentence->size; words++) {
        sentence->text[sentence->length++] = *words;
    }
    if (sentence->size > 0) {
        sentence->text[sentence->length] = '\0';
    }
}

static void say_number(struct sentence *sentence, int64_t number) {
    char digits[24];
    char *first = &digits[sizeof digits - 1];
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    say(sentence, first);
}

/* What is being found out: of how many ranks, and the sentence that comes of it. */
struct refusing {
    const struct outlook *outlook;
    int ranks;
    float zones, allowed; /* px: the halo of the zones, the widest one that so many ranks allow */
    bool is_refused;
    struct sentence sentence;
};

static const char *name_of(const struct outlook *outlook, int kind) {
    return outlook->world->kinds[kind].def.name;
}

/* "kind hunter (pursue)" */
static void say_asker(struct refusing *refusing, int kind, const char *what) {
    say(&refusing->sentence, "kind ");
    say(&refusing->sentence, name_of(refusing->outlook, kind));
    say(&refusing->sentence, " (");
    say(&refusing->sentence, what);
    say(&refusing->sentence, ")");
}

/* px: the widest halo of so many ranks. */
static float allowed_halo(const struct outlook *outlook, int ranks) {
    return outlook->world->bounds.size.y / (float)(SHARE_OF_WINDOW * ranks);
}

/* What would allow so wide a halo: fewer ranks, or a higher world, where one may be that high. */
static void say_room_for(struct refusing *refusing, float reach) {
    const double height = (double)reach * SHARE_OF_WINDOW * refusing->ranks;
    int ranks = refusing->ranks - 1;
    while (ranks > 1 && reach > allowed_halo(refusing->outlook, ranks)) {
        ranks--;
    }
    say(&refusing->sentence, ", fewer ranks (at most ");
    say_number(&refusing->sentence, ranks);
    say(&refusing->sentence, ")");
    if (height <= LIMIT_WORLD_SIZE) {
        const int64_t whole = (int64_t)height;
        say(&refusing->sentence, ", a world at least ");
        say_number(&refusing->sentence, (double)whole < height ? whole + 1 : whole);
        say(&refusing->sentence, " px high");
    }
}

/* reach: px, of what is too wide; 0: it has no width. */
static void say_way_out(struct refusing *refusing, float reach) {
    say(&refusing->sentence, " of at most ");
    say_number(&refusing->sentence, (int64_t)refusing->allowed);
    say(&refusing->sentence, " px with ");
    say_number(&refusing->sentence, refusing->ranks);
    say(&refusing->sentence, " ranks");
    if (reach > 0.0f) {
        say_room_for(refusing, reach);
    }
    say(&refusing->sentence, ", or --mode copy");
}

static void say_distance(struct sentence *sentence, float within) {
    if (within > 0.0f) {
        say(sentence, " within ");
        say_number(sentence, (int64_t)within);
        say(sentence, " px");
    } else {
        say(sentence, " at any distance");
    }
}

static void say_crowd(struct refusing *refusing, int kind) {
    say(&refusing->sentence, ", and there are ");
    say_number(&refusing->sentence, refusing->outlook->population[kind]);
    say(&refusing->sentence, " of these; allowed: ");
    say_number(&refusing->sentence, STRIPES_KNOWN_MAX);
}

static void refuse_keeping(struct refusing *refusing, const struct look_at *look) {
    say_asker(refusing, look->asker, look->what);
    say(&refusing->sentence, " keeps a quarry of kind ");
    say(&refusing->sentence, name_of(refusing->outlook, look->runtime->index));
    say(&refusing->sentence, " wherever it goes");
    say_crowd(refusing, look->runtime->index);
    say(&refusing->sentence, ", or without \"keep\" a \"within\"");
    say_way_out(refusing, 0.0f);
}

static void refuse_looking(struct refusing *refusing, const struct look_at *look) {
    say_asker(refusing, look->asker, look->what);
    say(&refusing->sentence, " looks for kind ");
    say(&refusing->sentence, name_of(refusing->outlook, look->runtime->index));
    say_distance(&refusing->sentence, look->ref->within);
    say_crowd(refusing, look->runtime->index);
    say(&refusing->sentence, ", or a \"within\"");
    say_way_out(refusing, look->ref->within);
}

static void refuse_zone(struct refusing *refusing, const struct zone_seen *zone) {
    say_asker(refusing, zone->kind, zone->what);
    say(&refusing->sentence, " sees neighbors within ");
    say_number(&refusing->sentence, (int64_t)zone->reach);
    say(&refusing->sentence, " px; allowed: zones");
    say_way_out(refusing, zone->reach);
}

static void refuse_naming(struct refusing *refusing) {
    say(&refusing->sentence, "behaviors and conditions name many agents by id; allowed: fewer than ");
    say_number(&refusing->sentence, STRIPES_NAMED_MAX);
    say(&refusing->sentence, ", or --mode copy");
}

/* ---- refusals ---- */

static void judge(const struct outlook *outlook, const struct look_at *look, void *context) {
    struct refusing *refusing = context;
    if (refusing->is_refused || look->runtime->mode != REF_KIND || is_in_zones(look, refusing->zones) ||
        !is_many(outlook, look->runtime->index)) {
        return;
    }
    const float within = look->ref->within;
    refusing->is_refused = look->keeps || !(within > 0.0f) || within > refusing->allowed;
    if (look->keeps) {
        refuse_keeping(refusing, look);
    } else if (refusing->is_refused) {
        refuse_looking(refusing, look);
    }
}

static void judge_zones(struct refusing *refusing, const struct zone_seen *zone) {
    /* So few agents may all be held by each rank. */
    const bool is_few = refusing->outlook->agents <= STRIPES_KNOWN_MAX;
    if (!refusing->is_refused && !is_few && zone->reach > refusing->allowed) {
        refusing->is_refused = true;
        refuse_zone(refusing, zone);
    }
}

static void judge_names(struct refusing *refusing) {
    struct stripes_needs needs;
    find_needs(refusing->outlook, &needs);
    if (!refusing->is_refused && needs.named_count == STRIPES_NAMED_MAX) {
        refusing->is_refused = true;
        refuse_naming(refusing);
    }
}

/* A rank does not know the states of the agents that others step. */
static void judge_hearing(struct refusing *refusing) {
    const struct world *world = refusing->outlook->world;
    for (int k = 0; k < world->kind_count && world->has_signals && !refusing->is_refused; k++) {
        const struct kind_def *kind = &world->kinds[k].def;
        bool hears = false;
        for (int n = 0; n < kind->state_count * LIMIT_CONDITIONS; n++) {
            const struct state_def *state = &kind->states[n / LIMIT_CONDITIONS];
            hears |= n % LIMIT_CONDITIONS < state->condition_count &&
                     state->conditions[n % LIMIT_CONDITIONS].type == CONDITION_HEARD;
        }
        if (hears && refusing->outlook->population[k] > 0) {
            refusing->is_refused = true;
            say_asker(refusing, k, "heard");
            say(&refusing->sentence,
                " hears agents of other ranks, whose states are not known; allowed: --mode copy");
        }
    }
}

static const char *refusal_of(const struct outlook *outlook, int ranks, char *text, size_t size) {
    assert(ranks >= 1);
    const struct zone_seen zone = widest_zone(outlook);
    struct refusing refusing = {
        .outlook = outlook,
        .ranks = ranks,
        .zones = zone.reach,
        .allowed = allowed_halo(outlook, ranks),
        .sentence.size = size,
    };
    refusing.sentence.text = text;
    if (ranks == 1) {
        return NULL;
    }
    each_look(outlook, judge, &refusing);
    judge_zones(&refusing, &zone);
    judge_names(&refusing);
    judge_hearing(&refusing);
    return refusing.is_refused ? text : NULL;
}

const char *world_stripes_refusal(const struct world *world, int ranks, char *text, size_t size) {
    const struct outlook outlook = outlook_of(world);
    return refusal_of(&outlook, ranks, text, size);
}

const char *world_stripes_refusal_of_spawn(const struct world *world, int ranks, int kind, uint32_t count,
                                           char *text, size_t size) {
    assert(kind >= 0 && kind < world->kind_count);
    struct outlook outlook = outlook_of(world);
    const int32_t room = INT32_MAX - outlook.agents, more = count < (uint32_t)room ? (int32_t)count : room;
    outlook.population[kind] += more;
    outlook.agents += more;
    return refusal_of(&outlook, ranks, text, size);
}

const char *world_stripes_refusal_of_param(const struct world *world, int ranks, const struct param_ref *ref,
                                           double value, char *text, size_t size) {
    struct outlook outlook = outlook_of(world);
    outlook.ref = ref;
    outlook.value = value;
    return refusal_of(&outlook, ranks, text, size);
}

/* ---- parts ---- */

/* What stripes are made of: memory, agents that go from rank to rank, and slots without ghosts. */

void stripes_free(struct world_stripes *stripes) {
    if (stripes != NULL) {
        free(stripes->to);
        free(stripes->from);
        free(stripes->out);
        free(stripes->in);
        free(stripes->agents);
        free(stripes->room_known.bytes);
        free(stripes->room_out.bytes);
        free(stripes->room_in.bytes);
        free(stripes->room_list.bytes);
    }
    free(stripes);
}

void world_stripes_fini(struct world *world) {
    if (world->stripes != NULL) {
        stripes_free(world->stripes);
        world->stripes = NULL;
    }
}

void *stripes_more_room(struct stripes_room *room, size_t size) {
    if (size > room->size || room->bytes == NULL) {
        const size_t larger = room->size + room->size / 2;
        room->size = (size > larger ? size : larger) + 64;
        char *bytes = realloc(room->bytes, room->size);
        if (bytes == NULL) {
            abort(); /* as a lost rank does */
        }
        room->bytes = bytes;
    }
    return room->bytes;
}

void *stripes_room(struct stripes_room *room, size_t size) {
    if (size > room->size) { /* what was there need not be copied */
        free(room->bytes);
        room->bytes = NULL;
    }
    return stripes_more_room(room, size);
}

/* ---- memory that agents have left ---- */

/* Of a column that has room for agents, or cells: a world that never had any has none. */
static void give_back(const struct world *world, void *column, size_t entry, int32_t begin, int32_t end) {
    if (column != NULL && begin < end) {
        world->exchange->give_back(world->exchange->context, (char *)column + entry * (size_t)begin,
                                   entry * (size_t)(end - begin));
    }
}

void world_give_back_next(const struct world *world) {
    if (world->stripes == NULL) {
        return;
    }
    const int32_t end = world->capacity + GRID_SPARE;
#define GIVE_BY_ROW(name)
#define GIVE_BY_SLOT(name)                                                  give_back(world, world->next_##name, sizeof *world->name, 0, end);
#define GIVE_MEMBER(number, type, name, initial, saved, hashed, by, copied) GIVE_##by(name)
    WORLD_COLUMNS(GIVE_MEMBER)
#undef GIVE_MEMBER
#undef GIVE_BY_SLOT
#undef GIVE_BY_ROW
}

/* What is known of the cells in which slots were sorted: for the sort alone. */
static void give_back_counts(const struct world *world) {
    const struct grid *grid = &world->grid;
    const int32_t end = grid->across.cells * grid->down.cells;
    give_back(world, grid->shared, sizeof *grid->shared, 0, end);
    for (int part = 0; part < GRID_PARTS; part++) {
        give_back(world, grid->cursor[part], sizeof *grid->cursor[part], 0, end);
    }
}

void world_give_back_scratch(const struct world *world) {
    const struct grid *grid = &world->grid;
    if (world->stripes == NULL) {
        return;
    }
#define GIVE_SCRATCH(type, name, copied)                                                                     \
    if (!(copied)) {                                                                                         \
        give_back(world, grid->name, sizeof *grid->name, 0, world->stripes->used);                           \
    }
    GRID_COLUMNS(GIVE_SCRATCH)
#undef GIVE_SCRATCH
    give_back_counts(world);
    world_give_back_next(world);
}

/* Everything that lies by slot, of slots [begin, end). */
static void give_back_slots(const struct world *world, int32_t begin, int32_t end) {
    const struct grid *grid = &world->grid;
#define GIVE_COLUMN(type, name, copied) give_back(world, grid->name, sizeof *grid->name, begin, end);
    GRID_COLUMNS(GIVE_COLUMN)
#undef GIVE_COLUMN
#define GIVE_ARRAY(type, name) give_back(world, world->name, sizeof *world->name, begin, end);
#define GIVE_BY_ROW(type, name)
#define GIVE_BY_SLOT(type, name)                                            WORLD_ARRAYS_BY_SLOT(GIVE_ARRAY, type, name)
#define GIVE_MEMBER(number, type, name, initial, saved, hashed, by, copied) GIVE_##by(type, name)
    if (!world->is_pure_flock) {
        WORLD_COLUMNS(GIVE_MEMBER)
    }
#undef GIVE_MEMBER
#undef GIVE_BY_SLOT
#undef GIVE_BY_ROW
#undef GIVE_ARRAY
}

/* The slots in use, a sixteenth more, and the spare ones behind stay. */
void stripes_trim_slots(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const int32_t count = world->grid.count, kept = count + count / 16 + GRID_SPARE;
    stripes_note_used(stripes, count);
    if (stripes->used - kept > count / 8) {
        give_back_slots(world, kept, stripes->used);
        stripes->used = kept;
    }
}

void stripes_trim_cells(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    const struct grid *grid = &world->grid;
    const struct world_slots rows = stripes_rows_of(stripes, world->exchange->rank);
    if (stripes->shifted <= (rows.end - rows.begin) / 8 + stripes->halo) {
        return;
    }
    give_back(world, grid->begin, sizeof *grid->begin, 0, grid->across.cells * grid->down.cells + 1);
    give_back_counts(world);
    stripes->shifted = 0;
}

void stripes_free_room(struct stripes_room *room) {
    free(room->bytes);
    *room = (struct stripes_room){NULL, 0};
}

/* ---- agents that go from rank to rank ---- */

vec2 stripes_heading(const struct world *world, int32_t row, int32_t slot) {
    (void)row;
    return world->is_pure_flock ? vec2_make(1.0f, 0.0f)
                                : world->heading[slot]; /* a pure flock does not read it */
}

void stripes_put(struct world *world, struct motion *motion, int32_t slot,
                 const struct stripes_ghost *agent) {
    struct grid *grid = &world->grid;
    assert(slot >= 0 && slot < world->capacity && agent->row >= 0 && agent->row < world->agent_count);
    motion[slot] = agent->motion;
    grid->row[slot] = agent->row;
    grid->kind[slot] = world->kind[agent->row];
    grid->radius[slot] = world_body(world, agent->row)->radius;
    grid->key[slot] = agent->cell;
    if (!world->is_pure_flock) {
        world->heading[slot] = agent->heading;
        grid->lookup->slot[agent->row] = slot;
    }
}

struct stripes_migrant stripes_pack(const struct world *world, const struct motion *motion, int32_t slot,
                                    int32_t cell) {
    const int32_t row = world->grid.row[slot], place = world->is_pure_flock ? row : slot;
    struct stripes_migrant migrant;
    memset(&migrant, 0, sizeof migrant);
    migrant.row = row;
    migrant.cell = cell;
    migrant.motion = motion[slot];
#define PACK_BY_ROW(name)
#define PACK_BY_SLOT(name)                                                  migrant.name = world->name[place];
#define PACK_MEMBER(number, type, name, initial, saved, hashed, by, copied) PACK_##by(name)
    WORLD_COLUMNS(PACK_MEMBER)
#undef PACK_MEMBER
#undef PACK_BY_SLOT
#undef PACK_BY_ROW
    return migrant;
}

/* Columns of a pure flock are by row: pages that say nothing new are not written. */
void stripes_unpack(struct world *world, struct motion *motion, int32_t slot,
                    const struct stripes_migrant *from) {
    const struct stripes_ghost seen = {from->row, from->cell, from->motion, from->heading};
    const int32_t place = world->is_pure_flock ? from->row : slot;
    struct stripes_migrant migrant = *from;
    stripes_put(world, motion, slot, &seen);
    if (world->is_pure_flock && world_faces_course(world, from->row, from->motion)) {
        migrant.heading = world->heading[place]; /* of no matter */
    }
#define UNPACK_BY_ROW(name)
#define UNPACK_BY_SLOT(name)                                                  column_write(&world->name[place], &migrant.name, sizeof migrant.name);
#define UNPACK_MEMBER(number, type, name, initial, saved, hashed, by, copied) UNPACK_##by(name)
    WORLD_COLUMNS(UNPACK_MEMBER)
#undef UNPACK_MEMBER
#undef UNPACK_BY_SLOT
#undef UNPACK_BY_ROW
}

/* ---- ghosts ---- */

void world_find_needs(struct world *world) {
    if (world->stripes != NULL) {
        world_stripes_needs(world, &world->stripes->needs);
        world->halo = world->stripes->needs.halo;
        world->known = world->stripes->needs.known;
    }
}

int32_t stripes_halo_rows(const struct world *world, float drift) {
    return grid_reach_cells(&world->grid.down, world->stripes->needs.halo + 2.0f * drift);
}

/* Own agents move to the first slots. */
static void drop_ghosts(struct world *world, int32_t own) {
    struct grid *grid = &world->grid;
    memmove(grid->motion, grid->motion + world->own_begin, sizeof *grid->motion * (size_t)own);
    memmove(grid->row, grid->row + world->own_begin, sizeof *grid->row * (size_t)own);
    memmove(grid->kind, grid->kind + world->own_begin, sizeof *grid->kind * (size_t)own);
    memmove(grid->radius, grid->radius + world->own_begin, sizeof *grid->radius * (size_t)own);
#define KEEP_BY_ROW(name)
#define KEEP_BY_SLOT(name)                                                                                   \
    if (!world->is_pure_flock) {                                                                             \
        memmove(world->name, world->name + world->own_begin, sizeof *world->name * (size_t)own);             \
    }
#define KEEP_MEMBER(number, type, name, initial, saved, hashed, by, copied) KEEP_##by(name)
    WORLD_COLUMNS(KEEP_MEMBER)
#undef KEEP_MEMBER
#undef KEEP_BY_SLOT
#undef KEEP_BY_ROW
    grid->lookup->is_fresh = false;
}

void world_drop_ghosts(struct world *world) {
    if (world->stripes == NULL || world->stripes->is_bare) {
        return;
    }
    const int32_t own = world->own_end - world->own_begin;
    if (own > 0) {
        drop_ghosts(world, own);
    }
    world->grid.count = own;
    world->grid.absent = world->agent_count - own;
    world->own_begin = 0;
    world->own_end = own;
    world->stripes->sorted_end = own;
    world->stripes->is_bare = true;
}
