/* How equations look: words, colors, what lights up together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/formula.h"

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
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_beside_a_behavior_say_what_it_gets),
        cmocka_unit_test(a_link_lights_its_arrow_and_no_other),
        cmocka_unit_test(the_longest_bar_is_that_of_the_strongest_wish),
        cmocka_unit_test(quiet_terms_come_last),
        cmocka_unit_test(roles_have_the_colors_of_their_arrows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
