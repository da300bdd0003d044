/* See formula.h. */
#include "viewer/explain/formula.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"

/* ---- the figure ---- */

/* Whether the behavior's formula has the line that the triangle draws. */
static bool matches_velocity(const struct message_agent_term *term) {
    const struct formula_row *row = formula_row_of(term->type);
    bool has_line = false;
    for (const struct formula_template *line = row->lines; line->text != NULL; line++) {
        has_line = has_line || strcmp(line->text, "{steering} = {desired} - {velocity}") == 0;
    }
    return has_line && term->has_desired;
}

static int strongest_term(const struct message_agent *agent) {
    float most = 0.0f;
    int strongest = -1;
    for (int i = 0; i < agent->term_count; i++) {
        const float force = vec2_length(agent->terms[i].gets);
        if (matches_velocity(&agent->terms[i]) && force > most) {
            most = force;
            strongest = i;
        }
    }
    return strongest;
}

static struct formula_arrow *add(struct formula_figure *figure, vec2 from, vec2 to, const char *label,
                                 enum formula_role role, enum formula_link_kind link) {
    assert(figure->arrow_count < FORMULA_ARROWS);
    struct formula_arrow *arrow = &figure->arrows[figure->arrow_count++];
    *arrow = (struct formula_arrow){label, role, NULL, {link, -1, -1, -1}, from, to};
    figure->low.x = fminf(figure->low.x, fminf(from.x, to.x));
    figure->low.y = fminf(figure->low.y, fminf(from.y, to.y));
    figure->high.x = fmaxf(figure->high.x, fmaxf(from.x, to.x));
    figure->high.y = fmaxf(figure->high.y, fmaxf(from.y, to.y));
    figure->longest = fmaxf(figure->longest, vec2_length(vec2_sub(to, from)));
    return arrow;
}

static void fill_triangle(const struct message_agent *agent, int term, struct formula_figure *figure) {
    const vec2 zero = {0.0f, 0.0f}, velocity = agent->velocity, desired = agent->terms[term].desired;
    figure->kind = FORMULA_TRIANGLE;
    figure->term = term;
    figure->unit = "px/s";
    add(figure, zero, desired, "desired", FORMULA_DESIRED, FORMULA_LINK_DESIRED)->link.term = term;
    (void)add(figure, zero, velocity, "velocity", FORMULA_VELOCITY, FORMULA_LINK_VELOCITY);
    add(figure, velocity, desired, "steering", FORMULA_STEERING, FORMULA_LINK_TERM)->link.term = term;
}

static void fill_sum(const struct message_agent *agent, struct formula_figure *figure) {
    vec2 at = {0.0f, 0.0f};
    figure->kind = FORMULA_SUM;
    figure->unit = "mass px/s²";
    for (int i = 0; i < agent->term_count; i++) {
        const struct message_agent_term *term = &agent->terms[i];
        const vec2 next = vec2_add(at, term->gets);
        if (vec2_length(term->gets) > 0.0f) {
            struct formula_arrow *arrow =
                add(figure, at, next, term->behavior, FORMULA_BEHAVIOR, FORMULA_LINK_TERM);
            arrow->behavior = term->type;
            arrow->link.term = i;
        }
        at = next;
    }
    (void)add(figure, vec2_make(0.0f, 0.0f), agent->steering, "net force", FORMULA_STEERING,
              FORMULA_LINK_STEERING);
}

/* The largest of 1, 2, 5, 10, 20 ... that is at most the length. */
static float round_below(float length) {
    float unit = length < 0.1f ? 0.01f : length < 1.0f ? 0.1f : 1.0f;
    while (unit < 1e9f && unit >= 1.0f && 10.0f * unit <= length) {
        unit *= 10.0f;
    }
    return 5.0f * unit <= length ? 5.0f * unit : 2.0f * unit <= length ? 2.0f * unit : unit;
}

struct formula_figure formula_figure_of(const struct message_agent *agent, int term) {
    assert(term >= -1 && term < agent->term_count);
    struct formula_figure figure = {.kind = FORMULA_NO_FIGURE, .term = -1, .unit = ""};
    const int shown = term >= 0 && matches_velocity(&agent->terms[term]) ? term : strongest_term(agent);
    if (shown >= 0) {
        fill_triangle(agent, shown, &figure);
    } else {
        fill_sum(agent, &figure);
    }
    if (!(figure.longest > 0.005f)) { /* hundredths came */
        figure.kind = FORMULA_NO_FIGURE;
        figure.term = -1;
        figure.arrow_count = 0;
    }
    figure.bar = round_below(figure.longest);
    return figure;
}

