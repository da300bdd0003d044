/* See hud.h. */
#include "viewer/hud.h"

#include <stdio.h>
#include <string.h>

#include "viewer/palette.h"

enum run_state hud_run_state(const struct link_status *link, bool is_paused, bool is_stalled) {
    if (link->state != LINK_READY) {
        return link->was_ready ? RUN_RECONNECTING : RUN_CONNECTING;
    }
    return is_paused ? RUN_PAUSED : is_stalled ? RUN_STALLED : RUN_RUNNING;
}

static const struct {
    const char *name;
    color mark;
} states[] = {
    [RUN_CONNECTING] = {"connecting", PALETTE_WARN}, [RUN_RECONNECTING] = {"reconnecting", PALETTE_BAD},
    [RUN_STALLED] = {"stalled", PALETTE_BAD},        [RUN_PAUSED] = {"paused", PALETTE_WARN},
    [RUN_RUNNING] = {"running", PALETTE_OK},
};

const char *run_state_name(enum run_state state) {
    return states[state].name;
}

void hud_format_count(uint64_t value, char *out, size_t size) {
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    size_t used = 0;
    for (int i = 0; i < count && used + 2 < size; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            out[used++] = ' ';
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

/* One decimal without printf's %f, whose point depends on the locale. */
static void format_tenths(double value, const char *unit, char *out, size_t size) {
    const double limited = value < 0.0 ? 0.0 : value > 1e12 ? 1e12 : value;
    const unsigned long long tenths = (unsigned long long)(limited * 10.0 + 0.5);
    snprintf(out, size, "%llu.%llu%s", tenths / 10, tenths % 10, unit);
}

static void fill_numbers(const struct hud_input *input, struct panels_view *view) {
    const struct snapshot *newest = input->frame->names;
    if (newest != NULL) {
        hud_format_count(newest->tick, view->tick, sizeof view->tick);
        format_tenths(newest->time_s, " s", view->time, sizeof view->time);
    }
    if (!input->is_fixed && input->link->state == LINK_READY) {
        if (input->link->ping_ms >= 0.0) {
            format_tenths(input->link->ping_ms, " ms", view->ping, sizeof view->ping);
        }
        if (input->snapshots_per_s >= 0.0) {
            format_tenths(input->snapshots_per_s, "/s", view->rate, sizeof view->rate);
        }
    }
}

static void fill_banner(const struct hud_input *input, struct panels_view *view) {
    const struct link_status *link = input->link;
    if (link->state == LINK_READY) {
        return;
    }
    const bool waits = link->state == LINK_WAITING && link->retry_at_ns > input->now_ns;
    const char *verb = link->was_ready ? "Reconnecting" : "Connecting";
    if (waits) {
        const unsigned long long seconds = (link->retry_at_ns - input->now_ns + 999999999u) / 1000000000u;
        snprintf(view->banner[0], sizeof view->banner[0], "%s in %llu s", verb, seconds);
    } else {
        snprintf(view->banner[0], sizeof view->banner[0], "%s ...", verb);
    }
    if (link->reason[0] != '\0') {
        snprintf(view->banner[1], sizeof view->banner[1], "%s: %s", view->address, link->reason);
    } else {
        snprintf(view->banner[1], sizeof view->banner[1], "%s", view->address);
    }
}

static void fill_legend(const struct server_view *server, struct panels_view *view) {
    _Static_assert((int)PANELS_LEGEND_ROWS == (int)SERVER_VIEW_LEGEND_ROWS,
                   "the legend has room for every row");
    view->legend_count = server->legend_count;
    for (int i = 0; i < server->legend_count; i++) {
        snprintf(view->legend[i].state, sizeof view->legend[i].state, "%s", server->legend[i].state);
        view->legend[i].count = server->legend[i].count;
    }
}

static void fill_labels(const struct hud_input *input, struct panels_view *view) {
    const struct frame *frame = input->frame;
    if (frame->names == NULL) {
        return; /* nothing has come yet */
    }
    for (int32_t i = 0; i < frame->target_count && view->label_count < PANELS_LABELS; i++) {
        const char *name = frame->names->target_names.names[frame->targets[i].name];
        if (strcmp(name, "mouse") == 0) {
            continue; /* its marker is known, and a word would follow the hand */
        }
        const vec2 at = camera_to_window(input->camera, frame->targets[i].position);
        struct panels_label *label = &view->labels[view->label_count++];
        label->x = at.x;
        label->y = at.y;
        snprintf(label->text, sizeof label->text, "%s", name);
    }
}

void hud_fill(const struct hud_input *input, struct panels_view *view) {
    memset(view, 0, sizeof *view);
    const struct address *address = input->address;
    const bool is_v6 = strchr(address->host, ':') != NULL;
    snprintf(view->address, sizeof view->address, is_v6 ? "[%s]:%s" : "%s:%s", address->host, address->port);
    if (input->server->has_scenario) {
        const struct message_scenario *scenario = &input->server->scenario;
        snprintf(view->scenario, sizeof view->scenario, "%s",
                 scenario->title[0] != '\0' ? scenario->title : scenario->name);
    }
    const enum run_state state =
        hud_run_state(input->link, input->server->is_paused, input->frame->is_stalled);
    view->state = states[state].name;
    view->state_color = states[state].mark;
    view->shows_forces = input->shows_forces;
    view->has_force_data = input->frame->names != NULL && input->frame->has_forces;
    view->shows_help = input->shows_help;
    view->toast_alpha = input->toast_alpha;
    if (input->toast_alpha > 0.0f) {
        snprintf(view->toast, sizeof view->toast, "%s", input->server->notice);
        view->is_toast_error = input->server->is_notice_error;
    }
    fill_numbers(input, view);
    fill_legend(input->server, view);
    fill_labels(input, view);
    fill_banner(input, view);
}
