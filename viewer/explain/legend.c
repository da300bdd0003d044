/* See legend.h. */
#include "viewer/explain/legend.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/density_colors.h"
#include "viewer/explain/param_list.h"
#include "viewer/explain/theme.h"
#include "viewer/model/radius_overlay.h"
#include "viewer/model/shortcuts.h"

static struct legend_row *add(struct legend *legend, enum legend_mark mark, color fill, const char *words) {
    static const struct legend_row none = {.count = -1};
    if (legend->count == LEGEND_MOST_ROWS) {
        legend->count--; /* the last one gives way */
    }
    struct legend_row *row = &legend->rows[legend->count++];
    *row = none;
    row->mark = mark;
    row->fill = fill;
    (void)snprintf(row->words, sizeof row->words, "%s", words);
    return row;
}

static int kind_number(const struct server_model *server, const char *name) {
    const struct message_kind *kind = server_model_kind(server, name);
    return kind != NULL ? (int)(kind - server->scenario.kinds) : 0;
}

/* ---- agents ---- */

/* How many agents of the shown snapshot each kind has, and each kind in each row of the colors. */
struct census {
    int32_t kinds[LIMIT_KINDS];
    int32_t rows[STATE_COLORS_MOST][LIMIT_KINDS];
};

static void count_cells(const struct legend_input *input, const struct density *density,
                        struct census *census) {
    const int32_t cells = density->columns * density->rows;
    for (int32_t k = 0; k < density->kind_count; k++) {
        int32_t *count = &census->kinds[kind_number(input->server, density->kinds[k])];
        for (int32_t i = 0; i < cells; i++) {
            *count += (int32_t)density->by_kind[k * cells + i];
        }
    }
}

static void count_agents(const struct legend_input *input, struct census *census) {
    const struct snapshot *names = input->frame->names;
    uint16_t last_kind = UINT16_MAX, last_state = UINT16_MAX;
    int kind = 0;
    const struct state_color *row = NULL;
    memset(census, 0, sizeof *census);
    if (input->heat != NULL && input->heat->density != NULL) {
        count_cells(input, input->heat->density, census);
        return;
    }
    for (int32_t i = 0; names != NULL && i < names->count; i++) {
        if (names->kind[i] != last_kind || names->state[i] != last_state) {
            last_kind = names->kind[i];
            last_state = names->state[i];
            kind = kind_number(input->server, names->kind_names.names[last_kind]);
            row = state_colors_row(input->colors, input->server, kind, names->state_names.names[last_state]);
        }
        census->kinds[kind]++;
        if (row != NULL) {
            census->rows[row - input->colors->rows][kind]++;
        }
    }
}

static bool has_kind(const struct legend_input *input, const struct census *census, int row, int kind) {
    return (input->colors->rows[row].kinds >> kind & 1u) != 0 || census->rows[row][kind] > 0;
}

static int kinds_of(const struct legend_input *input, const struct census *census, int row, int *first) {
    int count = 0;
    for (int k = LIMIT_KINDS; k > 0; k--) {
        if (has_kind(input, census, row, k - 1)) {
            *first = k - 1;
            count++;
        }
    }
    return count;
}

/* A state of one kind: "hunter, rest"; one word where both are called alike. */
static void add_kind_state(const struct legend_input *input, const struct census *census, int row, int kind,
                           struct legend *legend) {
    const struct state_color *state = &input->colors->rows[row];
    const char *name = input->server->scenario.kinds[kind].name;
    char words[sizeof legend->rows[0].words];
    if (strcmp(name, state->name) == 0) {
        (void)snprintf(words, sizeof words, "%s", name);
    } else {
        (void)snprintf(words, sizeof words, "%.22s, %.22s", name, state->name);
    }
    struct legend_row *added =
        add(legend, LEGEND_AGENT, state->fill[view_settings_palette(input->settings)], words);
    added->kind = kind;
    added->count = census->rows[row][kind];
    added->lights = (struct agent_group){true, row, kind};
}