/* ---- how tokens look ---- */

static color role_color(enum palette palette, enum formula_role role, const char *behavior, color plain) {
    switch (role) {
    case FORMULA_VELOCITY:
        return theme_color(palette, THEME_VELOCITY);
    case FORMULA_DESIRED:
        return theme_color(palette, THEME_DESIRED);
    case FORMULA_STEERING:
        return theme_color(palette, THEME_STEERING);
    case FORMULA_TARGET:
        return theme_color(palette, THEME_TARGET);
    case FORMULA_BEHAVIOR:
        return theme_readable(palette, explain_behavior_color(palette, behavior));
    case FORMULA_PLAIN:
        break;
    }
    return plain;
}

color formula_token_color(enum palette palette, const struct formula_token *token) {
    return role_color(palette, token->role, token->behavior,
                      theme_color(palette, token->word != NULL ? THEME_TEXT : THEME_TEXT_DIM));
}

color formula_arrow_color(enum palette palette, const struct formula_arrow *arrow) {
    return role_color(palette, arrow->role, arrow->behavior, theme_color(palette, THEME_TEXT_DIM));
}

struct lit formula_lit(struct formula_link link) {
    static const enum lit_what what[] = {
        [FORMULA_NO_LINK] = LIT_NOTHING,      [FORMULA_LINK_VELOCITY] = LIT_VELOCITY,
        [FORMULA_LINK_DESIRED] = LIT_DESIRED, [FORMULA_LINK_STEERING] = LIT_STEERING,
        [FORMULA_LINK_TERM] = LIT_TERM,       [FORMULA_LINK_PART] = LIT_PART,
        [FORMULA_LINK_POINT] = LIT_POINT,
    };
    return (struct lit){what[link.kind], link.term, link.part, link.point};
}

bool formula_is_lit(struct lit a, struct lit b) {
    const bool is_point = a.what == LIT_POINT;
    return a.what != LIT_NOTHING && a.what == b.what &&
           (a.term == b.term || a.term < 0 || b.term < 0 || is_point) &&
           (a.what != LIT_PART || a.part == b.part) && (!is_point || a.point == b.point);
}

void formula_term_words(const struct message_agent_term *term, bool is_muted, char out[FORMULA_TERM_WORDS]) {
    char wants[FORMULA_NUMBER_TEXT], gets[FORMULA_NUMBER_TEXT];
    (void)formula_number_text(wants, (double)roundf(vec2_length(term->wants)));
    (void)formula_number_text(gets, (double)roundf(vec2_length(term->gets)));
    if (is_muted) {
        (void)snprintf(out, FORMULA_TERM_WORDS, "muted");
    } else if (formula_gets_all(term) || strcmp(wants, gets) == 0) {
        (void)snprintf(out, FORMULA_TERM_WORDS, "%s", wants);
    } else {
        (void)snprintf(out, FORMULA_TERM_WORDS, "wants %s, gets %s", wants, gets);
    }
}

float formula_most_wanted(const struct message_agent *agent) {
    float most = 1e-6f;
    for (int i = 0; i < agent->term_count; i++) {
        const struct message_agent_term *term = &agent->terms[i];
        most = fmaxf(most, vec2_length(term->wants));
        for (int part = 0; part < term->part_count; part++) {
            most = fmaxf(most, vec2_length(term->parts[part].force));
        }
    }
    return most;
}

bool formula_is_quiet(const struct message_agent_term *term) {
    return !(vec2_length_squared(term->wants) > 0.0f);
}

void formula_term_order(const struct message_agent *agent, int order[MESSAGE_AGENT_TERMS]) {
    int count = 0;
    for (int quiet = 0; quiet < 2; quiet++) {
        for (int i = 0; i < agent->term_count; i++) {
            if (formula_is_quiet(&agent->terms[i]) == (quiet == 1)) {
                order[count++] = i;
            }
        }
    }
}

int formula_pointed_term(const struct message_agent *agent, struct lit lit) {
    const bool has_term = lit.what == LIT_DESIRED || lit.what == LIT_TERM || lit.what == LIT_PART;
    return has_term && lit.term < agent->term_count ? lit.term : -1;
}

const char *formula_figure_tip(enum formula_figure_kind kind) {
    switch (kind) {
    case FORMULA_TRIANGLE:
        return "This behavior's steering = desired - velocity, in px/s. Point at another behavior for its "
               "own.";
    case FORMULA_SUM:
        return "What each behavior gets, head to tail: together they are the net force (mass × px/s²).";
    case FORMULA_NO_FIGURE:
        break;
    }
    return "No behavior has a force now.";
}
