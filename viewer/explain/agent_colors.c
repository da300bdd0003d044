/* See agent_colors.h. */
#include "viewer/explain/agent_colors.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"

/* ---- numbers of neighbors ---- */

enum { SIDE_MOST = 256 };

struct grid {
    int columns, rows;
    float per_x, per_y; /* cells per px */
    bool wraps;
    vec2 size;
};

void neighbor_count_init(struct neighbor_count *count) {
    memset(count, 0, sizeof *count);
}

void neighbor_count_fini(struct neighbor_count *count) {
    free(count->order);
    free(count->begin);
    free(count->counts);
    neighbor_count_init(count);
}

static int reserve_counts(struct neighbor_count *count, int32_t agents) {
    if (agents <= count->capacity && count->begin != NULL) {
        return 0;
    }
    neighbor_count_fini(count);
    const size_t room = (size_t)agents + (size_t)agents / 4 + 16;
    count->order = malloc(room * sizeof *count->order);
    count->counts = malloc(room * sizeof *count->counts);
    count->begin = malloc(((size_t)SIDE_MOST * SIDE_MOST + 1) * sizeof *count->begin);
    if (count->order == NULL || count->counts == NULL || count->begin == NULL) {
        neighbor_count_fini(count);
        return -1;
    }
    count->capacity = (int32_t)room;
    return 0;
}

static int cells_along(float length, float radius) {
    const float cells = radius > 0.0f ? floorf(length / radius) : 1.0f;
    return cells < 1.0f ? 1 : cells > (float)SIDE_MOST ? SIDE_MOST : (int)cells;
}

static int clamp_cell(float at, int count) {
    return !(at > 0.0f) ? 0 : at >= (float)count ? count - 1 : (int)at;
}

static int cell_of(const struct grid *grid, float x, float y) {
    return clamp_cell(y * grid->per_y, grid->rows) * grid->columns +
           clamp_cell(x * grid->per_x, grid->columns);
}

static struct grid make_grid(const struct frame *frame, const struct neighbor_rules *rules) {
    float largest = 0.0f;
    for (int k = 0; k < frame->names->kind_names.count; k++) {
        largest = fmaxf(largest, rules->radius[k]);
    }
    struct grid grid = {.columns = cells_along(rules->size.x, largest),
                        .rows = cells_along(rules->size.y, largest),
                        .wraps = rules->wraps,
                        .size = rules->size};
    grid.per_x = (float)grid.columns / fmaxf(rules->size.x, 1.0f);
    grid.per_y = (float)grid.rows / fmaxf(rules->size.y, 1.0f);
    return grid;
}

static void sort_agents(struct neighbor_count *count, const struct frame *frame, const struct grid *grid) {
    const int cells = grid->columns * grid->rows;
    memset(count->begin, 0, ((size_t)cells + 1) * sizeof *count->begin);
    for (int32_t i = 0; i < frame->count; i++) {
        count->begin[cell_of(grid, frame->x[i], frame->y[i]) + 1]++;
    }
    for (int c = 0; c < cells; c++) {
        count->begin[c + 1] += count->begin[c];
    }
    for (int32_t i = frame->count; i > 0; i--) { /* from the back: begin ends up one cell on, see below */
        count->order[--count->begin[cell_of(grid, frame->x[i - 1], frame->y[i - 1]) + 1]] = i - 1;
    }
    /* begin[c + 1] is now where cell c begins */
    for (int c = 0; c < cells; c++) {
        count->begin[c] = count->begin[c + 1];
    }
    count->begin[cells] = frame->count;
}

/* The columns (or rows) beside `at`, each once. Returns how many. */
static int beside(int at, int count, bool wraps, int out[3]) {
    int used = 0;
    for (int step = -1; step <= 1; step++) {
        const int cell = wraps ? (at + step + count) % count : at + step;
        bool is_new = cell >= 0 && cell < count;
        for (int i = 0; i < used; i++) {
            is_new = is_new && out[i] != cell;
        }
        if (is_new) {
            out[used++] = cell;
        }
    }
    return used;
}

static float short_way(float difference, float size, bool wraps) {
    return wraps && size > 0.0f ? difference - size * rintf(difference / size) : difference;
}

