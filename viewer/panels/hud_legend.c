/* See hud_legend.h. */
#include "viewer/panels/hud_legend.h"

#include <assert.h>
#include <stdio.h>

#include "viewer/draw/palette.h"

static int kind_number(const struct server_model *server, const char *name) {
    const struct message_kind *kind = server_model_kind(server, name);
    return kind != NULL ? (int)(kind - server->scenario.kinds) : 0;
}

/* By kind: every kind has its shape and color. */
void hud_fill_kinds(const struct hud_input *input, struct panels_view *view) {
    const struct message_scenario *scenario = &input->server->scenario;
    int32_t counts[LIMIT_KINDS] = {0};
    const struct snapshot *names = input->frame->names;
    for (int32_t i = 0; names != NULL && i < names->count; i++) {
        counts[kind_number(input->server, names->kind_names.names[names->kind[i]])]++;
    }
    for (int i = 0; i < scenario->kind_count && i < PANELS_LEGEND_ROWS; i++) {
        struct panels_legend_row *row = &view->legend[view->legend_count++];
        (void)snprintf(row->name, sizeof row->name, "%s", scenario->kinds[i].name);
        row->count = counts[i];
        row->fill = palette_series(i);
        row->shape = palette_shape(i);
    }
}

/* By state; the shape is that of the kind most agents in it have: rows tell apart what the world tells apart.
 */
void hud_fill_states(const struct hud_input *input, struct panels_view *view) {
    _Static_assert((int)PANELS_LEGEND_ROWS == (int)SERVER_MODEL_LEGEND_ROWS,
                   "the legend has room for every row");
    const struct server_model *server = input->server;
    int kinds[NAME_TABLE_CAPACITY] = {0};
    const struct snapshot *names = input->frame->names;
    int32_t counts[NAME_TABLE_CAPACITY] = {0}; /* of the snapshot that is shown */
    for (int32_t i = names != NULL ? names->count : 0; i > 0; i--) {
        kinds[names->state[i - 1]] = names->kind[i - 1] + 1;
        counts[names->state[i - 1]]++;
    }
    for (int i = 0; i < server->legend_count && input->density == NULL; i++) {
        struct panels_legend_row *row = &view->legend[view->legend_count++];
        (void)snprintf(row->name, sizeof row->name, "%s", server->legend[i].state);
        row->fill = palette_state((enum palette)input->settings->palette, server->legend[i].state);
        const int state = names != NULL ? name_table_find(&names->state_names, row->name) : -1;
        row->count = state >= 0 ? counts[state] : 0;
        const int kind = state >= 0 ? kinds[state] : 0;
        row->shape = palette_shape(kind > 0 ? kind_number(server, names->kind_names.names[kind - 1]) : 0);
    }
    assert(view->legend_count <= PANELS_LEGEND_ROWS);
}
