/* Words about agents and parameters: cards, units, formulas. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/formula.h"
#include "viewer/explain/param_list.h"
#include "viewer/explain/texts.h"

/* ==== The equations as text: a heading for each behavior, its formula, the sum ==== */

static void each_behavior_has_its_lines(void **state) {
    static struct message_agent agent = {
        .id = 7, .kind = "bird", .state = "rest", .mass = 1, .max_force = 360};
    agent.term_count = 1;
    agent.terms[0] = (struct message_agent_term){
        .behavior = "seek2", .type = "seek", .weight = 1, .wants = {30, 40}, .gets = {30, 40}};
    agent.steering = vec2_make(30, 40);
    char *words = agent_text(&agent);
    assert_non_null(words);
    assert_int_equal(strncmp(words, "Agent 7 (bird), rest\nseek2\n", 27), 0);
    assert_non_null(strstr(words, "\nsum\n"));
    assert_non_null(strstr(words, "net force = (30"));
    free(words);
}

/* ==== The card of a world: its texts, and the keys that follow from what it has ==== */

/* The words of this key that hold `part`; NULL for none. */
static const char *words_of(const struct explain_card *card, const char *key, const char *part) {
    for (int i = 0; i < card->key_count; i++) {
        if (strcmp(card->keys[i].key, key) == 0 && strstr(card->keys[i].words, part) != NULL) {
            return card->keys[i].words;
        }
    }
    return NULL;
}

static void keys_follow_from_the_world(void **state) {
    struct message_scenario *scenario = calloc(1, sizeof *scenario);
    struct explain_card card;
    assert_non_null(scenario);
    (void)snprintf(scenario->name, sizeof scenario->name, "flock");
    explain_fill_card(scenario, false, &card);
    assert_string_equal(card.title, "flock");
    assert_null(words_of(&card, "Mouse", ""));
    assert_non_null(words_of(&card, "K", "sliders"));
    scenario->target_count = 3;
    (void)snprintf(scenario->targets[0], sizeof scenario->targets[0], "mouse");
    (void)snprintf(scenario->targets[1], sizeof scenario->targets[1], "door");
    (void)snprintf(scenario->targets[2], sizeof scenario->targets[2], "exit");
    scenario->view = (struct message_view){
        .has = MESSAGE_VIEW_OVERLAYS | MESSAGE_VIEW_TRAILS, .trails = true, .overlay_count = 2};
    (void)snprintf(scenario->view.overlays[0], sizeof scenario->view.overlays[0], "radii");
    (void)snprintf(scenario->view.overlays[1], sizeof scenario->view.overlays[1], "halos");
    scenario->kind_count = 1;
    scenario->kinds[0].count = 100000;
    explain_fill_card(scenario, false, &card);
    assert_non_null(words_of(&card, "Mouse", "move the target"));
    assert_string_equal(words_of(&card, "Drag", ""), "move the targets door, exit");
    assert_non_null(words_of(&card, "R", "radii"));
    assert_non_null(words_of(&card, "T", "trails"));
    assert_null(words_of(&card, "V", ""));
    assert_non_null(words_of(&card, "Wheel", "single agents"));
    explain_fill_card(scenario, true, &card); /* a recording takes no requests */
    assert_null(words_of(&card, "Mouse", ""));
    assert_null(words_of(&card, "Drag", ""));
    free(scenario);
}

static void a_caption_is_a_sentence(void **state) {
    struct message_scenario *scenario = calloc(1, sizeof *scenario);
    char text[200];
    assert_non_null(scenario);
    explain_fill_caption(scenario, text, sizeof text);
    assert_string_equal(text, "");
    (void)snprintf(scenario->description, sizeof scenario->description, "No full stop");
    explain_fill_caption(scenario, text, sizeof text);
    assert_string_equal(text, "No full stop");
    (void)snprintf(scenario->description, sizeof scenario->description, "One. Two.");
    explain_fill_caption(scenario, text, sizeof text);
    assert_string_equal(text, "One.");
    (void)snprintf(scenario->about.caption, sizeof scenario->about.caption, "Its own.");
    explain_fill_caption(scenario, text, sizeof text);
    assert_string_equal(text, "Its own.");
    free(scenario);
}

/* ==== Numbers and units as a person reads them ==== */

