/* See formula.h. */
#include "viewer/explain/formula.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/param_list.h"

/* ---- numbers ---- */

/* Without printf's %f, whose point depends on the locale. */
static size_t formula_decimal_text(char out[FORMULA_NUMBER_TEXT], double value, int decimals) {
    assert(decimals >= 0 && decimals <= 4);
    static const unsigned scales[] = {1, 10, 100, 1000, 10000};
    const double size = fabs(value) < 1e12 ? fabs(value) : 1e12;
    const unsigned long long units = (unsigned long long)(size * scales[decimals] + 0.5);
    size_t used = 0;
    if (value < 0.0 && units > 0) {
        out[used++] = '-';
    }
    used += units_format_whole(units / scales[decimals], out + used, FORMULA_NUMBER_TEXT - used);
    const unsigned long long part = units % scales[decimals];
    if (decimals > 0) {
        used += (size_t)snprintf(out + used, FORMULA_NUMBER_TEXT - used, ".%0*llu", decimals, part);
    }
    return used;
}

/* How many decimals show four digits of a number of this size. */
static int decimals_of(double size) {
    return size >= 1000.0 ? 0 : size >= 100.0 ? 1 : size >= 10.0 ? 2 : size >= 1.0 ? 3 : 4;
}

static bool is_whole(double value) {
    return fabs(value) < 1e12 && !(fabs(value - nearbyint(value)) > 0.0);
}

size_t formula_number_text(char out[FORMULA_NUMBER_TEXT], double value) {
    return formula_decimal_text(out, value, is_whole(value) ? 0 : decimals_of(fabs(value)));
}

/* "(205.8, -123.5)": both with the decimals of the larger one. */
static void vector_text(vec2 value, int decimals, char *out, size_t size) {
    char x[FORMULA_NUMBER_TEXT], y[FORMULA_NUMBER_TEXT];
    (void)formula_decimal_text(x, (double)value.x, decimals);
    (void)formula_decimal_text(y, (double)value.y, decimals);
    (void)snprintf(out, size, "(%s, %s)", x, y);
}

static int vector_decimals(vec2 value) {
    const double x = fabs((double)value.x), y = fabs((double)value.y);
    return is_whole(x) && is_whole(y) ? 0 : decimals_of(x > y ? x : y);
}

/* ---- what words stand for ---- */

struct worth {
    bool is_there, is_vector;
    vec2 vector;  /* a number: its x */
    int point;    /* index of the place it comes from; -1: none */
    int decimals; /* it has no more */
};

static struct worth number_of(float value) {
    return (struct worth){true, false, {value, 0.0f}, -1, 4};
}
/* One that inspect sends in hundredths. */
static struct worth vector_of(vec2 value) {
    return (struct worth){true, true, value, -1, 2};
}

static bool is_named(const char *name, const char *word, size_t length) {
    return strlen(name) == length && memcmp(name, word, length) == 0;
}

static int find_point(const struct message_agent *agent, const struct message_agent_term *term,
                      const char *what) {
    for (int i = 0; what != NULL && i < agent->point_count; i++) {
        if (strcmp(agent->points[i].behavior, term->behavior) == 0 &&
            strcmp(agent->points[i].what, what) == 0) {
            return i;
        }
    }
    return -1;
}

static struct worth noted(const struct message_agent_term *term, const char *word, size_t length) {
    for (int i = 0; i < term->value_count; i++) {
        const struct message_agent_value *value = &term->values[i];
        if (is_named(value->name, word, length)) {
            return (struct worth){true, value->is_vector, value->vector, -1, 4};
        }
    }
    for (int i = 0; i < term->part_count; i++) {
        if (is_named(term->parts[i].behavior, word, length)) {
            return vector_of(term->parts[i].force);
        }
    }
    return (struct worth){.is_there = false};
}

