/* See hud_agent.h. */
#include "viewer/panels/hud_agent.h"

#include <math.h>
#include <stdio.h>

#include "viewer/explain/behavior_colors.h"
#include "viewer/model/radius_overlay.h"
#include "viewer/panels/hud_format.h"

static float share_length(const struct snapshot_share *share) {
    return vec2_length(vec2_make((float)share->force.x * 0.01f, (float)share->force.y * 0.01f));
}

/* The forces that came with the answer to inspect. */
static void fill_inspected(const struct hud_input *input, struct panels_view *view) {
    const struct message_agent *agent = input->inspected;
    char text[64];
    const float stamina =
        radius_overlay_value(input->server->params, input->server->param_count, agent->kind, "max_stamina");
    if (stamina > 0.0f) {
        (void)snprintf(text, sizeof text, "%ld of %ld", lroundf(agent->stamina), lroundf(stamina));
        hud_add_row(view->agent_rows, &view->agent_row_count, "stamina", text);
    } else if (agent->stamina != 0.0f) {
        hud_format_tenths((double)agent->stamina, "", text, sizeof text);
        hud_add_row(view->agent_rows, &view->agent_row_count, "stamina", text);
    }
    hud_format_pair((double)vec2_length(agent->steering), (double)agent->max_force, " of ", "", text,
                    sizeof text);
    hud_add_row(view->agent_rows, &view->agent_row_count, "steering force", text);
}

/* The behavior with the strongest force on the agent; "" when no force is known. */
static const char *strongest(const struct hud_input *input, int32_t index) {
    const struct snapshot *names = input->frame->names;
    const int32_t row = input->frame->has_forces ? input->frame->row[index] : -1;
    const char *name = "";
    float most = 0.0f;
    for (int i = 0; input->inspected != NULL && i < input->inspected->share_count; i++) {
        const float length = vec2_length(input->inspected->shares[i].force);
        name = length > most ? input->inspected->shares[i].behavior : name;
        most = fmaxf(most, length);
    }
    for (int32_t i = row >= 0 ? names->share_begin[row] : 0;
         input->inspected == NULL && row >= 0 && i < names->share_begin[row + 1]; i++) {
        const float length = share_length(&names->shares[i]);
        name = length > most ? names->behavior_names.names[names->shares[i].behavior] : name;
        most = fmaxf(most, length);
    }
    return name;
}

/* What the rows tell of an agent, all of one tick: that of its equations, or the picture's without them. */
struct told {
    const char *kind, *state;
    vec2 position, velocity; /* px, px/s */
    float degrees;           /* of its heading */
};

static struct told told_of(const struct hud_input *input, const struct pose *pose) {
    const struct snapshot *names = input->frame->names;
    const struct message_agent *agent = input->inspected;
    if (agent != NULL) {
        return (struct told){agent->kind, agent->state, vec2_make(agent->x, agent->y), agent->velocity,
                             agent->heading};
    }
    return (struct told){names->kind_names.names[pose->kind], names->state_names.names[pose->state],
                         pose->position, pose->velocity, pose->heading * (180.0f / 3.14159265f)};
}

/* The agent's state; of a kind without states the strongest force of the moment. There is always a row: what is below
 * stays where it is under the pointer. */
static void add_state_row(const struct hud_input *input, const struct told *told, int32_t index,
                          struct panels_view *view) {
    const struct message_kind *kind = server_model_kind(input->server, told->kind);
    const char *words = state_colors_words(
        input->colors, kind != NULL ? (int)(kind - input->server->scenario.kinds) : -1, told->state);
    const char *force = words[0] == '\0' ? strongest(input, index) : "";
    if (words[0] != '\0') {
        hud_add_row(view->agent_rows, &view->agent_row_count, "state", words);
    } else {
        hud_add_row(view->agent_rows, &view->agent_row_count, "strongest force",
                    force[0] != '\0' ? force : "none");
    }
}

static void fill_agent_rows(const struct hud_input *input, const struct pose *pose, const struct told *told,
                            int32_t index, struct panels_view *view) {
    const struct message_kind *kind = server_model_kind(input->server, told->kind);
    char text[64];
    int *count = &view->agent_row_count;
    add_state_row(input, told, index, view);
    hud_format_pair((double)fabsf(told->position.x), (double)fabsf(told->position.y),
                    told->position.y < 0.0f ? ", -" : ", ", "", text + 1, sizeof text - 1);
    text[0] = '-';
    hud_add_row(view->agent_rows, count, "position", told->position.x < 0.0f ? text : text + 1);
    hud_format_pair((double)vec2_length(told->velocity), kind != NULL ? (double)kind->max_speed : 0.0, " of ",
                    " px/s", text, sizeof text);
    hud_add_row(view->agent_rows, count, "speed", text);
    (void)snprintf(text, sizeof text, "%ld deg", (lroundf(told->degrees) + 360) % 360);
    hud_add_row(view->agent_rows, count, "heading", text);
    if (input->frame->has_forces && input->inspected == NULL) {
        hud_format_pair((double)vec2_length(pose->steering), kind != NULL ? (double)kind->max_force : 0.0,
                        " of ", "", text, sizeof text);
        hud_add_row(view->agent_rows, count, "steering force", text);
    }
}

void hud_fill_agent(const struct hud_input *input, struct panels_view *view) {
    const int32_t index = input->selection->has_agent && input->frame->names != NULL
                              ? frame_find(input->frame, input->selection->id)
                              : -1;
    if (index < 0) {
        if (input->selection->has_agent) {
            (void)snprintf(view->agent, sizeof view->agent, "Agent %u", input->selection->id);
            const bool is_elsewhere = input->density != NULL || input->has_region;
            (void)snprintf(view->agent_note, sizeof view->agent_note, "%s",
                           is_elsewhere ? "It is not among those that are shown one by one. L goes there."
                                        : "It is not in the world.");
        }
        return;
    }
    const struct pose pose = frame_pose(input->frame, index);
    const struct told told = told_of(input, &pose);
    (void)snprintf(view->agent, sizeof view->agent, "Agent %u (%s)%s", pose.id, told.kind,
                   input->selection->is_following ? ", followed" : "");
    view->agent_kind = told.kind;
    view->agent_state = told.state;
    fill_agent_rows(input, &pose, &told, index, view);
    if (input->inspected != NULL) {
        fill_inspected(input, view);
    } else if (!input->playhead->is_live) {
        (void)snprintf(view->agent_note, sizeof view->agent_note,
                       "Its forces are kept while it is selected; then it was not.");
    }
}