static void whole_numbers_have_their_thousands_apart(void **state) {
    char words[27];
    assert_int_equal(units_format_whole(0, words, sizeof words), 1);
    assert_string_equal(words, "0");
    (void)units_format_whole(123456, words, sizeof words);
    assert_string_equal(words, "123 456");
    assert_int_equal(units_format_whole(4210, words, sizeof words), 5);
    assert_string_equal(words, "4 210");
    assert_int_equal(units_format_whole(UINT64_MAX, words, sizeof words), 26);
    assert_string_equal(words, "18 446 744 073 709 551 615");
}

static void numbers_have_their_thousands_apart(void **state) {
    const struct {
        double value;
        const char *words;
    } rows[] = {{0.0, "0"},     {12600.0, "12 600"}, {-1234567.5, "-1 234 567.5"},   {0.35, "0.35"},
                {-0.0001, "0"}, {999.9996, "1 000"}, {1e15, "1 000 000 000 000 000"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char words[32];
        units_format_number(rows[i].value, words, sizeof words);
        assert_string_equal(words, rows[i].words);
    }
}

static void no_unit_stands_where_it_says_nothing(void **state) {
    char words[UNITS_TEXT];
    const struct message_param speed = {.unit = "px/s", .max = 20000}, mass = {.unit = "mass", .max = 100},
                               turn = {.unit = "deg/s", .max = 86400};
    units_format_param(&speed, 240, words);
    assert_string_equal(words, "240 px/s");
    units_format_param(&mass, 1, words);
    assert_string_equal(words, "1");
    units_format_param(&turn, 180, words);
    assert_string_equal(words, "180 deg/s");
    units_format_param(&turn, 86400, words);
    assert_string_equal(words, "no limit");
    assert_string_equal(units_in_words("mass*px/s^2"), "mass × px/s²");
    assert_string_equal(units_beside("mass*px/s^2"), "");
}

/* ==== The order of the sliders, their folds, their filter ==== */

static const struct message_param params[] = {
    {.kind = "bird", .param = "mass"},
    {.kind = "bird", .param = "flee/flee.weight"},
    {.kind = "bird", .param = "flee/flock.weight"},
    {.kind = "bird", .param = "rest/flock.weight"},
    {.kind = "bird", .param = "rest/flock.cohesion_weight"},
    {.kind = "stone", .param = "seek.weight"},
};
enum { COUNT = sizeof params / sizeof params[0] };

static void names_are_taken_apart(void **state) {
    const struct param_name name = param_name_of("flee/flock2.weight");
    assert_string_equal(name.state, "flee");
    assert_string_equal(name.behavior, "flock2");
    assert_string_equal(name.name, "weight");
    const struct param_name body = param_name_of("max_speed");
    assert_string_equal(body.state, "");
    assert_string_equal(body.behavior, "");
    assert_string_equal(body.name, "max_speed");
}

static void the_state_comes_after_the_body(void **state) {
    struct param_list list;
    param_list_fill(params, COUNT, "bird", "rest", "", &list);
    const int order[] = {0, 3, 4, 1, 2};
    const bool is_first[] = {true, true, false, true, true}, is_now[] = {true, true, true, false, false};
    assert_int_equal(list.count, 5);
    for (int i = 0; i < list.count; i++) {
        assert_int_equal(list.rows[i].index, order[i]);
        assert_int_equal(list.rows[i].is_first, is_first[i]);
        assert_int_equal(list.rows[i].is_now, is_now[i]);
    }
}

static void a_filter_keeps_what_holds_all_its_words(void **state) {
    struct param_list list;
    param_list_fill(params, COUNT, "bird", "", "FLOCK coh", &list);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.rows[0].index, 4);
    param_list_fill(params, COUNT, "bird", "", "nothing", &list);
    assert_int_equal(list.count, 0);
}

static void a_weight_is_found_by_state_and_behavior(void **state) {
    assert_int_equal(param_list_weight(params, COUNT, "bird", "rest", "flock"), 3);
    assert_int_equal(param_list_weight(params, COUNT, "bird", "flee", "flock"), 2);
    assert_int_equal(param_list_weight(params, COUNT, "stone", "whatever", "seek"), 5);
    assert_int_equal(param_list_weight(params, COUNT, "bird", "rest", "flee"), -1);
}