/* A state of all kinds that have it. */
static void add_state(const struct legend_input *input, const struct census *census, int row,
                      struct legend *legend) {
    const struct state_color *state = &input->colors->rows[row];
    int first = 0;
    const int kinds = kinds_of(input, census, row, &first);
    char words[sizeof legend->rows[0].words];
    if (kinds > 1) {
        (void)snprintf(words, sizeof words, "%.26s, %d kinds", state->name, kinds);
    } else {
        (void)snprintf(words, sizeof words, "%s", state->name);
    }
    struct legend_row *added = add(legend, kinds > 1 ? LEGEND_COLOR : LEGEND_AGENT,
                                   state->fill[view_settings_palette(input->settings)], words);
    added->kind = first;
    added->lights = (struct agent_group){true, row, -1};
    added->count = 0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        added->count += census->rows[row][k];
    }
}

/* The states of one kind after those of another. A row for each state where there is one kind, or too many, and for
 * states that no kind has now. */
static void add_states(const struct legend_input *input, const struct census *census, struct legend *legend) {
    const int kind_count = input->server->scenario.kind_count;
    int split = 0, first = 0;
    for (int i = 0; i < input->colors->count; i++) {
        split += kinds_of(input, census, i, &first);
    }
    const bool is_split = kind_count > 1 && kind_count <= LEGEND_MOST_KINDS && split <= LEGEND_MOST_AGENTS;
    for (int k = 0; is_split && k < kind_count; k++) {
        for (int i = 0; i < input->colors->count; i++) {
            if (has_kind(input, census, i, k)) {
                add_kind_state(input, census, i, k, legend);
            }
        }
    }
    for (int i = 0; i < input->colors->count && legend->count < LEGEND_MOST_AGENTS; i++) {
        if (!is_split || kinds_of(input, census, i, &first) == 0) {
            add_state(input, census, i, legend);
        }
    }
}

/* Every kind with its shape; in its color only where that is what the color says. */
static void add_kinds(const struct legend_input *input, const struct census *census, bool has_color,
                      struct legend *legend) {
    const enum palette palette = view_settings_palette(input->settings);
    const int kind_count = input->server->scenario.kind_count;
    if (kind_count > LEGEND_MOST_KINDS) {
        char words[sizeof legend->rows[0].words];
        (void)snprintf(words, sizeof words, "%d kinds", kind_count);
        struct legend_row *added = add(legend, LEGEND_COLOR, theme_color(palette, THEME_TEXT_DIM), words);
        added->count = 0;
        for (int k = 0; k < LIMIT_KINDS; k++) {
            added->count += census->kinds[k];
        }
        return;
    }
    for (int k = 0; k < kind_count; k++) {
        const color fill =
            has_color ? state_colors_kind(input->colors, palette, k) : theme_color(palette, THEME_TEXT_DIM);
        struct legend_row *added = add(legend, LEGEND_AGENT, fill, input->server->scenario.kinds[k].name);
        added->kind = k;
        added->lights = (struct agent_group){true, -1, k};
        added->count = census->kinds[k];
    }
}

static void add_agents(const struct legend_input *input, enum color_mode mode, struct legend *legend) {
    struct census census;
    if (!input->server->has_scenario && input->frame->names == NULL) {
        return;
    }
    count_agents(input, &census);
    if (mode == COLOR_STATE) {
        add_states(input, &census, legend);
    } else {
        add_kinds(input, &census, mode == COLOR_KIND, legend);
    }
    if (mode == COLOR_FORCE && input->frame->names != NULL && !input->frame->has_forces) {
        (void)add(legend, LEGEND_COLOR,
                  explain_behavior_color(view_settings_palette(input->settings), "wander"),
                  "gray: not known");
    }
}

/* Counts of a part of the world, or of a sample, are no counts of the world. */
static void mark_part(const struct legend_input *input, struct legend *legend) {
    const struct snapshot *names = input->frame->names;
    const uint32_t one_in = names != NULL ? names->one_in : 0;
    for (int i = 0; (input->is_part || one_in > 1) && i < legend->count; i++) {
        struct legend_row *row = &legend->rows[i];
        const size_t used = strlen(row->words);
        if (row->count >= 0 && one_in > 1) {
            (void)snprintf(row->words + used, sizeof row->words - used, ", 1 in %lu shown",
                           (unsigned long)one_in);
        } else if (row->count >= 0) {
            (void)snprintf(row->words + used, sizeof row->words - used, ", in view");
        }
    }
}

