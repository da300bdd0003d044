/* The equations as text: a heading for each behavior, its formula, the sum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "viewer/explain/texts.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_behavior_has_its_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