static void a_track_ends_at_four_times_the_first_value_and_within_what_is_allowed(void **state) {
    struct message_param param = {.param = "max_speed", .value = 50, .min = 0, .max = 1000, .unit = "px/s"};
    assert_float_equal(param_track_end(&param, 100), 400, 0);
    param.value = 700; /* typed: the track reaches as far */
    assert_float_equal(param_track_end(&param, 100), 700, 0);
    assert_float_equal(param_track_end(&param, 900), 1000, 0);
    param.value = 0;
    assert_float_equal(param_track_end(&param, 0), 100, 0);
    assert_float_equal(param_rounded(237.4183, 400), 237, 1e-9);
    assert_float_equal(param_rounded(0.37418, 1.2), 0.37, 1e-9);
    char range[PARAM_RANGE_TEXT];
    param_range_text(&param, 100, range);
    assert_string_equal(range, "0 to 1 000 px/s; it was 100 px/s");
}

static void a_weight_of_0_without_a_term_is_muted(void **state) {
    static struct message_agent agent = {.kind = "bird", .state = "calm"};
    struct message_param param = {.kind = "bird", .param = "calm/flee.weight", .value = 0};
    assert_true(param_list_is_muted(&param, &agent));
    param.value = 1;
    assert_false(param_list_is_muted(&param, &agent));
    param = (struct message_param){.kind = "bird", .param = "afraid/flee.weight"};
    assert_false(param_list_is_muted(&param, &agent));
    param = (struct message_param){.kind = "bird", .param = "flee.weight"};
    assert_true(param_list_is_muted(&param, &agent));
    agent.term_count = 1;
    memcpy(agent.terms[0].behavior, "flee", sizeof "flee");
    assert_false(param_list_is_muted(&param, &agent));
}

/* ==== formula.c: from an agent of inspect to lines of words and numbers ==== */

static void copy_text(char *out, const char *text) {
    memcpy(out, text, strlen(text) + 1);
}

static struct message_agent_term *add_term(struct message_agent *agent, const char *type) {
    struct message_agent_term *term = &agent->terms[agent->term_count++];
    copy_text(term->behavior, type);
    copy_text(term->type, type);
    term->weight = 1.0f;
    return term;
}

static void add_value(struct message_agent_term *term, const char *name, bool is_vector, vec2 vector) {
    struct message_agent_value *value = &term->values[term->value_count++];
    copy_text(value->name, name);
    value->is_vector = is_vector;
    value->vector = vector;
}

static struct message_agent seeker(void) {
    struct message_agent agent = {.id = 1, .x = 400, .y = 240, .mass = 1, .radius = 10};
    agent.max_speed = 240;
    agent.max_force = 360;
    agent.steering = vec2_make(308.7f, -185.22f);
    struct message_agent_term *term = add_term(&agent, "seek");
    term->has_desired = true;
    term->desired = vec2_make(205.8f, -123.48f);
    term->wants = vec2_make(12347.9f, -7408.74f);
    term->gets = agent.steering;
    add_value(term, "offset", true, vec2_make(200, -120));
    add_value(term, "rate", false, vec2_make(60, 0));
    copy_text(agent.points[0].behavior, "seek");
    copy_text(agent.points[0].what, "target");
    agent.points[0].x = 600;
    agent.points[0].y = 120;
    agent.point_count = 1;
    return agent;
}

static void assert_line(const struct formula *formula, int index, const char *expected) {
    char text[512];
    assert_true(index < formula->line_count);
    formula_line_text(&formula->lines[index], text, sizeof text);
    assert_string_equal(text, expected);
}

static bool is_same_link(struct formula_link a, struct formula_link b) {
    return a.kind != FORMULA_NO_LINK && a.kind == b.kind && a.term == b.term && a.part == b.part &&
           a.point == b.point;
}

