/* See agent_colors.h. */
#include "viewer/explain/agent_colors.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"

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
    static const char *const askers[] = {"separation",   "alignment",     "cohesion", "flock",
                                         "avoid_agents", "follow_leader", "queue",    "orca"};
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
