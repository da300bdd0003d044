/* See formula_figure.h. */
#include "viewer/explain/formula_figure.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