static void words_then_numbers(void **state) {
    const struct message_agent agent = seeker();
    static struct formula formula;
    formula_of_term(&agent, 0, &formula);
    assert_line(&formula, 0, "offset = target - position");
    assert_line(&formula, 1, "(200, -120) = (600, 120) - (400, 240)");
    assert_line(&formula, 2, "desired = norm(offset) · max_speed");
    assert_line(&formula, 3, "(205.8, -123.5) = norm((200, -120)) · 240");
    assert_line(&formula, 4, "steering = desired - velocity");
    assert_line(&formula, 5, "(205.8, -123.5) = (205.8, -123.5) - (0, 0)");
    assert_line(&formula, 6, "wants = weight · rate · steering");
    assert_line(&formula, 7, "(12 348, -7 409) = 1 · 60 · (205.8, -123.5)");
    assert_int_equal(formula.line_count, 8);
    assert_int_equal(formula.lines[2].kind, FORMULA_SYMBOLS);
    assert_int_equal(formula.lines[3].kind, FORMULA_NUMBERS);
    const struct formula_token *offset = &formula.lines[3].tokens[2];
    assert_int_equal(offset->role, FORMULA_TARGET);
    assert_int_equal(offset->link.kind, FORMULA_LINK_POINT);
    assert_int_equal(offset->link.point, 0);
    assert_true(is_same_link(offset->link, formula.lines[0].tokens[2].link));
    assert_string_equal(formula_word_of(offset->word)->unit, "px");
}

/* No line is for nothing, and no word is one that nothing explains. */
static void a_course_is_the_velocity(void **state) {
    struct message_agent agent = seeker();
    static struct formula formula;
    agent.velocity = vec2_make(3, -4);
    agent.terms[0].desired = vec2_make(144, -192);
    add_value(&agent.terms[0], "course", true, agent.velocity);
    formula_of_term(&agent, 0, &formula);
    assert_line(&formula, 0, "the velocity leads there already: its direction stays");
    assert_line(&formula, 1, "desired = norm(velocity) · max_speed");
    assert_line(&formula, 2, "(144, -192) = norm((3, -4)) · 240");
    assert_line(&formula, 3, "steering = desired - velocity");
}

static void the_sum(void **state) {
    const struct message_agent agent = seeker();
    static struct formula formula;
    formula_of_sum(&agent, &formula);
    assert_line(&formula, 0, "seek wants 14 400, gets 360.0: (308.7, -185.2)");
    assert_line(&formula, 1, "truncate: together 14 400, max_force allows 360");
    const int total = formula.line_count - 2;
    assert_line(&formula, total, "net force = (308.7, -185.2)");
    assert_line(&formula, total + 1,
                "acceleration = net force / mass = (308.7, -185.2) / 1 = (308.7, -185.2) px/s²");
}

/* Each word of a template has a row, with a unit and a sentence; nothing between words is cut off. */
static void rows_are_whole(void **state) {
    for (const struct formula_row *row = formula_rows; row->type != NULL; row++) {
        int count = 0;
        for (; row->lines[count].text != NULL; count++) {
            assert_true(count + 1 < FORMULA_TEMPLATES);
            for (const char *at = row->lines[count].text; *at != '\0';) {
                const bool is_word = *at == '{';
                const size_t length = strcspn(at, is_word ? "}" : "{");
                const struct formula_word_row *word =
                    is_word ? formula_word_row_of(at + 1, length - 1) : NULL;
                assert_true(is_word ? word != NULL : length < FORMULA_TEXT);
                assert_true(word == NULL ||
                            (word->word.unit != NULL && strchr(word->word.help, '.') != NULL));
                at += length + (is_word ? 1 : 0);
            }
        }
        assert_true(count > 0);
    }
    assert_null(formula_word_of("nothing"));
}

static void tiers_and_filters(void **state) {
    struct message_agent agent = {.id = 1, .mass = 2, .max_force = 360};
    static struct formula formula;
    agent.steering = vec2_make(210, 150);
    struct message_agent_term *first = add_term(&agent, "separation"), *second = add_term(&agent, "seek");
    first->wants = first->gets = vec2_make(210, 0);
    second->tier = 1;
    second->wants = vec2_make(0, 12600);
    second->gets = vec2_make(0, 150);
    formula_of_sum(&agent, &formula);
    assert_line(&formula, 0, "separation wants 210, gets all of it: (210.0, 0.0)");
    assert_line(&formula, 1, "seek wants 12 600, gets 150: (0.0, 150.0)");
    assert_line(&formula, 2, "tier 0 wants 210, takes 210 of 360; left for tier 1: 150");
    assert_line(&formula, 3, "tier 1 wants 12 600, takes 150 of 150");
    assert_line(&formula, 4, "net force = (210.0, 150.0)");
    assert_line(&formula, 5, "acceleration = net force / mass = (210, 150) / 2 = (105, 75) px/s²");
    struct message_agent_term *filter = add_term(&agent, "orca");
    filter->tier = MESSAGE_AGENT_NO_TIER;
    filter->wants = filter->gets = agent.steering;
    first->gets = second->gets = vec2_make(0, 0);
    formula_of_sum(&agent, &formula);
    assert_line(&formula, 5, "orca replaces what the others got, by 100 %");
    assert_line(&formula, 6, "net force = (210.0, 150.0)");
    copy_text(filter->type, "containment");
    formula_of_sum(&agent, &formula);
    assert_line(&formula, 5, "orca comes first; left for the others: 101.9");
}

