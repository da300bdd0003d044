/* See page_panels_impl.h. The equations of the selected agent: the same lines as the window's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/formula.h"
#include "viewer/explain/param_list.h"
#include "web/page_panels_impl.h"

/* A writer of an agent's equations. */
struct equations {
    struct json_writer *json;
    const struct panels_view *view;
    const struct message_agent *agent;
    enum palette palette;
    float most; /* the length of a whole bar */
};

static void write_lit(struct json_writer *json, const char *key, struct lit lit) {
    json_key(json, key);
    json_array(json);
    json_signed(json, lit.what);
    json_signed(json, lit.term);
    json_signed(json, lit.part);
    json_signed(json, lit.point);
    json_end(json);
}

static void write_token(const struct equations *of, const struct formula_token *token) {
    const struct lit lit = formula_lit(token->link);
    const struct formula_word *word = token->word != NULL ? formula_word_of(token->word) : NULL;
    json_object(of->json);
    json_key_string(of->json, "text", token->text);
    page_color(of->json, "color", formula_token_color(of->palette, token));
    if (lit.what != LIT_NOTHING) {
        write_lit(of->json, "lit", lit);
    }
    if (formula_is_lit(lit, of->view->lit)) {
        json_key_bool(of->json, "on", true);
    }
    if (token->number_count > 0) {
        json_key_unsigned(of->json, "number", (uint64_t)token->number_count);
    }
    if (word != NULL) {
        char tip[240];
        (void)snprintf(tip, sizeof tip, "%s%s%s%s", word->help, word->unit[0] != '\0' ? " (" : "", word->unit,
                       word->unit[0] != '\0' ? ")" : "");
        json_key_string(of->json, "tip", tip);
    }
    json_end(of->json);
}

static void write_lines(const struct equations *of, const char *key, const struct formula *formula) {
    json_key(of->json, key);
    json_array(of->json);
    for (int i = 0; i < formula->line_count; i++) {
        const struct formula_line *line = &formula->lines[i];
        json_object(of->json);
        json_key_unsigned(of->json, "kind", (uint64_t)line->kind);
        json_key(of->json, "tokens");
        json_array(of->json);
        for (int t = 0; t < line->token_count; t++) {
            write_token(of, &line->tokens[t]);
        }
        json_end(of->json);
        json_end(of->json);
    }
    json_end(of->json);
}

static void write_part(const struct equations *of, const struct message_agent_share *part, struct lit lit) {
    const float force = vec2_length(part->force);
    char words[FORMULA_NUMBER_TEXT];
    (void)formula_number_text(words, (double)roundf(force));
    json_object(of->json);
    json_key_string(of->json, "behavior", part->behavior);
    json_key_string(of->json, "words", words);
    page_number(of->json, "share", (double)(force / of->most));
    page_color(of->json, "fill", explain_behavior_color(of->palette, part->behavior));
    write_lit(of->json, "lit", lit);
    json_end(of->json);
}

static void write_term(const struct equations *of, int index, struct formula *formula) {
    const struct message_agent_term *term = &of->agent->terms[index];
    const struct server_model *server = of->view->server;
    const int weight = param_list_weight(server->params, server->param_count, of->agent->kind,
                                         of->agent->state, term->behavior);
    const bool is_muted = weight >= 0 && server->params[weight].value == 0.0;
    const struct lit lit = formula_lit((struct formula_link){FORMULA_LINK_TERM, index, -1, -1});
    const color fill = explain_behavior_color(of->palette, term->type);
    char words[FORMULA_TERM_WORDS];
    formula_term_words(term, is_muted, words);
    json_object(of->json);
    json_key_string(of->json, "behavior", term->behavior);
    page_color(of->json, "color", theme_readable(of->palette, fill));
    page_color(of->json, "fill", fill);
    json_key_string(of->json, "words", words);
    page_number(of->json, "wants", (double)(vec2_length(term->wants) / of->most));
    page_number(of->json, "gets",
                (double)(fminf(vec2_length(term->gets), vec2_length(term->wants)) / of->most));
    write_lit(of->json, "lit", lit);
    json_key_bool(of->json, "on", formula_is_lit(lit, of->view->lit));
    page_number(of->json, "weight", (double)weight);
    json_key_bool(of->json, "muted", is_muted);
    json_key_bool(of->json, "quiet", formula_is_quiet(term));
    json_key(of->json, "parts");
    json_array(of->json);
    for (int part = 0; part < term->part_count; part++) {
        write_part(of, &term->parts[part],
                   formula_lit((struct formula_link){FORMULA_LINK_PART, index, part, -1}));
    }
    json_end(of->json);
    formula_of_term(of->agent, index, formula);
    write_lines(of, "lines", formula);
    json_end(of->json);
}