/* What the color of heat says: of whom, how many, and what it says not. */
static void add_heat(const struct legend_input *input, const struct legend_heat *heat,
                     struct legend *legend) {
    const enum color_mode mode = heat->density != NULL ? density_colors_mode(input->colors, input->settings)
                                                       : state_colors_mode(input->colors, input->settings);
    const color gray = theme_color(view_settings_palette(input->settings), THEME_TEXT_DIM);
    char words[sizeof legend->rows[0].words];
    if (heat->is_tinted && (mode == COLOR_STATE || mode == COLOR_KIND)) {
        add_agents(input, mode, legend);
        mark_part(input, legend);
    }
    legend->agent_count = legend->count;
    if (heat->is_tinted && mode == COLOR_HEADING) {
        (void)add(legend, LEGEND_COLOR, gray, "gray: as many each way");
    }
    if (heat->is_tinted) {
        (void)snprintf(words, sizeof words, "full color: %.0f per %.0f x %.0f px", (double)heat->full,
                       (double)heat->cell_px, (double)heat->cell_px);
        (void)add(legend, LEGEND_COLOR, theme_color(view_settings_palette(input->settings), THEME_TEXT),
                  words);
    } else if (mode != COLOR_STATE && mode != COLOR_KIND) {
        (void)snprintf(words, sizeof words, "%s: zoom in to see it", color_mode_names[mode]);
        (void)add(legend, LEGEND_COLOR, gray, words);
    }
}

/* ---- what is drawn at agents ---- */

/* A row for the behavior, once: the first mark that is drawn for it stands for all. */
static void add_behavior(const struct legend_input *input, enum legend_mark mark, const char *label,
                         const char *what, struct legend *legend) {
    char type[LIMIT_NAME_CHARS + 1], words[sizeof legend->rows[0].words];
    explain_behavior_type(label, type, sizeof type);
    for (int i = legend->agent_count; i < legend->count; i++) {
        const size_t length = strlen(type);
        if (strncmp(legend->rows[i].words, type, length) == 0 &&
            (legend->rows[i].words[length] == '\0' || legend->rows[i].words[length] == ':')) {
            return;
        }
    }
    (void)snprintf(words, sizeof words, "%s%s%s", type, what[0] != '\0' ? ": " : "", what);
    (void)add(legend, mark, explain_behavior_color(view_settings_palette(input->settings), type), words);
}

static bool is_muted(const struct legend_input *input, const char *behavior) {
    const struct message_agent *agent = input->inspected;
    const int weight = param_list_weight(input->server->params, input->server->param_count, agent->kind,
                                         agent->state, behavior);
    return weight >= 0 &&
           !(input->server->params[weight].value > 0.0 || input->server->params[weight].value < 0.0);
}

/* The selected agent's: each behavior, or the parts of its force. */
static void add_inspected(const struct legend_input *input, struct legend *legend) {
    const struct message_agent *agent = input->inspected;
    for (int i = 0; i < agent->share_count; i++) {
        const struct message_agent_term *term = message_agent_find_term(agent, agent->shares[i].behavior);
        const int part_count = term != NULL ? term->part_count : 0;
        const char *what = is_muted(input, agent->shares[i].behavior) ? "muted" : "";
        for (int p = 0; p < part_count; p++) {
            add_behavior(input, LEGEND_VECTOR, term->parts[p].behavior, what, legend);
        }
        if (part_count == 0) {
            add_behavior(input, LEGEND_VECTOR, agent->shares[i].behavior, what, legend);
        }
    }
}

static void add_names(const struct legend_input *input, const struct name_table *names, const bool *is_seen,
                      struct legend *legend) {
    for (int i = 0; i < names->count; i++) {
        if (is_seen[i]) {
            add_behavior(input, LEGEND_VECTOR, names->names[i], "", legend);
        }
    }
}