static int count_in(const struct neighbor_count *count, const struct frame *frame, const struct grid *grid,
                    int cell, int32_t agent, float radius) {
    int found = 0;
    for (int32_t k = count->begin[cell]; k < count->begin[cell + 1]; k++) {
        const int32_t other = count->order[k];
        const float dx = short_way(frame->x[other] - frame->x[agent], grid->size.x, grid->wraps);
        const float dy = short_way(frame->y[other] - frame->y[agent], grid->size.y, grid->wraps);
        found += other != agent && dx * dx + dy * dy < radius * radius ? 1 : 0;
    }
    return found;
}

static int neighbors_of(const struct neighbor_count *count, const struct frame *frame,
                        const struct grid *grid, int32_t agent, float radius) {
    int columns[3], rows[3], found = 0;
    const int wide =
        beside(clamp_cell(frame->x[agent] * grid->per_x, grid->columns), grid->columns, grid->wraps, columns);
    const int high =
        beside(clamp_cell(frame->y[agent] * grid->per_y, grid->rows), grid->rows, grid->wraps, rows);
    for (int r = 0; r < high; r++) {
        for (int c = 0; c < wide && found < NEIGHBOR_COUNT_MOST; c++) {
            found += count_in(count, frame, grid, rows[r] * grid->columns + columns[c], agent, radius);
        }
    }
    return found < NEIGHBOR_COUNT_MOST ? found : NEIGHBOR_COUNT_MOST;
}

int neighbor_count_update(struct neighbor_count *count, const struct frame *frame,
                          const struct neighbor_rules *rules) {
    assert(frame->names != NULL);
    if (reserve_counts(count, frame->count) != 0) {
        return -1;
    }
    const struct grid grid = make_grid(frame, rules);
    sort_agents(count, frame, &grid);
    for (int32_t i = 0; i < frame->count; i++) {
        count->counts[i] = (uint16_t)neighbors_of(count, frame, &grid, i, rules->radius[frame->kind[i]]);
    }
    return 0;
}

/* ---- times in a state ---- */

void state_times_init(struct state_times *times) {
    memset(times, 0, sizeof *times);
}

void state_times_fini(struct state_times *times) {
    free(times->id);
    free(times->other_id);
    free(times->state);
    free(times->other_state);
    free(times->since);
    free(times->other_since);
    state_times_init(times);
}

static int reserve_times(struct state_times *times, int32_t count) {
    if (count <= times->capacity) {
        return 0;
    }
    const size_t room = (size_t)count + (size_t)count / 4 + 16;
    const struct state_times before = *times;
    uint32_t **const words[] = {&times->id, &times->other_id, &times->state, &times->other_state};
    float **const numbers[] = {&times->since, &times->other_since};
    bool is_whole = true;
    for (size_t i = 0; i < 4; i++) {
        uint32_t *grown = realloc(*words[i], room * sizeof *grown);
        is_whole = is_whole && grown != NULL;
        *words[i] = grown != NULL ? grown : *words[i];
    }
    for (size_t i = 0; i < 2; i++) {
        float *grown = realloc(*numbers[i], room * sizeof *grown);
        is_whole = is_whole && grown != NULL;
        *numbers[i] = grown != NULL ? grown : *numbers[i];
    }
    times->capacity = is_whole ? (int32_t)room : before.capacity;
    return is_whole ? 0 : -1;
}

static uint32_t number_of(const char *state) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = state; *c != '\0'; c++) {
        hash = (hash ^ (uint32_t)(unsigned char)*c) * 16777619u;
    }
    return hash;
}

static void swap(struct state_times *times) {
    uint32_t *id = times->id, *state = times->state;
    float *since = times->since;
    times->id = times->other_id;
    times->state = times->other_state;
    times->since = times->other_since;
    times->other_id = id;
    times->other_state = state;
    times->other_since = since;
}

