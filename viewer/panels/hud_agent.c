/* See hud_agent.h. */
#include "viewer/panels/hud_agent.h"

#include <math.h>
#include <stdio.h>

#include "viewer/draw/palette.h"
#include "viewer/panels/hud_format.h"

static float share_length(const struct snapshot_share *share) {
    return vec2_length(vec2_make((float)share->force.x * 0.01f, (float)share->force.y * 0.01f));
}

static void fill_shares(const struct server_model *server, const struct snapshot *snapshot, int32_t row,
                        struct panels_view *view) {
    float sum = 0.0f;
    for (int32_t i = snapshot->share_begin[row]; i < snapshot->share_begin[row + 1]; i++) {
        sum += share_length(&snapshot->shares[i]);
    }
    for (int32_t i = snapshot->share_begin[row];
         i < snapshot->share_begin[row + 1] && view->share_count < PANELS_SHARES; i++) {
        const struct snapshot_share *from = &snapshot->shares[i];
        struct panels_share *share = &view->shares[view->share_count++];
        const float length = share_length(from);
        (void)snprintf(share->name, sizeof share->name, "%s", snapshot->behavior_names.names[from->behavior]);
        hud_format_tenths((double)length, "", share->value, sizeof share->value);
        share->fill = palette_series(server_model_behavior(server, share->name));
        share->share = sum > 0.0f ? length / sum : 0.0f;
    }
}

/* The forces that came with the answer to inspect. */
static void fill_inspected(const struct hud_input *input, struct panels_view *view) {
    const struct message_agent *agent = input->inspected;
    char text[64];
    float sum = 0.0f;
    if (agent->stamina != 0.0f) {
        hud_format_tenths((double)agent->stamina, "", text, sizeof text);
        hud_add_row(view->agent_rows, &view->agent_row_count, "stamina", text);
    }
    hud_format_pair((double)vec2_length(agent->steering), (double)agent->max_force, " of ", "", text,
                    sizeof text);
    hud_add_row(view->agent_rows, &view->agent_row_count, "steering force", text);
    for (int i = 0; i < agent->share_count; i++) {
        sum += vec2_length(agent->shares[i].force);
    }
    for (int i = 0; i < agent->share_count && view->share_count < PANELS_SHARES; i++) {
        struct panels_share *share = &view->shares[view->share_count++];
        const float length = vec2_length(agent->shares[i].force);
        (void)snprintf(share->name, sizeof share->name, "%s", agent->shares[i].behavior);
        hud_format_tenths((double)length, "", share->value, sizeof share->value);
        share->fill = palette_series(server_model_behavior(input->server, share->name));
        share->share = sum > 0.0f ? length / sum : 0.0f;
    }
}

static void fill_agent_rows(const struct hud_input *input, const struct pose *pose,
                            struct panels_view *view) {
    const struct snapshot *names = input->frame->names;
    const struct message_kind *kind = server_model_kind(input->server, names->kind_names.names[pose->kind]);
    char text[64];
    int *count = &view->agent_row_count;
    hud_add_row(view->agent_rows, count, "state", names->state_names.names[pose->state]);
    const float degrees = pose->heading * (180.0f / 3.14159265f);
    hud_format_pair((double)fabsf(pose->position.x), (double)fabsf(pose->position.y),
                    pose->position.y < 0.0f ? ", -" : ", ", "", text + 1, sizeof text - 1);
    text[0] = '-';
    hud_add_row(view->agent_rows, count, "position", pose->position.x < 0.0f ? text : text + 1);
    hud_format_pair((double)vec2_length(pose->velocity), kind != NULL ? (double)kind->max_speed : 0.0, " of ",
                    " px/s", text, sizeof text);
    hud_add_row(view->agent_rows, count, "speed", text);
    (void)snprintf(text, sizeof text, "%ld deg", (lroundf(degrees) + 360) % 360);
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
    const struct snapshot *names = input->frame->names;
    (void)snprintf(view->agent, sizeof view->agent, "Agent %u (%s)%s", pose.id,
                   names->kind_names.names[pose.kind], input->selection->is_following ? ", followed" : "");
    fill_agent_rows(input, &pose, view);
    if (input->inspected != NULL) {
        fill_inspected(input, view);
    } else if (input->frame->has_forces && input->frame->row[index] >= 0) {
        fill_shares(input->server, names, input->frame->row[index], view);
    } else if (!input->playhead->is_live) {
        (void)snprintf(view->agent_note, sizeof view->agent_note, "Forces are not kept for looking back.");
    }
}
