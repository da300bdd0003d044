/* See behavior_colors.h. */
#include "viewer/explain/behavior_colors.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/theme.h"

/* ---- behaviors ---- */

/* In the order of PALETTE_*. The classic palettes have the tutorials' four colors (gray, green, orange, red). Those that
 * a scenario has together are chosen to be far apart in CIELAB, for normal and for color-blind eyes. The last rows are
 * states that are no behavior and have no other color by convention. */
static const struct {
    const char *name;
    color fill[PALETTE_COUNT];
} known[] = {
    /* clang-format off */
    {"seek", {0xff56b4e9u, 0xff00b386u, 0xff028fd6u, 0xff00805cu}},
    {"flee", {0xfffa9f3cu, 0xffff8a3du, 0xffbd4600u, 0xffbd4600u}},
    {"arrive", {0xff6df8c0u, 0xff6df8c0u, 0xff009b5du, 0xff0b8f96u}},
    {"pursue", {0xfff0e442u, 0xffe69f00u, 0xff9e8800u, 0xffa86a00u}},
    {"evade", {0xfff0622du, 0xffe8542cu, 0xff8c2a00u, 0xffc02a10u}},
    {"offset_pursuit", {0xffd0d15fu, 0xffd0d15fu, 0xff795e30u, 0xff795e30u}},
    {"interpose", {0xffd75cdbu, 0xffd75cdbu, 0xff6140bbu, 0xff6140bbu}},
    {"wander", {0xff9aa0a6u, 0xff9aa0a6u, 0xff6b7078u, 0xff6b7078u}},
    {"formation", {0xff3a94ddu, 0xff3a94ddu, 0xff9671bfu, 0xff9671bfu}},
    {"separation", {0xff9060fcu, 0xff9060fcu, 0xff7000e0u, 0xff7000e0u}},
    {"alignment", {0xff3aac76u, 0xff56b4e9u, 0xff818f4du, 0xff818f4du}},
    {"cohesion", {0xff989cffu, 0xff989cffu, 0xff0060b6u, 0xff0060b6u}},
    {"flock", {0xff4cd9eau, 0xff4cd9eau, 0xff1d91aeu, 0xff1d91aeu}},
    {"avoid_agents", {0xffde64b0u, 0xffde64b0u, 0xffde4d99u, 0xffde4d99u}},
    {"follow_leader", {0xffec8fedu, 0xffec8fedu, 0xff583c8bu, 0xff583c8bu}},
    {"queue", {0xff9c8accu, 0xff9c8accu, 0xffa92fa1u, 0xffa92fa1u}},
    {"avoid_obstacles", {0xfff7b7c6u, 0xfff7b7c6u, 0xff1e1e5au, 0xff1e1e5au}},
    {"follow_wall", {0xff79ec6cu, 0xff79ec6cu, 0xff796d16u, 0xff796d16u}},
    {"follow_path", {0xff3f92f7u, 0xff3f92f7u, 0xff205ad8u, 0xff205ad8u}},
    {"stay_on_path", {0xffafdc47u, 0xffafdc47u, 0xff405317u, 0xff405317u}},
    {"follow_flow", {0xff90f1d0u, 0xff90f1d0u, 0xff61906eu, 0xff61906eu}},
    {"hide", {0xffb08628u, 0xffb08628u, 0xffaa7920u, 0xffaa7920u}},
    {"orca", {0xffc699c6u, 0xffc699c6u, 0xff7b475fu, 0xff7b475fu}},
    {"contain", {0xfff0bc28u, 0xfff0bc28u, 0xffdf5348u, 0xffdf5348u}},
    {"external", {0xffff5fa2u, 0xffff5fa2u, 0xffc2185bu, 0xffc2185bu}},
    {"herd", {0xff2fdc2fu, 0xff2fdc2fu, 0xff009600u, 0xff009600u}},
    {"walk", {0xffb46652u, 0xffb46652u, 0xff478602u, 0xff088c0fu}},
    {"rest", {0xff6c81ffu, 0xff6c81ffu, 0xff0a40a2u, 0xff0a40a2u}},
    {"idle", {0xff9aa0a6u, 0xff9aa0a6u, 0xff6b7078u, 0xff6b7078u}},
    /* clang-format on */
};

enum { KNOWN_COUNT = sizeof known / sizeof known[0], STATE_COUNT = 2, WANDER = 7 };

/* The first ones are the farthest from each other. */
static const color dark_spares[EXPLAIN_SPARES] = {
    0xffffac9fu, 0xffb077ddu, 0xffb98d02u, 0xfff2ccfdu, 0xffb97895u, 0xfffee07eu, 0xff86924fu, 0xfff5abc2u,
    0xffcb8180u, 0xffc28fceu, 0xffedb179u, 0xffd6c140u, 0xffd0e8c9u, 0xffadbbfcu, 0xffce9879u, 0xff99aa4bu,
};
static const color light_spares[EXPLAIN_SPARES] = {
    0xff538b09u, 0xff064c76u, 0xff179978u, 0xff5180efu, 0xff015319u, 0xff04514au, 0xff5a8dbbu, 0xff4d8c49u,
    0xff4f53abu, 0xff377082u, 0xff0c6d05u, 0xff037048u, 0xff6884d4u, 0xff2d9490u, 0xff005163u, 0xff40689eu,
};

void explain_behavior_type(const char *label, char *out, size_t size) {
    assert(size > 0);
    const char *begin = label;
    for (const char *c = label; *c != '\0'; c++) {
        if ((*c == '/' || *c == '.') && c[1] != '\0') {
            begin = c + 1;
        }
    }
    size_t length = strlen(begin);
    while (length > 1 && begin[length - 1] >= '0' && begin[length - 1] <= '9') {
        length--;
    }
    (void)snprintf(out, size, "%.*s", (int)length, begin);
}

static int find(const char *name) {
    char type[64];
    explain_behavior_type(name, type, sizeof type);
    const char *wanted = strcmp(type, "containment") == 0 ? "contain" : type; /* of the edge: does the same */
    for (int i = 0; i < KNOWN_COUNT; i++) {
        if (strcmp(known[i].name, wanted) == 0) {
            return i;
        }
    }
    return -1;
}

color explain_behavior_color(enum palette palette, const char *name) {
    assert((int)palette >= 0 && palette < PALETTE_COUNT);
    const int row = find(name);
    return known[row >= 0 ? row : WANDER].fill[palette];
}

bool explain_is_behavior(const char *name) {
    return find(name) >= 0;
}

const char *explain_behavior_name(int index) {
    return index >= 0 && index < KNOWN_COUNT - STATE_COUNT ? known[index].name : NULL;
}

/* Color number 0 <= index < EXPLAIN_SPARES of those that no behavior has: for kinds, and for states without a
 * behavior's name. */
static color explain_spare_color(enum palette palette, int index) {
    assert(index >= 0 && index < EXPLAIN_SPARES);
    const bool is_light = palette == PALETTE_SAFE_LIGHT || palette == PALETTE_CLASSIC_LIGHT;
    return is_light ? light_spares[index] : dark_spares[index];
}

/* ---- states ---- */

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
    static const char *const common[] = {"separation", "avoid_obstacles", "avoid_agents", "contain", "orca",
                                         "walk",       "stay_on_path",    "wander"};
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