int state_times_update(struct state_times *times, const struct frame *frame, uint32_t epoch) {
    uint32_t numbers[NAME_TABLE_CAPACITY];
    const float now = (float)frame->time_s;
    assert(frame->names != NULL && frame->settled_count <= frame->count);
    if (epoch != times->epoch || reserve_times(times, frame->settled_count) != 0) {
        times->count = 0;
        times->epoch = epoch;
    }
    if (times->capacity < frame->settled_count && reserve_times(times, frame->settled_count) != 0) {
        return -1;
    }
    for (int i = 0; i < frame->names->state_names.count; i++) {
        numbers[i] = number_of(frame->names->state_names.names[i]);
    }
    for (int32_t i = 0, row = 0; i < frame->settled_count; i++) {
        const uint32_t id = frame->id[i], state = numbers[frame->state[i]];
        while (row < times->count && times->id[row] < id) {
            row++;
        }
        const bool is_same = row < times->count && times->id[row] == id && times->state[row] == state;
        times->other_id[i] = id;
        times->other_state[i] = state;
        times->other_since[i] = is_same ? fminf(times->since[row], now) : now;
    }
    swap(times);
    times->count = frame->settled_count;
    return 0;
}

float state_times_at(const struct state_times *times, const struct frame *frame, int32_t index) {
    assert(index >= 0 && index < frame->count);
    return index < times->count ? fmaxf((float)frame->time_s - times->since[index], 0.0f) : 0.0f;
}

/* ---- the colors of agents ---- */

enum { TABLE = 256 };

/* Of a larger crowd the times in a state are noted only while they are shown. */
static const int32_t keeps_times_of = 20000;

static const float dimmed = 0.8f; /* of the way to the ground */
static const float time_top_s = 10.0f, sees_at_least = 25.0f;

/* Looked up once a frame, not for each agent; indices are those of the frame's name tables. */
struct brush {
    color kind[NAME_TABLE_CAPACITY], state[NAME_TABLE_CAPACITY];
    bool by_kind[NAME_TABLE_CAPACITY];
    color table[TABLE]; /* of numbers or directions */
};

void agent_colors_init(struct agent_colors *colors) {
    memset(colors, 0, sizeof *colors);
    state_colors_init(&colors->states);
    state_times_init(&colors->times);
    neighbor_count_init(&colors->neighbors);
}

void agent_colors_fini(struct agent_colors *colors) {
    state_times_fini(&colors->times);
    neighbor_count_fini(&colors->neighbors);
    agent_colors_init(colors);
}

/* ---- by name ---- */

static void name_brush(struct brush *brush, const struct snapshot *names, const struct server_model *server,
                       const struct state_colors *colors, const struct view_settings *settings) {
    const enum palette palette = view_settings_palette(settings);
    const bool all_by_kind = state_colors_mode(colors, settings) == COLOR_KIND;
    for (int i = 0; i < names->kind_names.count; i++) {
        const struct message_kind *kind = server_model_kind(server, names->kind_names.names[i]);
        const int number = kind != NULL ? (int)(kind - server->scenario.kinds) : i;
        const bool is_plain = kind != NULL && !colors->has_states[number];
        const struct state_color *row =
            is_plain ? state_colors_row(colors, server, number, server->kind_states[number]) : NULL;
        brush->by_kind[i] = all_by_kind || is_plain;
        brush->kind[i] = row != NULL ? row->fill[palette] : state_colors_kind(colors, palette, number);
    }
    for (int i = 0; i < names->state_names.count; i++) {
        brush->state[i] = state_colors_fill(colors, server, palette, -1, names->state_names.names[i]);
    }
}

static void fill_names(const struct brush *brush, struct frame *frame) {
    for (int32_t i = 0; i < frame->count; i++) {
        const uint16_t kind = frame->kind[i];
        frame->fill[i] = brush->by_kind[kind] ? brush->kind[kind] : brush->state[frame->state[i]];
    }
}

/* ---- by number ---- */

static int entry_of(float share) {
    const float at = share * (float)(TABLE - 1) + 0.5f;
    return !(at > 0.0f) ? 0 : at >= (float)TABLE ? TABLE - 1 : (int)at;
}

/* An angle's share of a turn: a polynomial within a quarter of a degree, for 100 000 agents a frame. */
static float turn_of(float x, float y) {
    const float ax = fabsf(x), ay = fabsf(y), small = fminf(ax, ay), large = fmaxf(ax, ay);
    const float t = large > 0.0f ? small / large : 0.0f;
    const float eighth = t * (0.15915494f + 0.0434f * (1.0f - t)); /* atan(t) / 2 pi */
    const float quarter = ay > ax ? 0.25f - eighth : eighth;
    const float half = x < 0.0f ? 0.5f - quarter : quarter;
    return y < 0.0f ? 1.0f - half : half;
}