/* Three directions that do not fit in one decimal add up in the text nevertheless. */
static void shown_digits_add_up(void **state) {
    struct message_agent agent = {.id = 1, .mass = 1, .max_force = 360};
    static struct formula formula;
    agent.steering = vec2_make(0.12f, -0.12f);
    for (int i = 0; i < 3; i++) {
        struct message_agent_term *term = add_term(&agent, "wander");
        term->wants = term->gets = vec2_make(0.04f, -0.04f);
    }
    formula_of_sum(&agent, &formula);
    assert_line(&formula, 0, "wander wants 0.0566, gets all of it: (0.0, 0.0)");
    assert_line(&formula, 1, "wander wants 0.0566, gets all of it: (0.1, -0.1)");
    assert_line(&formula, 2, "wander wants 0.0566, gets all of it: (0.0, 0.0)");
    assert_line(&formula, 3, "net force = (0.1, -0.1)");
}

static void parts_have_the_colors_of_their_rules(void **state) {
    struct message_agent agent = {.id = 1, .mass = 1, .max_force = 220, .max_speed = 130};
    static struct formula formula;
    struct message_agent_term *term = add_term(&agent, "flock");
    static const char *const names[] = {"separation", "alignment", "cohesion"};
    term->part_count = 3;
    for (int i = 0; i < 3; i++) {
        copy_text(term->parts[i].behavior, names[i]);
        term->parts[i].force = vec2_make((float)i, 5);
    }
    term->wants = vec2_make(3, 15);
    formula_of_term(&agent, 0, &formula);
    assert_line(&formula, 0, "wants = separation + alignment + cohesion");
    assert_line(&formula, 1, "(3, 15) = (0, 5) + (1, 5) + (2, 5)");
    for (int i = 0; i < 3; i++) {
        const struct formula_token *token = &formula.lines[1].tokens[2 + 2 * i];
        assert_int_equal(token->role, FORMULA_BEHAVIOR);
        assert_string_equal(token->behavior, names[i]);
        assert_int_equal(token->link.kind, FORMULA_LINK_PART);
        assert_int_equal(token->link.part, i);
    }
}

/* Two that push against each other: each may get more than max_force. */
static void more_than_max_force(void **state) {
    struct message_agent agent = {.id = 1, .mass = 1, .max_force = 150};
    static struct formula formula;
    struct message_agent_term *seek = add_term(&agent, "seek"), *flee = add_term(&agent, "flee");
    seek->wants = vec2_make(306, 0);
    seek->gets = vec2_make(153, 0);
    flee->wants = vec2_make(-6, 0.02f);
    flee->gets = vec2_make(-3, 0.01f);
    agent.steering = vec2_make(150, 0.01f);
    formula_of_sum(&agent, &formula);
    assert_line(&formula, 0, "seek wants 306, gets 153: (153.0, 0.0)");
    assert_line(&formula, 2, "truncate: together 300, max_force allows 150");
    assert_line(&formula, 3,
                "seek gets more than max_force: others push against it, only the sum is truncated");
    flee->gets = vec2_make(-6.01f, 0.02f);
    assert_true(formula_gets_all(flee)); /* hundredths came */
}