static void add_forces(const struct legend_input *input, struct legend *legend) {
    const struct snapshot *names = input->frame->names;
    if (input->inspected != NULL) {
        add_inspected(input, legend);
    } else if (input->frame->has_forces) {
        bool is_seen[NAME_TABLE_CAPACITY] = {false}, is_part[NAME_TABLE_CAPACITY] = {false};
        for (int32_t i = 0; i < names->share_begin[names->count]; i++) {
            is_seen[names->shares[i].behavior] = true;
        }
        for (int32_t i = 0; snapshot_has_parts(names) && i < names->part_begin[names->count]; i++) {
            is_seen[names->parts[i].behavior] = false; /* its parts are drawn */
            is_part[names->parts[i].part] = true;
        }
        add_names(input, &names->behavior_names, is_seen, legend);
        add_names(input, &names->part_names, is_part, legend);
    }
}

static void add_radii(const struct legend_input *input, struct legend *legend) {
    static const char *const words[] = {[RADIUS_VIEW] = "sees so far",
                                        [RADIUS_NOTICE] = "notices so far",
                                        [RADIUS_SLOWING] = "slows from here",
                                        [RADIUS_WANDER] = "its circle",
                                        [RADIUS_TURN] = "turning circles"};
    const struct pose pose = frame_pose(input->frame, input->agent);
    const struct snapshot *names = input->frame->names;
    struct radius_overlay radii[RADIUS_OVERLAY_MOST];
    const int count =
        radius_overlay_find(input->server->params, input->server->param_count,
                            names->kind_names.names[pose.kind], names->state_names.names[pose.state], radii);
    for (int i = 0; i < count; i++) {
        add_behavior(input, LEGEND_CIRCLE, radii[i].behavior, words[radii[i].form], legend);
    }
}

static void add_vectors(const struct legend_input *input, struct legend *legend) {
    const struct view_settings *settings = input->settings;
    const enum palette palette = view_settings_palette(settings);
    const bool has_forces = input->frame->has_forces || input->inspected != NULL;
    if (settings->shows_velocity) {
        (void)add(legend, LEGEND_VECTOR, theme_color(palette, THEME_VELOCITY), "velocity");
    }
    if (settings->shows_desired && has_forces) {
        (void)add(legend, LEGEND_VECTOR, theme_color(palette, THEME_DESIRED), "desired velocity");
    }
    if (settings->shows_steering && has_forces) {
        (void)add(legend, LEGEND_VECTOR, theme_color(palette, THEME_STEERING), "steering force");
    }
}

static void add_overlays(const struct legend_input *input, struct legend *legend) {
    const struct view_settings *settings = input->settings;
    add_vectors(input, legend);
    if (settings->shows_behaviors) {
        add_forces(input, legend);
    }
    if (settings->shows_predicted) {
        (void)add(legend, LEGEND_DASHES, theme_color(view_settings_palette(settings), THEME_TEXT_DIM),
                  input->has_agent ? "its next 2 s" : "the next 2 s");
    }
    if (settings->shows_trails) {
        (void)add(legend, LEGEND_TRAIL, theme_color(view_settings_palette(settings), THEME_TEXT_DIM),
                  "where they were");
    }
    if (settings->shows_onion) {
        (void)add(legend, LEGEND_ONION, theme_color(view_settings_palette(settings), THEME_TEXT_DIM),
                  "each 0.25 s before");
    }
    if (input->heat == NULL && input->frame->names != NULL && snapshot_has_twins(input->frame->names)) {
        (void)add(legend, LEGEND_CIRCLE, theme_color(view_settings_palette(settings), THEME_TEXT_DIM),
                  "twin, where it has parted");
    }
    if (input->has_agent) {
        (void)add(legend, LEGEND_CIRCLE, theme_color(view_settings_palette(settings), THEME_SELECTED),
                  "selected agent");
    }
    if (!input->has_agent) {
        return;
    }
    if (settings->shows_places && input->inspected != NULL) {
        for (int i = 0; i < input->inspected->point_count; i++) {
            const struct message_agent_point *point = &input->inspected->points[i];
            const bool is_circle = point->radius > 0.0f;
            add_behavior(input, is_circle ? LEGEND_CIRCLE : LEGEND_CROSS, point->behavior,
                         is_circle ? "its circle" : "aims here", legend);
        }
    }
    if (settings->shows_radii) {
        add_radii(input, legend);
    }
    if (settings->shows_neighbors && input->inspected != NULL && input->inspected->neighbor_count > 0) {
        (void)add(legend, LEGEND_TIE, theme_color(view_settings_palette(settings), THEME_NEIGHBOR),
                  "neighbors that count");
    }
}