static void fill_headings(struct brush *brush, struct frame *frame, enum palette palette) {
    for (int i = 0; i < TABLE; i++) {
        brush->table[i] = color_scale_heading(palette, (float)i / (float)(TABLE - 1));
    }
    for (int32_t i = 0; i < frame->count; i++) {
        frame->fill[i] = brush->table[entry_of(turn_of(frame->dir_x[i], frame->dir_y[i]))];
    }
}

static void fill_speeds(const struct brush *brush, struct frame *frame, float top) {
    const float per = 1.0f / fmaxf(top, 1e-6f);
    for (int32_t i = 0; i < frame->count; i++) {
        const float speed = sqrtf(frame->vx[i] * frame->vx[i] + frame->vy[i] * frame->vy[i]);
        frame->fill[i] = brush->table[entry_of(speed * per)];
    }
}

static void fill_forces(const struct brush *brush, struct frame *frame, float top) {
    const float per = 1.0f / fmaxf(top, 1e-6f);
    for (int32_t i = 0; i < frame->count; i++) {
        frame->fill[i] = brush->table[entry_of(vec2_length(frame->steering[i]) * per)];
    }
}

static void fill_times(const struct brush *brush, struct frame *frame, const struct state_times *times) {
    for (int32_t i = 0; i < frame->count; i++) {
        frame->fill[i] = brush->table[entry_of(state_times_at(times, frame, i) / time_top_s)];
    }
}

static void fill_gray(struct frame *frame, enum palette palette) {
    const color gray = explain_behavior_color(palette, "wander");
    for (int32_t i = 0; i < frame->count; i++) {
        frame->fill[i] = gray;
    }
}

/* ---- neighbors ---- */

static bool asks_neighbors(const char *param) {
    static const char *const askers[] = {"separation",    "alignment", "cohesion", "flock", "avoid_agents",
                                         "follow_leader", "queue",     "orca",     "walk"};
    char type[LIMIT_NAME_CHARS + 1];
    char label[64];
    const char *dot = strchr(param, '.');
    const size_t length = strlen(param);
    bool is_found = false;
    if (dot == NULL || length < 6 || strcmp(param + length - 6, "radius") != 0) {
        return false;
    }
    memcpy(label, param, (size_t)(dot - param));
    label[dot - param] = '\0';
    explain_behavior_type(label, type, sizeof type);
    for (size_t i = 0; i < sizeof askers / sizeof askers[0]; i++) {
        is_found = is_found || strcmp(type, askers[i]) == 0;
    }
    return is_found;
}

/* The largest radius within which a behavior of the kind asks for neighbors. */
static float sight_of(const struct server_model *server, const char *kind, float body) {
    float sight = 0.0f;
    for (int i = 0; i < server->param_count; i++) {
        const struct message_param *param = &server->params[i];
        if (strcmp(param->kind, kind) == 0 && param->value > 0.0 && param->value < (double)LIMIT_COORDINATE &&
            asks_neighbors(param->param)) {
            sight = fmaxf(sight, (float)param->value);
        }
    }
    return sight > 0.0f ? sight : fmaxf(6.0f * body, sees_at_least);
}

static void fill_neighbors(struct agent_colors *colors, const struct brush *brush, struct frame *frame,
                           const struct server_model *server, enum palette palette) {
    static const struct neighbor_rules none;
    struct neighbor_rules rules = none;
    uint16_t most = 0;
    rules.size = server->scenario.size;
    rules.wraps = server_model_wraps(server);
    for (int i = 0; i < frame->names->kind_names.count; i++) {
        const char *name = frame->names->kind_names.names[i];
        const struct message_kind *kind = server_model_kind(server, name);
        rules.radius[i] = sight_of(server, name, kind != NULL ? kind->radius : 0.0f);
    }
    if (neighbor_count_update(&colors->neighbors, frame, &rules) != 0) {
        fill_gray(frame, palette);
        return;
    }
    for (int32_t i = 0; i < frame->count; i++) {
        most = colors->neighbors.counts[i] > most ? colors->neighbors.counts[i] : most;
    }
    const float wanted = color_scale_round(fmaxf((float)most, 5.0f));
    if (wanted > colors->neighbors_top || wanted * 2.5f < colors->neighbors_top) {
        colors->neighbors_top = wanted;
    }
    for (int32_t i = 0; i < frame->count; i++) {
        frame->fill[i] = brush->table[entry_of((float)colors->neighbors.counts[i] / colors->neighbors_top)];
    }
    colors->scale = color_scale_of_values(palette, "neighbors in sight", colors->neighbors_top);
}