/* What every term has, and the agent. */
static struct worth common(const struct message_agent *agent, const struct message_agent_term *term,
                           const char *word, size_t length) {
    const struct {
        const char *name;
        struct worth worth;
    } rows[] = {
        {"wants", vector_of(term->wants)},
        {"gets", vector_of(term->gets)},
        {"weight", number_of(term->weight)},
        {"velocity", vector_of(agent->velocity)},
        {"position", vector_of(vec2_make(agent->x, agent->y))},
        {"max_speed", number_of(agent->max_speed)},
        {"max_force", number_of(agent->max_force)},
        {"mass", number_of(agent->mass)},
        {"body_radius", number_of(agent->radius)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (is_named(rows[i].name, word, length)) {
            return rows[i].worth;
        }
    }
    return (struct worth){.is_there = false};
}

static struct worth worth_of(const struct message_agent *agent, const struct message_agent_term *term,
                             const char *word, size_t length) {
    const struct worth own = noted(term, word, length);
    if (own.is_there) {
        return own;
    }
    if (term->has_desired && is_named("desired", word, length)) {
        return vector_of(term->desired);
    }
    if (term->has_desired && is_named("steering", word, length)) {
        return vector_of(vec2_sub(term->desired, agent->velocity));
    }
    const struct formula_word_row *row = formula_word_row_of(word, length);
    const int point = row != NULL ? find_point(agent, term, row->point) : -1;
    if (point >= 0 && strcmp(row->point, row->word.name) == 0) {
        struct worth place = vector_of(vec2_make(agent->points[point].x, agent->points[point].y));
        place.point = point;
        return place;
    }
    return common(agent, term, word, length);
}

/* ---- tokens ---- */

static struct formula_line *add_line(struct formula *out, enum formula_line_kind kind) {
    if (out->line_count == FORMULA_LINES) {
        return NULL;
    }
    struct formula_line *line = &out->lines[out->line_count++];
    line->kind = kind;
    line->token_count = 0;
    return line;
}

static struct formula_token *add_token(struct formula_line *line, const char *text, size_t length) {
    static struct formula_token const plain = {.link = {FORMULA_NO_LINK, -1, -1, -1}};
    if (line == NULL || line->token_count == FORMULA_TOKENS) {
        return NULL;
    }
    struct formula_token *token = &line->tokens[line->token_count++];
    const size_t kept = length < FORMULA_TEXT ? length : FORMULA_TEXT - 1;
    *token = plain;
    memcpy(token->text, text, kept);
    token->text[kept] = '\0';
    return token;
}

static void add_plain(struct formula_line *line, const char *text) {
    (void)add_token(line, text, strlen(text));
}

/* The color and the arrow of a word. */
static void relate(struct formula_token *token, const struct message_agent *agent, int index,
                   const struct formula_word_row *row, const struct worth *worth) {
    const struct message_agent_term *term = &agent->terms[index];
    token->word = row->word.name;
    token->role = row->role;
    token->link = (struct formula_link){row->link, index, -1, -1};
    if (row->link == FORMULA_NO_LINK || row->link == FORMULA_LINK_VELOCITY ||
        row->link == FORMULA_LINK_STEERING) {
        token->link.term = -1;
    }
    if (row->link == FORMULA_LINK_POINT) {
        token->link.term = -1;
        token->link.point = worth->point >= 0 ? worth->point : find_point(agent, term, row->point);
        token->link.kind = token->link.point >= 0 ? FORMULA_LINK_POINT : FORMULA_NO_LINK;
    }
    token->behavior = row->role == FORMULA_BEHAVIOR ? term->type : NULL;
    for (int i = 0; row->link == FORMULA_LINK_PART && i < term->part_count; i++) {
        if (strncmp(row->word.name, term->parts[i].behavior, strlen(term->parts[i].behavior)) == 0) {
            token->link.part = i;
            token->behavior = term->parts[i].behavior;
        }
    }
}

/* decimals: -1: as many as its size asks for. */
static void set_numbers(struct formula_token *token, const struct worth *worth, int decimals) {
    token->number_count = worth->is_vector ? 2 : 1;
    token->numbers[0] = worth->vector.x;
    token->numbers[1] = worth->vector.y;
    if (worth->is_vector) {
        const int fitting = vector_decimals(worth->vector);
        const int most = fitting < worth->decimals ? fitting : worth->decimals;
        const int shown = decimals >= 0 ? decimals : most;
        vector_text(worth->vector, shown, token->text, sizeof token->text);
    } else if (decimals >= 0) {
        (void)formula_decimal_text(token->text, (double)worth->vector.x, decimals);
    } else {
        (void)formula_number_text(token->text, (double)worth->vector.x);
    }
}

/* One token of a template: a word, as itself or as its number. */
static void add_word(struct formula_line *line, const struct message_agent *agent, int index,
                     const char *word, size_t length) {
    const struct worth worth = worth_of(agent, &agent->terms[index], word, length);
    const struct formula_word_row *row = formula_word_row_of(word, length);
    struct formula_token *token = add_token(line, word, length);
    if (token == NULL) {
        return;
    }
    if (row != NULL) {
        relate(token, agent, index, row, &worth);
    }
    if (line->kind != FORMULA_SYMBOLS) {
        set_numbers(token, &worth, -1);
    }
}

/* ---- templates ---- */

/* The next {word} of a text from *at on; false when there is none. *before: what precedes its brace. */
static bool next_word(const char **at, const char **word, size_t *length) {
    const char *open = strchr(*at, '{');
    if (open == NULL) {
        return false;
    }
    const char *close = strchr(open, '}');
    assert(close != NULL);
    *word = open + 1;
    *length = (size_t)(close - open) - 1;
    *at = close + 1;
    return true;
}

static bool stands(const struct message_agent *agent, const struct message_agent_term *term,
                   const struct formula_template *line) {
    if (line->when != NULL) {
        const bool is_not = line->when[0] == '!';
        const char *word = line->when + (is_not ? 1 : 0);
        if (worth_of(agent, term, word, strlen(word)).is_there == is_not) {
            return false;
        }
    }
    const char *at = line->text, *word;
    size_t length;
    while (next_word(&at, &word, &length)) {
        if (!worth_of(agent, term, word, length).is_there) {
            return false;
        }
    }
    return true;
}

static void add_template(const struct message_agent *agent, int index, const char *text,
                         enum formula_line_kind kind, struct formula *out) {
    struct formula_line *line = add_line(out, kind);
    const char *at = text, *word;
    size_t length;
    for (const char *from = text; line != NULL; from = at) {
        const bool has_word = next_word(&at, &word, &length);
        const size_t before = has_word ? (size_t)(word - 1 - from) : strlen(from);
        if (before > 0) {
            (void)add_token(line, from, before);
        }
        if (!has_word) {
            return;
        }
        add_word(line, agent, index, word, length);
    }
}

static bool is_equation(const char *text) {
    return strstr(text, " = ") != NULL;
}

void formula_of_term(const struct message_agent *agent, int term, struct formula *out) {
    assert(term >= 0 && term < agent->term_count);
    const struct message_agent_term *of = &agent->terms[term];
    const struct formula_row *row = formula_row_of(of->type);
    out->line_count = 0;
    for (const struct formula_template *line = row->lines; line->text != NULL; line++) {
        if (!stands(agent, of, line)) {
            continue;
        }
        if (is_equation(line->text)) {
            add_template(agent, term, line->text, FORMULA_SYMBOLS, out);
            add_template(agent, term, line->text, FORMULA_NUMBERS, out);
        } else {
            add_template(agent, term, line->text, FORMULA_NOTE, out);
        }
    }
    if (out->line_count == 0) {
        add_plain(add_line(out, FORMULA_NOTE), "no force now");
    }
}

/* ---- the sum ---- */

/* As many decimals as the sum of forces of this size deserves. */
static int force_decimals(const struct message_agent *agent) {
    return agent->max_force >= 100.0f ? 1 : 2;
}

/* From hundredths, as a text has it: halves away from zero. */
static double rounded(double value, int decimals) {
    const double hundredths = rint(100.0 * fabs(value));
    const double units = decimals == 1 ? floor(hundredths / 10.0 + 0.5) / 10.0 : hundredths / 100.0;
    return copysign(units, value);
}

/* What the terms get, rounded so that they add up to the rounded net force: each is the difference between the
 * rounded sums with and without it. */
static void share_out(const struct message_agent *agent, vec2 gets[MESSAGE_AGENT_TERMS]) {
    const int decimals = force_decimals(agent);
    double x = 0.0, y = 0.0, shown_x = 0.0, shown_y = 0.0;
    for (int i = 0; i < agent->term_count; i++) {
        /* Sums of hundredths: without the rounding of floats. */
        x = rint(100.0 * (x + (double)agent->terms[i].gets.x)) / 100.0;
        y = rint(100.0 * (y + (double)agent->terms[i].gets.y)) / 100.0;
        const double next_x = rounded(x, decimals), next_y = rounded(y, decimals);
        gets[i] = vec2_make((float)(next_x - shown_x), (float)(next_y - shown_y));
        shown_x = next_x;
        shown_y = next_y;
    }
}

static struct formula_token *add_number(struct formula_line *line, struct worth worth, int decimals) {
    struct formula_token *token = add_token(line, "", 0);
    if (token != NULL) {
        set_numbers(token, &worth, decimals);
    }
    return token;
}

static struct formula_token *add_length(struct formula_line *line, vec2 vector) {
    return add_number(line, number_of(vec2_length(vector)), -1);
}

static void color_term(struct formula_token *token, const struct message_agent *agent, int term) {
    if (token != NULL) {
        token->role = FORMULA_BEHAVIOR;
        token->behavior = agent->terms[term].type;
        token->link = (struct formula_link){FORMULA_LINK_TERM, term, -1, -1};
    }
}

bool formula_gets_all(const struct message_agent_term *term) {
    const float off = vec2_length(vec2_sub(term->wants, term->gets));
    return off <= 0.03f + 1e-4f * vec2_length(term->wants);
}

/* "seek wants 14 400, gets 360: (308.7, -185.2)", "seek wants 20, gets all of it: (20, 0)" */
static void add_summand(const struct message_agent *agent, int term, vec2 gets, struct formula *out) {
    struct formula_line *line = add_line(out, FORMULA_SUMMAND);
    const struct message_agent_term *of = &agent->terms[term];
    color_term(add_token(line, of->behavior, strlen(of->behavior)), agent, term);
    add_plain(line, " wants ");
    color_term(add_length(line, of->wants), agent, term);
    if (!formula_gets_all(of)) {
        add_plain(line, ", gets ");
        color_term(add_length(line, of->gets), agent, term);
    } else if (vec2_length_squared(of->wants) > 0.0f) {
        add_plain(line, ", gets all of it");
    }
    add_plain(line, ": ");
    color_term(add_number(line, vector_of(gets), force_decimals(agent)), agent, term);
}

/* ---- what became of the wishes ---- */

static bool is_named_type(const struct message_agent_term *term, const char *type) {
    return strcmp(term->type, type) == 0;
}

/* What the behaviors of a tier want together, from term *at on; *at becomes the first term of the next one. */
static vec2 tier_wants(const struct message_agent *agent, int *at) {
    const int tier = agent->terms[*at].tier;
    vec2 sum = {0.0f, 0.0f};
    for (; *at < agent->term_count && agent->terms[*at].tier == tier; ++*at) {
        sum = vec2_add(sum, agent->terms[*at].wants);
    }
    return sum;
}

/* "tier 0 wants 210, takes 210 of 360; left for tier 1: 150" for each tier, when there are several. Returns the
 * force that the tiers come to. */
static vec2 add_tiers(const struct message_agent *agent, struct formula *out) {
    vec2 taken = {0.0f, 0.0f};
    for (int at = 0; at < agent->term_count && agent->terms[at].tier != MESSAGE_AGENT_NO_TIER;) {
        const int tier = agent->terms[at].tier;
        const float room = agent->max_force - vec2_length(taken);
        const float before = room > 0.0f ? room : 0.0f;
        const bool is_first = at == 0;
        const vec2 wants = tier_wants(agent, &at);
        const bool has_next = at < agent->term_count && agent->terms[at].tier != MESSAGE_AGENT_NO_TIER;
        if (is_first && !has_next) {
            return wants; /* a single tier is truncated at the end */
        }
        const vec2 gets = vec2_truncate(wants, before);
        struct formula_line *line = add_line(out, FORMULA_NOTE);
        taken = vec2_add(taken, gets);
        add_plain(line, "tier ");
        (void)add_number(line, number_of((float)tier), 0);
        add_plain(line, " wants ");
        (void)add_length(line, wants);
        add_plain(line, ", takes ");
        (void)add_length(line, gets);
        add_plain(line, " of ");
        (void)add_number(line, number_of(before), -1);
        if (has_next) {
            const float left = agent->max_force - vec2_length(taken);
            add_plain(line, "; left for tier ");
            (void)add_number(line, number_of((float)agent->terms[at].tier), 0);
            add_plain(line, ": ");
            (void)add_number(line, number_of(left > 0.0f ? left : 0.0f), -1);
        }
    }
    return taken;
}

/* The terms beside the tiers: containment takes what it needs first, a velocity filter replaces the rest. */
static bool add_others(const struct message_agent *agent, struct formula *out) {
    bool has_others = false;
    for (int i = 0; i < agent->term_count; i++) {
        const struct message_agent_term *term = &agent->terms[i];
        if (term->tier != MESSAGE_AGENT_NO_TIER || !(vec2_length_squared(term->wants) > 0.0f)) {
            continue;
        }
        struct formula_line *line = add_line(out, FORMULA_NOTE);
        const bool is_edge = is_named_type(term, "containment");
        has_others = true;
        color_term(add_token(line, term->behavior, strlen(term->behavior)), agent, i);
        add_plain(line,
                  is_edge ? " comes first; left for the others: " : " replaces what the others got, by ");
        if (is_edge) {
            const float left = agent->max_force - vec2_length(term->wants);
            (void)add_number(line, number_of(left > 0.0f ? left : 0.0f), -1);
        } else {
            (void)add_number(line, number_of(rintf(100.0f * term->weight)), 0);
            add_plain(line, " %");
        }
    }
    return has_others;
}

/* "truncate: together 12 600, max_force allows 360" */
static void add_truncation(const struct message_agent *agent, vec2 together, struct formula *out) {
    const bool is_constant = strcmp(agent->locomotion, "constant_speed") == 0;
    if (strcmp(agent->locomotion, "direct") == 0) {
        add_plain(add_line(out, FORMULA_NOTE),
                  "direct: the velocity becomes the desired one, whatever the force");
        return;
    }
    if (strcmp(agent->locomotion, "wheeled") == 0) {
        add_plain(add_line(out, FORMULA_NOTE),
                  "wheeled: its speed becomes the desired one as fast as max_force allows;");
        add_plain(add_line(out, FORMULA_NOTE),
                  "the wheels turn it towards the desired velocity, by speed / turn_radius a second");
        return;
    }
    if (is_constant || vec2_length(together) > 1.0001f * agent->max_force) {
        struct formula_line *line = add_line(out, FORMULA_NOTE);
        add_plain(line, is_constant ? "constant_speed: together " : "truncate: together ");
        (void)add_length(line, together);
        add_plain(line, is_constant ? ", scaled to max_force " : ", max_force allows ");
        (void)add_number(line, number_of(agent->max_force), -1);
    }
}

static bool has_value(const struct message_agent_term *term, const char *name) {
    return noted(term, name, strlen(name)).is_there;
}

/* Why a term gets more than it wants, or more than max_force. */
static void add_excess(const struct message_agent *agent, struct formula *out) {
    const bool is_scaled = strcmp(agent->locomotion, "constant_speed") == 0; /* add_truncation says it */
    for (int i = 0; i < agent->term_count; i++) {
        const struct message_agent_term *term = &agent->terms[i];
        const float gets = vec2_length(term->gets);
        const bool is_more = gets > vec2_length(term->wants) && !formula_gets_all(term);
        const char *why = is_more && has_value(term, "probability")
                              ? " is asked seldom: its force is divided by its probability"
                          : !is_scaled && gets > 1.001f * agent->max_force
                              ? " gets more than max_force: others push against it, only the sum is truncated"
                              : NULL;
        if (why != NULL) {
            struct formula_line *line = add_line(out, FORMULA_NOTE);
            color_term(add_token(line, term->behavior, strlen(term->behavior)), agent, i);
            add_plain(line, why);
        }
    }
}

/* ---- the net force ---- */

static void color_steering(struct formula_token *token) {
    if (token != NULL) {
        token->role = FORMULA_STEERING;
        token->word = "net_force";
        token->link = (struct formula_link){FORMULA_LINK_STEERING, -1, -1, -1};
    }
}

static void add_total(const struct message_agent *agent, struct formula *out) {
    struct formula_line *line = add_line(out, FORMULA_TOTAL);
    color_steering(add_token(line, "net force", 9));
    add_plain(line, " = ");
    const int decimals = force_decimals(agent);
    const vec2 net = vec2_make((float)rounded((double)agent->steering.x, decimals),
                               (float)rounded((double)agent->steering.y, decimals));
    color_steering(add_number(line, vector_of(net), decimals));
    if (agent->mass > 0.0f) {
        line = add_line(out, FORMULA_TOTAL);
        add_plain(line, "acceleration = net force / mass = ");
        color_steering(add_number(line, vector_of(agent->steering), -1));
        add_plain(line, " / ");
        (void)add_number(line, number_of(agent->mass), -1);
        add_plain(line, " = ");
        (void)add_number(line, vector_of(vec2_scale(agent->steering, 1.0f / agent->mass)), -1);
        add_plain(line, " px/s²");
    }
}

void formula_of_sum(const struct message_agent *agent, struct formula *out) {
    vec2 gets[MESSAGE_AGENT_TERMS];
    out->line_count = 0;
    share_out(agent, gets);
    for (int i = 0; i < agent->term_count; i++) {
        add_summand(agent, i, gets[i], out);
    }
    const vec2 together = add_tiers(agent, out);
    if (!add_others(agent, out)) {
        add_truncation(agent, together, out);
    }
    add_excess(agent, out);
    add_total(agent, out);
}

/* ---- the rest ---- */

const struct formula_word *formula_word_of(const char *name) {
    const struct formula_word_row *row = formula_word_row_of(name, strlen(name));
    return row != NULL ? &row->word : NULL;
}

void formula_line_text(const struct formula_line *line, char *out, size_t size) {
    size_t used = 0;
    assert(size > 0);
    for (int i = 0; i < line->token_count; i++) {
        const size_t length = strlen(line->tokens[i].text);
        const size_t kept = length < size - 1 - used ? length : size - 1 - used;
        memcpy(out + used, line->tokens[i].text, kept);
        used += kept;
    }
    out[used] = '\0';
}

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
