/* See agent_text.h. */
#include "viewer/explain/agent_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/explain/formula.h"

enum { LINE_TEXT = FORMULA_TEXT * FORMULA_TOKENS };

struct text {
    char *words;
    size_t used, size;
};

static void add(struct text *text, const char *words) {
    const int written = snprintf(text->words + text->used, text->size - text->used, "%s\n", words);
    const size_t most = text->size - text->used - 1;
    text->used += written < 0 ? 0 : (size_t)written < most ? (size_t)written : most;
}

static void add_formula(struct text *text, const struct formula *formula) {
    char line[LINE_TEXT];
    for (int i = 0; i < formula->line_count; i++) {
        (void)snprintf(line, sizeof line, "  ");
        formula_line_text(&formula->lines[i], line + 2, sizeof line - 2);
        add(text, line);
    }
}

char *agent_text(const struct message_agent *agent) {
    char title[160];
    struct formula *formula = malloc(sizeof *formula);
    struct text text = {.size = 64 * 1024};
    text.words = formula != NULL ? malloc(text.size) : NULL;
    if (text.words == NULL) {
        free(formula);
        return NULL;
    }
    (void)snprintf(title, sizeof title, "Agent %u (%s), %s", agent->id, agent->kind, agent->state);
    add(&text, title);
    for (int i = 0; i < agent->term_count; i++) {
        add(&text, agent->terms[i].behavior);
        formula_of_term(agent, i, formula);
        add_formula(&text, formula);
    }
    add(&text, "sum");
    formula_of_sum(agent, formula);
    add_formula(&text, formula);
    free(formula);
    return text.words;
}
