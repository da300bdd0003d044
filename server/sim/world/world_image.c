/* The columns of a world that are written down, entry by entry. See world_image.h. */
#include "server/sim/world/world_image.h"

#include <assert.h>
#include <string.h>

#include "server/sim/world/world_internal.h"

/* A member that is added to these structs is to be added to the tables below. */
static_assert(sizeof(struct memory) == 48, "struct memory has another member: add it to memory_members");
static_assert(sizeof(struct aim) == 16, "struct aim has another member: add it to aim_members");
static_assert(sizeof(struct drive) == 12, "struct drive has another member: add it to drive_members");
static_assert(sizeof(struct body) == 16, "struct body has another member");
static_assert(sizeof(struct motion) == 16, "struct motion has another member");
static_assert(sizeof(bool) == 1 && sizeof(enum aim_mode) == 4 && sizeof(int) == 4,
              "entries have other widths");

#define SPEED_MOST   (1.001f * (float)LIMIT_SPEED) /* px/s; rounding lets agents be a little too fast */
#define STAMINA_MOST 1e6f
#define UNIT_SLACK   1e-3f

/* ---- what an entry may be ---- */

/* row: the agent's. */
typedef bool entry_check(const struct world *world, int32_t row, const void *entry);

struct entry_rule {
    entry_check *is_allowed;
    const char *allowed;
};

static float float_at(const void *entry, int index) {
    float value;
    memcpy(&value, (const char *)entry + sizeof value * (size_t)index, sizeof value);
    return value;
}

static uint32_t word_at(const void *entry) {
    uint32_t word;
    memcpy(&word, entry, sizeof word);
    return word;
}

static uint8_t byte_at(const void *entry) {
    return *(const uint8_t *)entry;
}

/* False for NaN, too. */
static bool is_between(float value, float low, float high) {
    return value >= low && value <= high;
}

static bool is_anything(const struct world *world, int32_t row, const void *entry) {
    (void)world, (void)row, (void)entry;
    return true;
}

static bool is_flag(const struct world *world, int32_t row, const void *entry) {
    (void)world, (void)row;
    return byte_at(entry) <= 1;
}

static bool is_kind(const struct world *world, int32_t row, const void *entry) {
    (void)row;
    return byte_at(entry) < world->kind_count;
}

static bool is_state(const struct world *world, int32_t row, const void *entry) {
    return byte_at(entry) < world->kinds[world->kind[row]].def.state_count;
}

/* After the kinds of agents. */
static bool is_post(const struct world *world, int32_t row, const void *entry) {
    const int formation = world->kinds[world->kind[row]].formation;
    return byte_at(entry) <= (formation < 0 ? 0 : world->formations[formation].def.place_count);
}

static bool is_place(const struct world *world, vec2 at) {
    const float most = (float)LIMIT_COORDINATE;
    if (!is_between(at.x, -most, most) || !is_between(at.y, -most, most)) {
        return false;
    }
    const vec2 settled = bounds_settle(&world->bounds, at);
    return world->bounds.edge != EDGE_WRAP || (settled.x == at.x && settled.y == at.y);
}

static bool is_motion(const struct world *world, int32_t row, const void *entry) {
    (void)row;
    return is_place(world, vec2_make(float_at(entry, 0), float_at(entry, 1))) &&
           is_between(float_at(entry, 2), -SPEED_MOST, SPEED_MOST) &&
           is_between(float_at(entry, 3), -SPEED_MOST, SPEED_MOST);
}

static bool is_unit(const struct world *world, int32_t row, const void *entry) {
    (void)world, (void)row;
    const float square = vec2_length_squared(vec2_make(float_at(entry, 0), float_at(entry, 1)));
    return is_between(square, 1.0f - UNIT_SLACK, 1.0f + UNIT_SLACK);
}

static bool is_point(const struct world *world, int32_t row, const void *entry) {
    (void)row;
    return is_place(world, vec2_make(float_at(entry, 0), float_at(entry, 1)));
}

static bool is_number(const struct world *world, int32_t row, const void *entry) {
    (void)world, (void)row;
    return float_at(entry, 0) - float_at(entry, 0) == 0.0f;
}