/* ---- the figure ---- */

static void write_place(struct json_writer *json, const char *key, vec2 place) {
    json_key(json, key);
    json_array(json);
    json_number(json, (double)(roundf(place.x * 10.0f) / 10.0f));
    json_number(json, (double)(roundf(place.y * 10.0f) / 10.0f));
    json_end(json);
}

static void write_arrow(const struct equations *of, const struct formula_arrow *arrow) {
    json_object(of->json);
    json_key_string(of->json, "label", arrow->label);
    page_color(of->json, "color", formula_arrow_color(of->palette, arrow));
    json_key_bool(of->json, "wide",
                  formula_is_lit(formula_lit(arrow->link), of->view->lit) || arrow->role == FORMULA_DESIRED);
    write_place(of->json, "from", arrow->from);
    write_place(of->json, "to", arrow->to);
    json_end(of->json);
}

/* What the figure is of. */
static void write_figure_title(const struct equations *of, const struct formula_figure *figure) {
    const struct message_agent_term *term =
        figure->kind == FORMULA_TRIANGLE ? &of->agent->terms[figure->term] : NULL;
    json_key_string(of->json, "title",
                    term != NULL                  ? term->behavior
                    : figure->kind == FORMULA_SUM ? "the forces added"
                                                  : "no force now");
    page_color(of->json, "title_color",
               term != NULL ? theme_readable(of->palette, explain_behavior_color(of->palette, term->type))
                            : theme_color(of->palette, THEME_TEXT_DIM));
}

static void write_figure(const struct equations *of) {
    const struct formula_figure figure =
        formula_figure_of(of->agent, formula_pointed_term(of->agent, of->view->lit));
    char number[FORMULA_NUMBER_TEXT], words[64] = "";
    if (figure.kind != FORMULA_NO_FIGURE) {
        (void)formula_number_text(number, (double)figure.bar);
        (void)snprintf(words, sizeof words, "%s %s", number, figure.unit);
    }
    json_key(of->json, "figure");
    json_object(of->json);
    json_key_unsigned(of->json, "kind", (uint64_t)figure.kind);
    write_figure_title(of, &figure);
    json_key_string(of->json, "tip", formula_figure_tip(figure.kind));
    write_place(of->json, "low", figure.low);
    write_place(of->json, "high", figure.high);
    page_number(of->json, "bar", (double)figure.bar);
    json_key_string(of->json, "bar_words", words);
    json_key(of->json, "arrows");
    json_array(of->json);
    for (int i = 0; i < figure.arrow_count; i++) {
        write_arrow(of, &figure.arrows[i]);
    }
    json_end(of->json);
    json_end(of->json);
}

/* Those that were muted and have no term now: they can be given their weight back. */
static void write_muted(const struct equations *of) {
    const struct server_model *server = of->view->server;
    json_key(of->json, "muted");
    json_array(of->json);
    for (int i = 0; i < server->param_count; i++) {
        if (param_list_is_muted(&server->params[i], of->agent)) {
            const struct param_name name = param_name_of(server->params[i].param);
            json_object(of->json);
            json_key_string(of->json, "behavior", name.behavior);
            page_number(of->json, "weight", (double)i);
            json_end(of->json);
        }
    }
    json_end(of->json);
}

void page_write_equations(struct json_writer *json, struct panels *panels, const struct panels_view *view) {
    if (view->inspected == NULL || view->agent[0] == '\0' || !page_has_side(panels, view)) {
        json_raw(json, "{\"has\":false}");
        return;
    }
    const struct equations of = {.json = json,
                                 .view = view,
                                 .agent = view->inspected,
                                 .palette = view_settings_palette(view->settings),
                                 .most = formula_most_wanted(view->inspected)};
    json_object(json);
    json_key_bool(json, "has", true);
    json_key_string(json, "kind", of.agent->kind);
    json_key_string(json, "no_tuning", view->no_tuning);
    json_key(json, "terms");
    json_array(json);
    int order[MESSAGE_AGENT_TERMS];
    formula_term_order(of.agent, order);
    for (int i = 0; i < of.agent->term_count; i++) {
        write_term(&of, order[i], &panels->formula);
    }
    json_end(json);
    write_muted(&of);
    if (of.agent->term_count > 0) {
        write_figure(&of);
        formula_of_sum(of.agent, &panels->formula);
        write_lines(&of, "sum", &panels->formula);
    }
    json_end(json);
}