/* ---- what lies in the world ---- */

/* One row for all regions, with the kinds that stay in them. */
static void add_regions(const struct legend_input *input, struct legend *legend) {
    const struct message_geometry *geometry = &input->server->scenario.geometry;
    char words[sizeof legend->rows[0].words];
    size_t length = (size_t)snprintf(words, sizeof words, "stays inside:");
    for (int i = 0; i < geometry->region_count && length < sizeof words; i++) {
        int first = 0;
        while (strcmp(geometry->regions[first].kind, geometry->regions[i].kind) != 0) {
            first++;
        }
        if (first == i) {
            length += (size_t)snprintf(words + length, sizeof words - length, "%s %s", i > 0 ? "," : "",
                                       geometry->regions[i].kind);
        }
    }
    if (geometry->region_count > 0) {
        (void)add(legend, LEGEND_REGION,
                  explain_behavior_color(view_settings_palette(input->settings), "contain"), words);
    }
}

static void add_obstacles(const struct legend_input *input, struct legend *legend) {
    const struct message_geometry *geometry = &input->server->scenario.geometry;
    const enum palette palette = view_settings_palette(input->settings);
    if (geometry->wall_count > 0) {
        (void)add(legend, LEGEND_WALL, theme_color(palette, THEME_WALL),
                  geometry->wall_count > 1 ? "walls" : "wall");
    }
    if (geometry->obstacle_count > 0) {
        (void)add(legend, LEGEND_REGION, theme_color(palette, THEME_OBSTACLE_EDGE),
                  geometry->obstacle_count > 1 ? "obstacles" : "obstacle");
    }
}

static void add_scenery(const struct legend_input *input, struct legend *legend) {
    const enum palette palette = view_settings_palette(input->settings);
    const struct message_geometry *geometry = &input->server->scenario.geometry;
    const bool has_flag = frame_flag(&input->server->scenario.view, input->frame) != NULL;
    const int32_t targets = input->frame->target_count - (has_flag ? 1 : 0);
    if (has_flag) {
        (void)add(legend, LEGEND_FLAG, theme_color(palette, THEME_TARGET),
                  frame_flag_captor(input->server, input->frame) >= 0 ? "flag, captured" : "flag");
    }
    if (input->frame->names != NULL && targets > 0) {
        (void)add(legend, LEGEND_TARGET, theme_color(palette, THEME_TARGET),
                  targets > 1 ? "targets" : "target");
    }
    if (geometry->path_count > 0) {
        (void)add(legend, LEGEND_PATH, theme_color(palette, THEME_PATH_LINE),
                  geometry->path_count > 1 ? "paths, and which way" : "path, and which way");
    }
    add_obstacles(input, legend);
    add_regions(input, legend);
    for (int i = 0; i < geometry->flow_count; i++) {
        char words[sizeof legend->rows[0].words];
        (void)snprintf(words, sizeof words, "flow: %.38s", geometry->flows[i].name);
        (void)add(legend, LEGEND_FLOW, theme_color(palette, i % 2 == 0 ? THEME_FLOW : THEME_FLOW_SECOND),
                  words);
    }
}

void legend_collect(const struct legend_input *input, struct legend *legend) {
    assert(input->server != NULL && input->frame != NULL && input->settings != NULL && input->colors != NULL);
    memset(legend, 0, sizeof *legend);
    if (input->heat != NULL) {
        add_heat(input, input->heat, legend);
    } else {
        add_agents(input, state_colors_mode(input->colors, input->settings), legend);
        mark_part(input, legend);
        legend->agent_count = legend->count;
    }
    legend->lit = -1;
    for (int i = 0; i < legend->count; i++) {
        const struct agent_group lit = state_colors_lit(input->colors);
        legend->lit = lit.is_on && agent_group_same(lit, legend->rows[i].lights) ? i : legend->lit;
    }
    if (input->frame->names != NULL && input->heat == NULL) {
        add_overlays(input, legend);
    }
    if (input->server->has_scenario) {
        add_scenery(input, legend);
    }
    if (input->scale != NULL) {
        legend->scale = *input->scale;
    }
    assert(legend->agent_count <= legend->count && legend->count <= LEGEND_MOST_ROWS);
}