static bool is_stamina(const struct world *world, int32_t row, const void *entry) {
    (void)world, (void)row;
    return is_between(float_at(entry, 0), 0.0f, STAMINA_MOST);
}

static bool is_solid(const struct world *world, int32_t row, const void *entry) {
    uint16_t solid;
    (void)row;
    memcpy(&solid, entry, sizeof solid);
    return solid <= world->scenery.owner_count;
}

static bool is_side(const struct world *world, int32_t row, const void *entry) {
    int16_t side;
    (void)world, (void)row;
    memcpy(&side, entry, sizeof side);
    return side >= -1 && side <= 1;
}

static bool is_pace(const struct world *world, int32_t row, const void *entry) {
    (void)world, (void)row;
    return is_between(float_at(entry, 0), 0.0f, 2.0f * SPEED_MOST);
}

static bool is_path(const struct world *world, int32_t row, const void *entry) {
    (void)row;
    return word_at(entry) <= (uint32_t)world->scenery.def.path_count;
}

static bool is_length(const struct world *world, int32_t row, const void *entry) {
    (void)world, (void)row;
    return is_between(float_at(entry, 0), 0.0f, 4.0f * LIMIT_PATH_POINTS * (float)LIMIT_COORDINATE);
}

static bool is_aim_mode(const struct world *world, int32_t row, const void *entry) {
    const uint32_t mode = word_at(entry);
    (void)row;
    return mode <= AIM_TARGET && (mode != AIM_TARGET || world->target_count > 0);
}

static bool is_target(const struct world *world, int32_t row, const void *entry) {
    const uint32_t target = word_at(entry);
    (void)row;
    return target == 0 || target < (uint32_t)world->target_count;
}

static bool is_body(const struct world *world, int32_t row, const void *entry) {
    int i = 0;
    (void)world, (void)row;
    for (const struct field *field = body_fields(); field->type == FIELD_RANGE; field++, i++) {
        const float most = (1.0f + UNIT_SLACK) * (float)field->max; /* drawing may round */
        if (!is_between(float_at(entry, i), (1.0f - UNIT_SLACK) * (float)field->min, most)) {
            return false;
        }
    }
    return i == 4;
}

static bool is_drive(const struct world *world, int32_t row, const void *entry) {
    const float most = (float)LIMIT_DRIVE;
    (void)world, (void)row;
    return is_between(float_at(entry, 0), -most, most) && is_between(float_at(entry, 1), -most, most);
}

static bool is_hold(const struct world *world, int32_t row, const void *entry) {
    (void)world, (void)row;
    return word_at(entry) <= LIMIT_HOLD;
}

/* ---- the members of a column's type ---- */

struct member {
    const char *name; /* NULL: the column's */
    size_t offset;
    uint8_t width, count;
    bool is_float, is_signed;
    struct entry_rule rule;
};