/* One behavior's triangle has the numbers of its formula, whatever the other behaviors add to the net force. */
static void the_triangle_is_of_one_behavior(void **state) {
    struct message_agent agent = seeker();
    agent.velocity = vec2_make(100, 0);
    struct message_agent_term *flee = add_term(&agent, "flee"), *flock = add_term(&agent, "flock");
    flee->has_desired = flock->has_desired = true;
    flee->desired = vec2_make(-240, 0);
    flee->gets = vec2_make(-20, 0);
    flock->gets = vec2_make(900, 0);
    struct formula_figure figure = formula_figure_of(&agent, -1);
    assert_int_equal(figure.kind, FORMULA_TRIANGLE);
    assert_int_equal(figure.term, 0); /* the strongest that matches a velocity */
    figure = formula_figure_of(&agent, 1);
    assert_int_equal(figure.term, 1); /* the one that is pointed at */
    assert_int_equal(figure.arrow_count, 3);
    assert_float_equal(figure.arrows[2].to.x - figure.arrows[2].from.x, -340.0f, 1e-3);
    assert_string_equal(figure.arrows[2].label, "steering");
    assert_float_equal(figure.longest, 340.0f, 1e-3);
    assert_float_equal(figure.bar, 200.0f, 1e-3);
    assert_int_equal(formula_figure_of(&agent, 2).term, 0); /* flock has no steering */
}

static void forces_without_a_triangle_are_added(void **state) {
    struct message_agent agent = {.id = 1, .mass = 1, .max_force = 220, .max_speed = 130};
    assert_int_equal(formula_figure_of(&agent, -1).kind, FORMULA_NO_FIGURE);
    struct message_agent_term *flock = add_term(&agent, "flock"), *wander = add_term(&agent, "wander");
    flock->has_desired = true;
    flock->gets = vec2_make(3, 0);
    wander->gets = vec2_make(0, 4);
    agent.steering = vec2_make(3, 4);
    const struct formula_figure figure = formula_figure_of(&agent, 1);
    assert_int_equal(figure.kind, FORMULA_SUM);
    assert_int_equal(figure.arrow_count, 3);
    assert_float_equal(figure.arrows[1].from.x, 3.0f, 1e-6);
    assert_string_equal(figure.arrows[1].behavior, "wander");
    assert_int_equal(figure.arrows[2].link.kind, FORMULA_LINK_STEERING);
    assert_float_equal(figure.arrows[2].to.y, 4.0f, 1e-6);
    assert_float_equal(figure.high.y, 4.0f, 1e-6);
    assert_float_equal(figure.bar, 5.0f, 1e-3);
}

static void a_type_of_a_newer_server(void **state) {
    struct message_agent agent = {.id = 1, .mass = 1, .max_force = 220};
    static struct formula formula;
    (void)add_term(&agent, "teleport");
    formula_of_term(&agent, 0, &formula);
    assert_line(&formula, 0, "no force now");
}