/* ---- what is lit ---- */

static void dim_others(const struct agent_colors *colors, struct frame *frame,
                       const struct server_model *server, enum palette palette) {
    const struct agent_group lit = state_colors_lit(&colors->states);
    const color ground = theme_color(palette, THEME_GROUND);
    const struct snapshot *names = frame->names;
    uint16_t last_kind = UINT16_MAX, last_state = UINT16_MAX;
    bool is_lit = true;
    for (int32_t i = 0; lit.is_on && i < frame->count; i++) {
        if (frame->kind[i] != last_kind || frame->state[i] != last_state) {
            last_kind = frame->kind[i];
            last_state = frame->state[i];
            const struct message_kind *kind = server_model_kind(server, names->kind_names.names[last_kind]);
            const int number = kind != NULL ? (int)(kind - server->scenario.kinds) : 0;
            const struct state_color *row =
                state_colors_row(&colors->states, server, number, names->state_names.names[last_state]);
            is_lit = (lit.kind < 0 || lit.kind == number) &&
                     (lit.row < 0 || (row != NULL && row - colors->states.rows == lit.row));
        }
        if (!is_lit) {
            frame->fill[i] = color_mix(frame->fill[i], ground, dimmed);
        }
    }
}

/* ---- all of it ---- */

static float greatest(const struct server_model *server, bool is_force) {
    float most = 0.0f;
    for (int k = 0; k < server->scenario.kind_count; k++) {
        most =
            fmaxf(most, is_force ? server->scenario.kinds[k].max_force : server->scenario.kinds[k].max_speed);
    }
    return most > 0.0f ? most : 1.0f;
}

static void fill_numbers(struct agent_colors *colors, struct brush *brush, struct frame *frame,
                         const struct server_model *server, const struct view_settings *settings) {
    const enum palette palette = view_settings_palette(settings);
    for (int i = 0; i < TABLE; i++) {
        brush->table[i] = color_scale_value(palette, (float)i / (float)(TABLE - 1));
    }
    switch ((enum color_mode)settings->color) {
    case COLOR_SPEED:
        fill_speeds(brush, frame, greatest(server, false));
        colors->scale = color_scale_of_values(palette, "speed, px/s", greatest(server, false));
        break;
    case COLOR_FORCE:
        if (frame->has_forces) {
            fill_forces(brush, frame, greatest(server, true));
        } else {
            fill_gray(frame, palette);
        }
        colors->scale = color_scale_of_values(palette, "steering force, mass px/s²", greatest(server, true));
        break;
    case COLOR_NEIGHBORS:
        fill_neighbors(colors, brush, frame, server, palette);
        break;
    default:
        fill_times(brush, frame, &colors->times);
        colors->scale = color_scale_of_values(palette, "time in this state, s", time_top_s);
        (void)snprintf(colors->scale.high, sizeof colors->scale.high, "%.0f+", (double)time_top_s);
        break;
    }
}

void agent_colors_fill(struct agent_colors *colors, struct frame *frame, const struct server_model *server,
                       const struct view_settings *settings) {
    struct brush brush;
    const enum palette palette = view_settings_palette(settings);
    state_colors_update(&colors->states, server);
    colors->scale.title[0] = '\0';
    if (frame->names == NULL) {
        return;
    }
    const bool keeps_times = settings->color == COLOR_TIME || frame->count <= keeps_times_of;
    const bool has_times = keeps_times && state_times_update(&colors->times, frame, server->epoch) == 0;
    switch (state_colors_mode(&colors->states, settings)) {
    case COLOR_STATE:
    case COLOR_KIND:
        name_brush(&brush, frame->names, server, &colors->states, settings);
        fill_names(&brush, frame);
        break;
    case COLOR_HEADING:
        fill_headings(&brush, frame, palette);
        colors->scale = color_scale_of_headings(palette);
        break;
    default:
        if (has_times || settings->color != COLOR_TIME) {
            fill_numbers(colors, &brush, frame, server, settings);
        } else {
            fill_gray(frame, palette);
        }
        break;
    }
    dim_others(colors, frame, server, palette);
}