#define FLOATS(count)          4, count, true, true
#define INTEGERS(width, count) width, count, false, false
#define SIGNED(width, count)   width, count, false, true
#define MEMBER(structure, member, name, numbers, ...)                                                        \
    {                                                                                                        \
        name, offsetof(struct structure, member), numbers, {                                                 \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
#define LAST                                                                                                 \
    { .width = 0 }

/* has_caught is of one tick. */
static const struct member memory_members[] = {
    MEMBER(memory, stamina, "stamina", FLOATS(1), is_stamina, "0 to 1000000"),
    MEMBER(memory, is_exhausted, "is_exhausted", INTEGERS(1, 1), is_flag, "0 and 1"),
    MEMBER(memory, state_since, "state_since", INTEGERS(4, 1), is_anything, ""),
    MEMBER(memory, quarry, "quarry", INTEGERS(4, 1), is_anything, ""),
    MEMBER(memory, wander, "wander", FLOATS(2), is_unit, "a unit vector"),
    MEMBER(memory, solid, "solid", INTEGERS(2, 1), is_solid, "0, and 1 + the index of a solid"),
    MEMBER(memory, side, "side", SIGNED(2, 1), is_side, "-1, 0 and 1"),
    MEMBER(memory, pace, "pace", FLOATS(1), is_pace, "px/s, from 0"),
    MEMBER(memory, solid_tick, "solid_tick", INTEGERS(4, 1), is_anything, ""),
    MEMBER(memory, path, "path", INTEGERS(4, 1), is_path, "0, and 1 + the index of a path"),
    MEMBER(memory, path_s, "path_s", FLOATS(1), is_length, "px, from 0"),
    MEMBER(memory, caught, "caught", INTEGERS(4, 1), is_anything, ""),
    LAST,
};
static const struct member aim_members[] = {
    MEMBER(aim, mode, "aim_mode", INTEGERS(4, 1), is_aim_mode, "0, 1 and, where there are targets, 2"),
    MEMBER(aim, target, "aim_target", INTEGERS(4, 1), is_target, "the index of a target"),
    MEMBER(aim, point, "aim_point", FLOATS(2), is_point, "a point of the world"),
    LAST,
};
static const struct member drive_members[] = {
    MEMBER(drive, vector, "drive", FLOATS(2), is_drive, "px/s or forces that agents may be driven with"),
    MEMBER(drive, left, "drive_left", INTEGERS(4, 1), is_hold, "0 to LIMIT_HOLD"),
    LAST,
};
static const struct member timers_members[] = {
    MEMBER(timers, left[0], "timers", INTEGERS(4, 4), is_anything, ""),
    MEMBER(timers, left[4], "more_timers", INTEGERS(4, 4), is_anything, ""),
    LAST,
};
static_assert(LIMIT_TIMERS == 8, "an entry has room for 4");
static const struct member body_members[] = {
    {NULL, 0, FLOATS(4), {is_body, "mass, radius, max_speed and max_force as a kind may have them"}},
    LAST,
};
/* Columns of plain numbers: a new one needs no more than its row. */
static const struct member vec2_members[] = {{NULL, 0, FLOATS(2), {is_unit, "a unit vector"}}, LAST};
static const struct member byte_members[] = {{NULL, 0, INTEGERS(1, 1), {is_anything, ""}}, LAST};
static const struct member word_members[] = {{NULL, 0, INTEGERS(4, 1), {is_anything, ""}}, LAST};
static const struct member float_members[] = {{NULL, 0, FLOATS(1), {is_number, "a finite number"}}, LAST};
static const struct member kind_members[] = {{NULL, 0, INTEGERS(1, 1), {is_kind, "the index of a kind"}},
                                             LAST};
static const struct member state_members[] = {{NULL, 0, INTEGERS(1, 1), {is_state, "the index of a state"}},
                                              LAST};
static const struct member post_members[] = {
    {NULL, 0, INTEGERS(1, 1), {is_post, "0, and 1 + the index of a place of its kind's formation"}}, LAST};
static const struct member flags_members[] = {{NULL, 0, INTEGERS(1, 1), {is_flag, "0 and 1"}}, LAST};
static_assert(AGENT_OWN_BODY == 1, "flags are written as 0 and 1");

/* ---- the columns ---- */

enum column_number {
#define COLUMN_NUMBER(number, type, name, initial, saved, hashed, by, copied) COLUMN_##name,
    WORLD_COLUMNS(COLUMN_NUMBER)
#undef COLUMN_NUMBER
        COLUMN_COUNT,
    COLUMN_motion = COLUMN_COUNT /* by slot, in the grid */
};

struct source {
    const char *name;
    size_t at; /* of the pointer, in struct world */
    size_t entry;
    enum column_order by;
    bool is_saved; /* as entries; ids are written otherwise */
    const struct member *members;
};

#define MEMBERS_OF(type)                                                                                     \
    _Generic((type *)0, struct memory *: memory_members, struct aim *: aim_members,                          \
             struct body *: body_members, struct drive *: drive_members, struct timers *: timers_members,    \
             vec2 *: vec2_members, uint16_t *: byte_members /* never saved */,                               \
             uint8_t *: byte_members, uint32_t *: word_members, int32_t *: word_members, float *: float_members)

static const struct source sources[] = {
#define SOURCE(number, type, name, initial, saved, hashed, by, copied)                                       \
    {#name, offsetof(struct world, name),          sizeof(type),                                             \
     by,    (saved) && COLUMN_##name != COLUMN_id, MEMBERS_OF(type)},
    WORLD_COLUMNS(SOURCE)
#undef SOURCE
};

static const struct member motion_members[] = {
    {NULL, 0, FLOATS(4), {is_motion, "a place in the world, and px/s that agents may have"}}, LAST};

static const struct member *members_of(int column) {
    switch (column) {
    case COLUMN_kind:
        return kind_members;
    case COLUMN_state:
        return state_members;
    case COLUMN_flags:
        return flags_members;
    case COLUMN_post:
        return post_members;
    case COLUMN_motion:
        return motion_members;
    default:
        return sources[column].members;
    }
}

/* A saved column: a member of a column of the world. */
struct found {
    int column;
    const struct member *member;
};

/* The saved column `*index` of those of columns first .. last; if there are fewer they are taken off *index. */
static bool find_among(int first, int last, int *index, struct found *out) {
    for (int column = first; column <= last; column++) {
        if (column != COLUMN_motion && !sources[column].is_saved) {
            continue;
        }
        for (const struct member *member = members_of(column); member->width != 0; member++) {
            if ((*index)-- == 0) {
                *out = (struct found){column, member};
                return true;
            }
        }
    }
    return false;
}

/* The order of the file: kind and flags, which say what else agents have, then where they are, then all the rest. */
static bool find_column(int index, struct found *out) {
    return find_among(0, COLUMN_flags, &index, out) ||
           find_among(COLUMN_motion, COLUMN_motion, &index, out) ||
           find_among(COLUMN_flags + 1, COLUMN_COUNT - 1, &index, out);
}

static struct found column_at(int index) {
    struct found found = {COLUMN_flags, flags_members};
    const bool is_there = find_column(index, &found);
    assert(is_there);
    (void)is_there;
    return found;
}

static bool is_by_slot(int column) {
    return column == COLUMN_motion || sources[column].by == BY_SLOT;
}

bool world_image_column(int index, struct image_column *out) {
    struct found found;
    if (!find_column(index, &found)) {
        return false;
    }
    const char *name = found.column == COLUMN_motion ? "motion" : sources[found.column].name;
    *out =
        (struct image_column){.name = found.member->name != NULL ? found.member->name : name,
                              .width = found.member->width,
                              .count = found.member->count,
                              .is_float = found.member->is_float,
                              .is_signed = found.member->is_signed,
                              .is_partial = found.column == COLUMN_own_body || found.column == COLUMN_heading,
                              .is_by_slot = is_by_slot(found.column)};
    assert(out->width * out->count <= WORLD_ENTRY_BYTES);
    return true;
}

/* ---- entries ---- */

static bool is_at_rest(const struct world *world, int32_t row, const struct motion *motion) {
    const vec2 velocity = {motion->vx, motion->vy};
    return !(vec2_length_squared(velocity) > locomotion_hold_squared(world_body(world, row)->max_speed));
}

/* Whether the agent of a row, which is in this slot, has an entry in a column. The slot of an agent that the rank does
 * not have matters to no column by row. */
static bool has_entry_in(const struct world *world, int column, int32_t row, int32_t slot) {
    return column == COLUMN_own_body ? world->flags[row] & AGENT_OWN_BODY
           : column == COLUMN_heading && world->is_pure_flock
               ? is_at_rest(world, row, &world->grid.motion[slot])
               : true;
}

static bool has_entry(const struct world *world, int column, int32_t row) {
    return has_entry_in(world, column, row, is_by_slot(column) ? grid_slot(&world->grid, row) : 0);
}

static char *entry_in(const struct world *world, const struct found *found, int32_t row, int32_t slot) {
    if (found->column == COLUMN_motion) {
        return (char *)&world->grid.motion[slot];
    }
    const struct source *source = &sources[found->column];
    char *entries;
    memcpy(&entries, (const char *)world + source->at, sizeof entries);
    const int32_t place = source->by == BY_ROW || world->is_pure_flock ? row : slot;
    return entries + source->entry * (size_t)place + found->member->offset;
}

static char *entry_at(const struct world *world, const struct found *found, int32_t row) {
    return entry_in(world, found, row, is_by_slot(found->column) ? grid_slot(&world->grid, row) : 0);
}

/* As entry_in, to be read. */
static const char *read_in(const struct world *world, const struct found *found, int32_t row, int32_t slot) {
    static const struct memory initial = MEMORY_INITIAL_VALUES;
    if (found->column == COLUMN_memory && !world->has_memories) {
        return (const char *)&initial + found->member->offset;
    }
    return entry_in(world, found, row, slot);
}

/* The same of a row whose slot is not known. */
static const char *entry_of(const struct world *world, const struct found *found, int32_t row) {
    return read_in(world, found, row, is_by_slot(found->column) ? grid_slot(&world->grid, row) : 0);
}

/* Sizes that the compiler knows are much faster. */
static inline void copy_entry(char *to, const char *from, size_t size) {
    switch (size) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        assert(size == 16);
        memcpy(to, from, 16);
        break;
    }
}

/* What a new agent has. */
static void initial_entry(const struct found *found, char entry[WORLD_ENTRY_BYTES]) {
    const size_t size = (size_t)found->member->width * found->member->count;
    memset(entry, 0, WORLD_ENTRY_BYTES);
    switch (found->column) {
#define INITIAL_ENTRY(number, type, name, initial, saved, hashed, by, copied)                                \
    case COLUMN_##name: {                                                                                    \
        const type value = initial;                                                                          \
        memcpy(entry, (const char *)&value + found->member->offset, size);                                   \
        break;                                                                                               \
    }
        WORLD_COLUMNS(INITIAL_ENTRY)
#undef INITIAL_ENTRY
    default:
        break;
    }
}

int32_t world_image_entries(const struct world *world, int column) {
    const int own = column_at(column).column;
    int32_t count = 0;
    if (own != COLUMN_own_body && !(own == COLUMN_heading && world->is_pure_flock)) {
        return world->agent_count;
    }
    for (int32_t row = 0; row < world->agent_count; row++) {
        count += has_entry(world, own, row);
    }
    return count;
}

bool world_image_may_be_initial(const struct world *world, int column) {
    const struct found found = column_at(column);
    char initial[WORLD_ENTRY_BYTES];
    initial_entry(&found, initial);
    int32_t row = 0;
    while (row < world->agent_count && !has_entry(world, found.column, row)) {
        row++;
    }
    return row == world->agent_count || found.member->rule.is_allowed(world, row, initial);
}

/* Whether the entry of the row is as a new agent has it, or the agent has none. */
static bool is_initial(const struct world *world, const struct found *found, int32_t row, int32_t slot,
                       const char initial[WORLD_ENTRY_BYTES]) {
    char entry[WORLD_ENTRY_BYTES] = {0};
    if (!has_entry_in(world, found->column, row, slot)) {
        return true;
    }
    copy_entry(entry, read_in(world, found, row, slot), (size_t)found->member->width * found->member->count);
    return memcmp(entry, initial, WORLD_ENTRY_BYTES) == 0;
}

/* Whether all agents remember what a new agent does: in a flock all do, and one look at each is enough. Padding that
 * differs makes this false, which is right too. */
static bool has_initial_memory(const struct world *world) {
    struct found found;
    for (int index = 0; find_column(index, &found); index++) {
        char initial[WORLD_ENTRY_BYTES];
        initial_entry(&found, initial);
        if (found.column == COLUMN_memory && world->agent_count > 0 &&
            !is_initial(world, &found, world->is_pure_flock ? 0 : world->grid.row[0], 0, initial)) {
            return false;
        }
    }
    int32_t place = 1;
    while (place < world->agent_count && memcmp((const char *)&world->memory[place],
                                                (const char *)world->memory, sizeof *world->memory) == 0) {
        place++;
    }
    return place >= world->agent_count;
}

/* Whether all entries of a column are known to be as new agents have them, without a look at them. */
static bool is_untouched(const struct world *world, int column) {
    return (column == COLUMN_aim && !world->has_sent) || (column == COLUMN_drive && !world->has_driven) ||
           ((column == COLUMN_memory || column == COLUMN_state) && !world->has_memories) ||
           (column == COLUMN_timers && !world->has_timers);
}

uint64_t world_image_changed(const struct world *world, const struct image_slots *slots, bool with_rows) {
    const bool is_whole = slots->begin == 0 && slots->end == world->agent_count;
    const bool is_forgetful = is_whole && world->has_memories && has_initial_memory(world);
    uint64_t changed = 0;
    struct found found;
    for (int index = 0; find_column(index, &found); index++) {
        const bool by_slot = is_by_slot(found.column);
        const int32_t end = by_slot ? slots->end : with_rows ? world->agent_count : 0;
        int32_t at = by_slot ? slots->begin : 0;
        char initial[WORLD_ENTRY_BYTES];
        initial_entry(&found, initial);
        if (is_untouched(world, found.column) || (found.column == COLUMN_memory && is_forgetful)) {
            at = end;
        }
        while (at < end && is_initial(world, &found, by_slot ? world->grid.row[at] : at, at, initial)) {
            at++;
        }
        assert(index < 64);
        changed |= (uint64_t)(at < end) << index;
    }
    return changed;
}

int32_t world_image_take_slots(const struct world *world, const struct image_slots *slots,
                               struct image_cursor *cursor, void *entries, int32_t most) {
    const struct found found = column_at(cursor->column);
    const size_t size = (size_t)found.member->width * found.member->count;
    char *out = entries;
    int32_t count = 0;
    assert(is_by_slot(found.column));
    if (found.column == COLUMN_motion) { /* side by side */
        const int32_t left = slots->end - slots->begin - cursor->row;
        count = left < most ? left : most;
        if (count > 0) {
            memcpy(out, &world->grid.motion[slots->begin + cursor->row], size * (size_t)count);
        }
        cursor->row += count;
        cursor->entry += count;
        return count;
    }
    for (; cursor->row < slots->end - slots->begin && count < most; cursor->row++) {
        const int32_t slot = slots->begin + cursor->row, row = world->grid.row[slot];
        if (has_entry_in(world, found.column, row, slot)) {
            copy_entry(out, read_in(world, &found, row, slot), size);
            out += size;
            count++;
        }
    }
    cursor->entry += count;
    return count;
}

struct image_slots world_image_own(const struct world *world) {
    const struct world_window window = world_window(world);
    const struct world_slots own = world_own_slots(world);
    const int32_t columns = world->grid.across.cells;
    return (struct image_slots){own.begin, own.end, columns * window.first_row, columns * window.end_row};
}

int32_t world_image_take(const struct world *world, struct image_cursor *cursor, void *entries,
                         int32_t most) {
    const struct found found = column_at(cursor->column);
    const size_t size = (size_t)found.member->width * found.member->count;
    char *out = entries;
    int32_t count = 0;
    for (; cursor->row < world->agent_count && count < most; cursor->row++) {
        if (has_entry(world, found.column, cursor->row)) {
            copy_entry(out, entry_of(world, &found, cursor->row), size);
            out += size;
            count++;
        }
    }
    cursor->entry += count;
    return count;
}

bool world_image_put(struct world *world, struct image_cursor *cursor, const void *entries, int32_t count,
                     struct image_fault *fault) {
    const struct found found = column_at(cursor->column);
    const size_t size = (size_t)found.member->width * found.member->count;
    const struct entry_rule *rule = &found.member->rule;
    const char *in = entries;
    if (found.column == COLUMN_memory || found.column == COLUMN_state) {
        world_remember(world);
    }
    for (int32_t i = 0; i < count; cursor->row++) {
        assert(cursor->row < world->agent_count);
        if (!has_entry(world, found.column, cursor->row)) {
            continue;
        }
        if (!rule->is_allowed(world, cursor->row, in)) {
            *fault = (struct image_fault){rule->allowed, cursor->entry};
            return false;
        }
        copy_entry(entry_at(world, &found, cursor->row), in, size);
        in += size;
        cursor->entry++;
        i++;
    }
    return true;
}

int32_t world_image_entries_of(const struct world *world, int column, const struct image_slots *slots) {
    const int own = column_at(column).column;
    int32_t entries = 0;
    if (own != COLUMN_own_body && !(own == COLUMN_heading && world->is_pure_flock)) {
        return slots->end - slots->begin;
    }
    for (int32_t slot = slots->begin; slot < slots->end; slot++) {
        entries += has_entry_in(world, own, world->grid.row[slot], slot);
    }
    return entries;
}

int32_t world_image_entries_with(const struct world *world, const int32_t *row, const void *motion,
                                 int32_t count) {
    int32_t entries = 0;
    for (int32_t i = 0; world->is_pure_flock && i < count; i++) {
        struct motion one;
        memcpy(&one, (const char *)motion + sizeof one * (size_t)i, sizeof one);
        entries += is_at_rest(world, row[i], &one);
    }
    return world->is_pure_flock ? entries : count;
}

bool world_image_put_slots(struct world *world, int column, int32_t slot, int32_t count, const void *entries,
                           struct image_fault *fault) {
    const struct found found = column_at(column);
    const size_t size = (size_t)found.member->width * found.member->count;
    const char *in = entries;
    assert(is_by_slot(found.column) && slot >= 0 && slot + count <= world->grid.count);
    if (found.column == COLUMN_memory || found.column == COLUMN_state) {
        world_remember(world);
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = world->grid.row[slot + i];
        if (!has_entry_in(world, found.column, row, slot + i)) {
            continue;
        }
        if (!found.member->rule.is_allowed(world, row, in)) {
            *fault = (struct image_fault){found.member->rule.allowed, i};
            return false;
        }
        copy_entry(entry_in(world, &found, row, slot + i), in, size);
        in += size;
        if (found.column == COLUMN_motion && world->is_pure_flock &&
            has_entry_in(world, COLUMN_heading, row, slot + i)) {
            world->heading[row] = vec2_make(1.0f, 0.0f); /* as of a new agent */
        }
    }
    return true;
}

/* ---- the rest ---- */

struct world_image world_image_of(const struct world *world) {
    assert(world_is_consistent(world));
    return (struct world_image){
        .tick = world->tick,
        .next_id = world->next_id,
        .next_obstacle = world->next_obstacle,
        .agent_count = world->agent_count,
        .is_pure_flock = world->is_pure_flock,
        .drift = world->grid.drift,
    };
}

bool world_image_ids(const struct world *world, int32_t *row, uint32_t *first, uint32_t *count) {
    if (*row >= world->agent_count) {
        return false;
    }
    *first = world->id[*row];
    *count = 0;
    while (*row < world->agent_count && world->id[*row] == *first + *count) {
        ++*count;
        ++*row;
    }
    return true;
}

struct image_order world_image_order(const struct world *world) {
    assert(world->grid.drift != 0.0f);
    const struct grid *grid = &world->grid;
    return (struct image_order){grid->row, grid->begin, grid->across.cells * grid->down.cells};
}

const int32_t *world_image_rows(const struct world *world) {
    return world->grid.row;
}

const struct target_def *world_image_target(const struct world *world, int target) {
    assert(target >= 0 && target < world->target_count);
    return &world->targets[target];
}

struct image_turnover world_image_turnover(const struct world *world) {
    const struct turnover *turnover = &world->turnover;
    struct image_turnover image = {.limit = (uint32_t)turnover->limit};
    memcpy(image.due, turnover->due, sizeof image.due);
    memcpy(image.spawned, turnover->spawned, sizeof image.spawned);
    memcpy(image.removed, turnover->removed, sizeof image.removed);
    return image;
}

struct formation_state world_image_formation(const struct world *world, int formation) {
    assert(formation >= 0 && formation < world->formation_count);
    return world->formations[formation].state;
}

struct aim world_image_aim(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return world->kinds[kind].aim;
}

bool world_image_is_tireless(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return world->kinds[kind].is_tireless;
}