static void numbers(void **state) {
    const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},         {-0.00001, "0.0000"},     {12600, "12 600"},
                {308.7, "308.7"}, {-12.345, "-12.35"},      {0.34821, "0.3482"},
                {-2, "-2"},       {1234567.8, "1 234 568"}, {1e300, "1 000 000 000 000"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[FORMULA_NUMBER_TEXT];
        assert_int_equal(formula_number_text(text, rows[i].value), strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

/* ==== How equations look: words, colors, what lights up together ==== */

static void words_beside_a_behavior_say_what_it_gets(void **state) {
    struct message_agent_term term = {.behavior = "seek", .wants = {3000, 4000}, .gets = {3000, 4000}};
    char words[FORMULA_TERM_WORDS];
    formula_term_words(&term, false, words);
    assert_string_equal(words, "5 000");
    term.gets = vec2_make(30, 40);
    formula_term_words(&term, false, words);
    assert_string_equal(words, "wants 5 000, gets 50");
    formula_term_words(&term, true, words);
    assert_string_equal(words, "muted");
}

static void a_link_lights_its_arrow_and_no_other(void **state) {
    const struct lit part = formula_lit((struct formula_link){FORMULA_LINK_PART, 1, 2, -1});
    assert_int_equal(part.what, LIT_PART);
    assert_true(formula_is_lit(part, part));
    assert_false(formula_is_lit(part, formula_lit((struct formula_link){FORMULA_LINK_PART, 1, 0, -1})));
    assert_false(formula_is_lit(part, formula_lit((struct formula_link){FORMULA_LINK_TERM, 1, -1, -1})));
    /* the agent's own desired velocity belongs to that of every behavior */
    assert_true(formula_is_lit((struct lit){LIT_DESIRED, -1, -1, -1}, (struct lit){LIT_DESIRED, 3, -1, -1}));
    const struct lit nothing = formula_lit((struct formula_link){FORMULA_NO_LINK, -1, -1, -1});
    assert_false(formula_is_lit(nothing, nothing));
}

static void the_longest_bar_is_that_of_the_strongest_wish(void **state) {
    static struct message_agent agent;
    assert_true(formula_most_wanted(&agent) > 0.0f);
    agent.term_count = 1;
    agent.terms[0] = (struct message_agent_term){.wants = {3, 4}, .part_count = 1};
    agent.terms[0].parts[0].force = vec2_make(0, 9);
    assert_float_equal(formula_most_wanted(&agent), 9.0, 1e-6);
    assert_int_equal(formula_pointed_term(&agent, (struct lit){LIT_TERM, 0, -1, -1}), 0);
    assert_int_equal(formula_pointed_term(&agent, (struct lit){LIT_TERM, 1, -1, -1}), -1);
    assert_int_equal(formula_pointed_term(&agent, (struct lit){LIT_POINT, 0, -1, 0}), -1);
}

/* What acts is read first, whatever is evaluated before it. */
static void quiet_terms_come_last(void **state) {
    static struct message_agent agent = {.term_count = 4};
    agent.terms[1].wants = vec2_make(0, -7);
    agent.terms[3].wants = vec2_make(1, 0);
    int order[MESSAGE_AGENT_TERMS];
    formula_term_order(&agent, order);
    const int expected[] = {1, 3, 0, 2};
    assert_memory_equal(order, expected, sizeof expected);
    assert_true(formula_is_quiet(&agent.terms[2]));
}

static void roles_have_the_colors_of_their_arrows(void **state) {
    for (int palette = 0; palette < PALETTE_COUNT; palette++) {
        const enum palette p = (enum palette)palette;
        struct formula_token token = {.role = FORMULA_VELOCITY};
        const struct formula_arrow arrow = {.role = FORMULA_VELOCITY};
        assert_int_equal(formula_token_color(p, &token), theme_color(p, THEME_VELOCITY));
        assert_int_equal(formula_arrow_color(p, &arrow), formula_token_color(p, &token));
        token = (struct formula_token){.role = FORMULA_BEHAVIOR, .behavior = "seek"};
        assert_int_equal(formula_token_color(p, &token),
                         theme_readable(p, explain_behavior_color(p, "seek")));
        token = (struct formula_token){.role = FORMULA_PLAIN};
        assert_int_equal(formula_token_color(p, &token), theme_color(p, THEME_TEXT_DIM));
        token.word = "weight";
        assert_int_equal(formula_token_color(p, &token), theme_color(p, THEME_TEXT));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_behavior_has_its_lines),
        cmocka_unit_test(keys_follow_from_the_world),
        cmocka_unit_test(a_caption_is_a_sentence),
        cmocka_unit_test(whole_numbers_have_their_thousands_apart),
        cmocka_unit_test(numbers_have_their_thousands_apart),
        cmocka_unit_test(no_unit_stands_where_it_says_nothing),
        cmocka_unit_test(names_are_taken_apart),
        cmocka_unit_test(the_state_comes_after_the_body),
        cmocka_unit_test(a_filter_keeps_what_holds_all_its_words),
        cmocka_unit_test(a_weight_is_found_by_state_and_behavior),
        cmocka_unit_test(a_track_ends_at_four_times_the_first_value_and_within_what_is_allowed),
        cmocka_unit_test(a_weight_of_0_without_a_term_is_muted),
        cmocka_unit_test(words_then_numbers),
        cmocka_unit_test(a_course_is_the_velocity),
        cmocka_unit_test(the_sum),
        cmocka_unit_test(numbers),
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(tiers_and_filters),
        cmocka_unit_test(shown_digits_add_up),
        cmocka_unit_test(parts_have_the_colors_of_their_rules),
        cmocka_unit_test(more_than_max_force),
        cmocka_unit_test(the_triangle_is_of_one_behavior),
        cmocka_unit_test(forces_without_a_triangle_are_added),
        cmocka_unit_test(a_type_of_a_newer_server),
        cmocka_unit_test(words_beside_a_behavior_say_what_it_gets),
        cmocka_unit_test(a_link_lights_its_arrow_and_no_other),
        cmocka_unit_test(the_longest_bar_is_that_of_the_strongest_wish),
        cmocka_unit_test(quiet_terms_come_last),
        cmocka_unit_test(roles_have_the_colors_of_their_arrows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
