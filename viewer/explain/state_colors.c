/* See state_colors.h. */
#include "viewer/explain/state_colors.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/color_distance.h"

/* A distance at which two colors are told apart at a glance. */
static const float far_enough = 22.0f;

enum { BEHAVIORS_MOST = 4 };

/* What is known of a row before its color is: the behaviors that tell it from others. */
struct claim {
    char behaviors[BEHAVIORS_MOST][LIMIT_NAME_CHARS + 1];
    int behavior_count;
    bool wanders, does_else; /* among the common ones: wander, another */
};

struct deal {
    struct state_colors *colors;
    const struct server_model *model;
    struct claim claims[STATE_COLORS_MOST];
    bool has_parts[LIMIT_KINDS];                   /* parameters of several states */
    char first[LIMIT_KINDS][LIMIT_NAME_CHARS + 1]; /* the type of the first behavior */
};

void state_colors_init(struct state_colors *colors) {
    memset(colors, 0, sizeof *colors);
}

/* ---- who is there ---- */

static int kind_number(const struct server_model *model, const char *name) {
    const struct message_kind *kind = server_model_kind(model, name);
    return kind != NULL ? (int)(kind - model->scenario.kinds) : -1;
}

static int find_row(const struct state_colors *colors, const char *name, bool is_kind) {
    for (int i = 0; i < colors->count; i++) {
        if (colors->rows[i].is_kind == is_kind && strcmp(colors->rows[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int add_row(struct deal *deal, const char *name, int kind) {
    struct state_colors *colors = deal->colors;
    const int found = find_row(colors, name, kind >= 0);
    if (found >= 0 || name[0] == '\0' || colors->count == STATE_COLORS_MOST) {
        return found;
    }
    struct state_color *row = &colors->rows[colors->count];
    *row = (struct state_color){.is_kind = kind >= 0};
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    deal->claims[colors->count] = (struct claim){.behavior_count = 0};
    return colors->count++;
}

/* Behaviors that many states have beside what they are for. */
static bool is_common(const char *type) {
    static const char *const common[] = {"separation", "avoid_obstacles", "avoid_agents", "contain",
                                         "orca",       "stay_on_path",    "wander"};
    bool is_found = false;
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        is_found = is_found || strcmp(type, common[i]) == 0;
    }
    return is_found;
}

static void add_behavior(struct claim *claim, const char *type) {
    for (int i = 0; i < claim->behavior_count; i++) {
        if (strcmp(claim->behaviors[i], type) == 0) {
            return;
        }
    }
    claim->wanders = claim->wanders || strcmp(type, "wander") == 0;
    claim->does_else = claim->does_else || strcmp(type, "wander") != 0;
    if (!is_common(type) && claim->behavior_count < BEHAVIORS_MOST) {
        (void)snprintf(claim->behaviors[claim->behavior_count++], sizeof claim->behaviors[0], "%s", type);
    }
}

/* "flee/seek2.weight" -> state "flee", type "seek"; false for a parameter of the body. */
static bool split(const char *param, char *state, char *type, size_t size) {
    const char *slash = strchr(param, '/'), *dot = strchr(param, '.');
    char label[64];
    if (dot == NULL) {
        return false;
    }
    const char *begin = slash != NULL && slash < dot ? slash + 1 : param;
    (void)snprintf(label, sizeof label, "%.*s", (int)(dot - begin), begin);
    (void)snprintf(state, size, "%.*s", begin > param ? (int)(begin - 1 - param) : 0, param);
    explain_behavior_type(label, type, size);
    return true;
}

/* Which kinds have several states, and the first behavior of each kind. */
static void note_kinds(struct deal *deal) {
    const struct server_model *model = deal->model;
    char state[LIMIT_NAME_CHARS + 1], type[LIMIT_NAME_CHARS + 1];
    for (int i = 0; i < model->param_count; i++) {
        const int kind = kind_number(model, model->params[i].kind);
        if (kind >= 0 && split(model->params[i].param, state, type, sizeof state)) {
            deal->has_parts[kind] = deal->has_parts[kind] || state[0] != '\0';
            if (deal->first[kind][0] == '\0') {
                (void)snprintf(deal->first[kind], sizeof deal->first[0], "%s", type);
            }
        }
    }
    for (int k = 0; k < model->scenario.kind_count; k++) {
        const char *seen = model->kind_states[k], *first = deal->first[k];
        const bool is_first = strcmp(seen, first[0] != '\0' ? first : "idle") == 0;
        deal->colors->has_states[k] =
            model->param_count == 0 || deal->has_parts[k] || (seen[0] != '\0' && !is_first);
    }
}

/* The states and kinds in the order of the scenario, with what they do. */
static void note_rows(struct deal *deal) {
    const struct server_model *model = deal->model;
    struct state_colors *colors = deal->colors;
    char state[LIMIT_NAME_CHARS + 1], type[LIMIT_NAME_CHARS + 1];
    for (int i = 0; i < model->param_count; i++) {
        const int kind = kind_number(model, model->params[i].kind);
        if (kind < 0 || !split(model->params[i].param, state, type, sizeof state)) {
            continue;
        }
        const bool has_states = deal->colors->has_states[kind];
        const char *name = !has_states        ? model->scenario.kinds[kind].name
                           : state[0] != '\0' ? state
                                              : model->kind_states[kind];
        const int row = add_row(deal, name, has_states ? -1 : kind);
        if (row >= 0) {
            colors->rows[row].kinds |= (uint64_t)1 << kind;
            add_behavior(&deal->claims[row], type);
        }
    }
    for (int k = 0; k < model->scenario.kind_count; k++) {
        if (!deal->colors->has_states[k] && model->kind_states[k][0] != '\0') {
            (void)add_row(deal, model->scenario.kinds[k].name, k); /* without behaviors */
        }
    }
}

static bool is_first_behavior(const struct deal *deal, const char *state) {
    bool is_found = false;
    for (int k = 0; k < deal->model->scenario.kind_count; k++) {
        is_found =
            is_found || (!deal->colors->has_states[k] && strcmp(deal->model->kind_states[k], state) == 0);
    }
    return is_found;
}

/* States without parameters: those that were seen, by name. */
static void note_seen(struct deal *deal) {
    const struct server_model *model = deal->model;
    const char *order[SERVER_MODEL_LEGEND_ROWS];
    int count = 0;
    for (int i = 0; i < model->legend_count; i++) {
        const char *state = model->legend[i].state;
        if (find_row(deal->colors, state, false) >= 0 || is_first_behavior(deal, state)) {
            continue;
        }
        int at = count++;
        for (; at > 0 && strcmp(order[at - 1], state) > 0; at--) {
            order[at] = order[at - 1];
        }
        order[at] = state;
    }
    for (int i = 0; i < count; i++) {
        (void)add_row(deal, order[i], -1);
    }
}

/* ---- the colors ---- */

/* The colors that are given, as they look. */
struct hand {
    enum palette palette;
    int count;
    struct color_seen seen[STATE_COLORS_MOST + LIMIT_KINDS];
};

static void hand_add(struct hand *hand, color c) {
    assert(hand->count < STATE_COLORS_MOST + LIMIT_KINDS);
    hand->seen[hand->count++] = color_seen_of(c);
}

/* From the nearest one; the classic palette is for eyes that see all colors. */
static float hand_distance(const struct hand *hand, color c) {
    const struct color_seen seen = color_seen_of(c);
    const bool is_classic = hand->palette == PALETTE_CLASSIC || hand->palette == PALETTE_CLASSIC_LIGHT;
    float nearest = INFINITY;
    for (int i = 0; i < hand->count; i++) {
        nearest = fminf(nearest, is_classic ? color_seen_distance(&hand->seen[i], &seen, VISION_NORMAL)
                                            : color_seen_least(&hand->seen[i], &seen));
    }
    return nearest;
}

static color farthest_spare(const struct hand *hand) {
    float best = -1.0f;
    color chosen = 0;
    for (int i = 0; i < EXPLAIN_SPARES; i++) {
        const color c = explain_spare_color(hand->palette, i);
        const float distance = fminf(hand_distance(hand, c), 1000.0f);
        if (distance > best) {
            best = distance;
            chosen = c;
        }
    }
    return chosen;
}

/* The color of one of its behaviors that is far from those given; 0 for none. */
static color claimed(const struct hand *hand, const struct claim *claim, bool is_kind) {
    for (int i = 0; i < claim->behavior_count; i++) {
        const color c = explain_behavior_color(hand->palette, claim->behaviors[i]);
        if (hand_distance(hand, c) >= far_enough) {
            return c;
        }
    }
    const color plain = explain_behavior_color(hand->palette, "wander");
    const bool only_wanders = is_kind && claim->wanders && !claim->does_else;
    return only_wanders && hand_distance(hand, plain) >= far_enough ? plain : 0;
}

static void deal_rows(struct deal *deal, struct hand *hand) {
    struct state_colors *colors = deal->colors;
    const enum palette palette = hand->palette;
    for (int i = 0; i < colors->count; i++) { /* those that are named like a behavior */
        struct state_color *row = &colors->rows[i];
        row->fill[palette] =
            !row->is_kind && explain_is_behavior(row->name) ? explain_behavior_color(palette, row->name) : 0;
        if (row->fill[palette] != 0) {
            hand_add(hand, row->fill[palette]);
        }
    }
    for (int pass = 0; pass < 2; pass++) { /* those that do what no other one does, then the others */
        for (int i = 0; i < colors->count; i++) {
            struct state_color *row = &colors->rows[i];
            if (row->fill[palette] == 0) {
                row->fill[palette] =
                    pass == 0 ? claimed(hand, &deal->claims[i], row->is_kind) : farthest_spare(hand);
                if (row->fill[palette] != 0) {
                    hand_add(hand, row->fill[palette]);
                }
            }
        }
    }
}

/* A kind without states has the color it has among states. */
static void deal_kinds(struct deal *deal, enum palette palette) {
    struct state_colors *colors = deal->colors;
    struct hand hand = {.palette = palette};
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < colors->kind_count; k++) {
            const int row =
                colors->has_states[k] ? -1 : find_row(colors, deal->model->scenario.kinds[k].name, true);
            if ((row >= 0) == (pass == 0)) {
                colors->kind_fill[k][palette] =
                    row >= 0 ? colors->rows[row].fill[palette] : farthest_spare(&hand);
                hand_add(&hand, colors->kind_fill[k][palette]);
            }
        }
    }
}

void state_colors_update(struct state_colors *colors, const struct server_model *model) {
    if (colors->epoch == model->epoch && colors->names_count == model->names_count &&
        colors->param_count == model->param_count && colors->kind_count == model->scenario.kind_count) {
        return;
    }
    struct deal deal = {.colors = colors, .model = model};
    const bool is_same = colors->epoch == model->epoch;
    const struct agent_group pointed = colors->pointed, kept = colors->kept;
    *colors = (struct state_colors){.epoch = model->epoch,
                                    .names_count = model->names_count,
                                    .param_count = model->param_count,
                                    .kind_count = model->scenario.kind_count};
    if (is_same) {
        colors->pointed = pointed;
        colors->kept = kept;
    }
    assert(colors->kind_count <= LIMIT_KINDS);
    note_kinds(&deal);
    note_rows(&deal);
    note_seen(&deal);
    for (int p = 0; p < PALETTE_COUNT; p++) {
        struct hand hand = {.palette = (enum palette)p};
        deal_rows(&deal, &hand);
        deal_kinds(&deal, (enum palette)p);
    }
}

/* ---- looking up ---- */

static bool is_plain(const struct state_colors *colors, int kind) {
    return kind >= 0 && kind < colors->kind_count && !colors->has_states[kind];
}

const struct state_color *state_colors_row(const struct state_colors *colors,
                                           const struct server_model *model, int kind, const char *state) {
    const bool by_kind = is_plain(colors, kind);
    const int row = find_row(colors, by_kind ? model->scenario.kinds[kind].name : state, by_kind);
    return row >= 0 ? &colors->rows[row] : NULL;
}

color state_colors_fill(const struct state_colors *colors, const struct server_model *model,
                        enum palette palette, int kind, const char *state) {
    int asked = kind; /* an unknown kind: the first one without states that has this name on the wire */
    for (int k = 0; kind < 0 && asked < 0 && k < colors->kind_count; k++) {
        asked = is_plain(colors, k) && strcmp(model->kind_states[k], state) == 0 ? k : -1;
    }
    if (find_row(colors, state, false) >= 0 && kind < 0) {
        asked = -1;
    }
    const struct state_color *row = state_colors_row(colors, model, asked, state);
    return row != NULL ? row->fill[palette] : explain_behavior_color(palette, state);
}

color state_colors_kind(const struct state_colors *colors, enum palette palette, int kind) {
    return kind >= 0 && kind < colors->kind_count
               ? colors->kind_fill[kind][palette]
               : explain_spare_color(palette, kind < 0 ? 0 : kind % EXPLAIN_SPARES);
}

enum color_mode state_colors_mode(const struct state_colors *colors, const struct view_settings *settings) {
    const bool is_one = colors->count == 1 && !colors->rows[0].is_kind && colors->kind_count > 1;
    assert(settings->color >= 0 && settings->color < COLOR_MODE_COUNT);
    return settings->color == COLOR_STATE && is_one ? COLOR_KIND : (enum color_mode)settings->color;
}

struct agent_group state_colors_lit(const struct state_colors *colors) {
    return colors->pointed.is_on ? colors->pointed : colors->kept;
}

const char *state_colors_words(const struct state_colors *colors, int kind, const char *state) {
    return is_plain(colors, kind) ? "" : state;
}
