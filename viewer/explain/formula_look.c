/* See formula_look.h. */
#include "viewer/explain/formula_look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"

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
