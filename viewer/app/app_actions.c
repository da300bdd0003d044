/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/explain/texts.h"
#include "viewer/platform/window.h"

static const double jump_s = 1.0;

/* ---- what is open, selected, shown ---- */

/* For a choice a notice says what it is now. */
static void change_setting(struct app *app, const struct field *setting) {
    view_settings_change(&app->settings, &app->changes, setting);
    if (setting->type == FIELD_CHOICE) {
        server_model_set_notice(&app->server, false, "%s: %s", setting->help,
                                view_settings_get_choice(&app->settings, setting));
    }
}

static void show_panel(struct app *app, bool is_shown) {
    app->open.focus = PANELS_FOCUS_WORLD;
    app->settings.panel = is_shown ? PANEL_ON : PANEL_OFF;
    view_changes_note(&app->changes, offsetof(struct view_settings, panel));
}

/* Esc closes the part that was opened last and never ends the program: a press too many must not end a talk. */
static void close_something(struct app *app) {
    if (app->open.question != PANELS_NO_QUESTION) {
        app->open.question = PANELS_NO_QUESTION;
    } else if (app->open.help || app->open.picker) {
        app->open.help = app->open.picker = false;
    } else if (app->open.card) {
        app->open.card = false;
    } else if (app->result.takes_escape) {
        app->input.is_escape = true;
    } else if (app->open.focus != PANELS_FOCUS_WORLD) {
        app->open.focus = PANELS_FOCUS_WORLD;
        app->result.has_focus = false; /* for keys before the next frame */
    } else if (app->hand.is_dragging && app->hand.tool == TOOL_NONE) {
        app_drag_give_up(app);
    } else if (app->hand.tool != TOOL_NONE) {
        app_hand_empty(&app->hand);
    } else if (app->open.params) {
        app->open.params = false;
    } else if (app->selection.has_agent) {
        app->selection.has_agent = app->selection.is_following = false;
    } else if (app->colors.states.kept.is_on) {
        app->colors.states.kept.is_on = false;
        app_clear_crowd(app);
    } else {
        server_model_set_notice(&app->server, false, "%s quits", shortcuts_row(SHORTCUT_QUIT)->name);
    }
}

static void next_agent(struct app *app) {
    const struct frame *frame = &app->frame;
    if (frame->names == NULL || frame->settled_count == 0) {
        return;
    }
    const int32_t at = app->selection.has_agent ? frame_find(frame, app->selection.id) : -1;
    app->selection.id = frame->id[(at + 1) % frame->settled_count];
    app->selection.has_agent = true;
    assert(frame_find(frame, app->selection.id) >= 0);
}

/* 0: what suits the screen. */
static void set_scale(struct app *app, double scale) {
    app->settings.ui_scale = scale > 0.0 ? fmin(fmax(scale, 0.5), 4.0) : 0.0;
    view_changes_note(&app->changes, offsetof(struct view_settings, ui_scale));
    app->picture.wants_scale = true;
    server_model_set_notice(&app->server, false, "size %ld %%", lround(app_ui_scale(app) * 100.0));
}

/* wide: px before scaling. */
static void set_panel_width(struct app *app, double wide) {
    const float picture_px = (float)app->picture.raster->width / app->picture.pixel_scale;
    app->settings.panel_width = wide;
    app->settings.panel_width = (double)view_settings_panel_px(&app->settings, picture_px);
    view_changes_note(&app->changes, offsetof(struct view_settings, panel_width));
}

static void widen_panel(struct app *app, double by) {
    set_panel_width(app, (double)(app_panel_px(app) / app->picture.pixel_scale) + by);
}

static void open_picker(struct app *app) {
    if (app->server_end[0] != '\0') {
        app->open.question = PANELS_ASKS_REOPEN;
        return;
    }
    app->open.picker = !app->open.picker;
    app->open.help = false;
    if (app->open.picker) {
        app_ask_scenarios(app);
        app_ask_saves(app);
    }
}

/* The keyboard goes from the world to the panel, to the timeline, and back: to those that are there. */
static void move_focus(struct app *app) {
    const bool has_side = view_settings_have_panel(&app->settings);
    const bool has_timeline = panels_have_timeline(&app->settings, server_model_is_replay(&app->server));
    const enum panels_focus from = app->open.focus;
    app->open.focus = from == PANELS_FOCUS_WORLD && has_side          ? PANELS_FOCUS_SIDE
                      : from != PANELS_FOCUS_TIMELINE && has_timeline ? PANELS_FOCUS_TIMELINE
                                                                      : PANELS_FOCUS_WORLD;
    app->result.has_focus = app->open.focus != PANELS_FOCUS_WORLD; /* for keys before the next frame */
}

static void act_on_view(struct app *app, enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_FIT:
        camera_view_fit(&app->picture.camera_view);
        app->selection.is_following = false;
        break;
    case SHORTCUT_FOLLOW:
        app->selection.is_following = app->selection.has_agent && !app->selection.is_following;
        break;
    case SHORTCUT_NEXT_AGENT:
        next_agent(app);
        break;
    case SHORTCUT_PANEL:
        show_panel(app, !view_settings_have_panel(&app->settings));
        break;
    case SHORTCUT_LEGEND:
        app->settings.legend = view_settings_have_legend(&app->settings) ? PANEL_OFF : PANEL_ON;
        view_changes_note(&app->changes, offsetof(struct view_settings, legend));
        break;
    case SHORTCUT_PARAMS:
        app->open.params = !app->open.params || !view_settings_have_panel(&app->settings);
        app->settings.panel = app->open.params ? PANEL_ON : app->settings.panel; /* for now: not kept */
        break;
    case SHORTCUT_FOCUS:
        move_focus(app);
        break;
    case SHORTCUT_PANEL_WIDER:
        widen_panel(app, 40.0);
        break;
    case SHORTCUT_PANEL_NARROWER:
        widen_panel(app, -40.0);
        break;
    case SHORTCUT_LARGER:
        set_scale(app, app_ui_scale(app) * 1.125);
        break;
    case SHORTCUT_SMALLER:
        set_scale(app, app_ui_scale(app) / 1.125);
        break;
    case SHORTCUT_NORMAL_SIZE:
        set_scale(app, 0.0);
        break;
    case SHORTCUT_FULL_SCREEN:
        window_toggle_full_screen(app->window);
        app->picture.wants_scale = app->picture.wants_scale || app->settings.ui_scale <= 0.0;
        break;
    default:
        break;
    }
}

/* ---- every action ---- */

static void pause_or_play(struct app *app) {
    if (app_shows_look(app)) {
        app_play_look(app);
    } else if (app->past.playhead.is_live) {
        app_set_paused(app, !server_model_will_be_paused(&app->server));
    } else {
        playhead_toggle(&app->past.playhead, &app->past.history);
    }
}

static void step(struct app *app) {
    if (!app_is_in_past(app)) {
        app_step_world(app);
    } else {
        app_step_past(app, true);
    }
}

/* A second; of a paused world a tick, which the server may have to go back by. */
static void back(struct app *app) {
    if (app->server.is_paused) {
        app_step_past(app, false);
    } else {
        app_jump(app, -jump_s);
    }
}

/* Time, live or in the past. Whether the action is one of these. */
static bool act_on_time(struct app *app, enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_PAUSE:
        pause_or_play(app);
        return true;
    case SHORTCUT_STEP:
        step(app);
        return true;
    case SHORTCUT_STEP_BACK:
        app_step_past(app, false);
        return true;
    case SHORTCUT_BACK:
        back(app);
        return true;
    case SHORTCUT_FORWARD:
        if (!app->server.is_paused) {
            app_jump(app, jump_s);
        } else if (!app_is_in_past(app) && !app_may(app, REQUEST_STEP)) {
            return true;
        } else {
            step(app);
        }
        return true;
    case SHORTCUT_BACK_SECOND:
    case SHORTCUT_FORWARD_SECOND:
        app_jump(app, action == SHORTCUT_FORWARD_SECOND ? jump_s : -jump_s);
        return true;
    case SHORTCUT_SLOWER:
    case SHORTCUT_FASTER:
        app_change_speed(app, action == SHORTCUT_FASTER);
        return true;
    case SHORTCUT_NORMAL_SPEED:
        app_set_speed(app, 1.0);
        return true;
    case SHORTCUT_LIVE:
        app_go_live(app);
        return true;
    case SHORTCUT_MARK:
        if (!app_refuses_past(app)) {
            app_mark(app);
        }
        return true;
    default:
        return false;
    }
}

/* The scenario and its agents. Whether the action is one of these. */
static bool act_on_world(struct app *app, enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_PREVIOUS_SCENARIO:
    case SHORTCUT_NEXT_SCENARIO:
        app_switch_scenario(app, action == SHORTCUT_NEXT_SCENARIO ? 1 : -1);
        return true;
    case SHORTCUT_PICKER:
        open_picker(app);
        return true;
    case SHORTCUT_RESTART:
    case SHORTCUT_RESTART_CHANGED:
        app_restart(app, action == SHORTCUT_RESTART_CHANGED);
        return true;
    case SHORTCUT_UNDO:
    case SHORTCUT_REDO:
        app_undo(app, action == SHORTCUT_UNDO);
        return true;
    case SHORTCUT_LEAVE_OUT:
        app_leave_out(app);
        return true;
    case SHORTCUT_WHAT_IF:
        if (!app_refuses_past(app)) {
            app_toggle_twin(app);
        }
        return true;
    case SHORTCUT_ADD:
    case SHORTCUT_REMOVE:
        if (!app_refuses_past(app)) {
            app_choose_tool(app, action == SHORTCUT_ADD ? TOOL_ADD : TOOL_REMOVE);
        }
        return true;
    default:
        return false;
    }
}

/* Saved worlds and recordings of the server. Whether the action is one of these. */
static bool act_on_kept(struct app *app, enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_SAVE:
        app_ask_name(app);
        return true;
    case SHORTCUT_RECORD:
        app_toggle_record(app);
        return true;
    case SHORTCUT_KEEP_MINUTE:
        app_keep_minute(app);
        return true;
    case SHORTCUT_TAKE_OVER:
        app_ask_take_over(app);
        return true;
    default:
        return false;
    }
}

/* Files, and what is open. Whether the action is one of these. */
static bool act_on_program(struct app *app, enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_HELP:
        app->open.help = !app->open.help;
        return true;
    case SHORTCUT_CARD:
        app->open.card = !app->open.card && app->server.has_scenario;
        app->open.help = app->open.help && !app->open.card;
        return true;
    case SHORTCUT_SCREENSHOT:
        app->output.wants_picture = true;
        return true;
    case SHORTCUT_CLIP:
        app_toggle_clip(app);
        return true;
    case SHORTCUT_EXPORT:
        app_save_plots(app);
        return true;
    case SHORTCUT_CLOSE:
        close_something(app);
        return true;
    case SHORTCUT_QUIT:
        app->is_running = false;
        return true;
    default:
        return false;
    }
}

void app_act(struct app *app, const struct shortcut *row) {
    assert(row != NULL);
    const enum shortcut_action action = row->action;
    if (app_act_on_replay(app, row)) {
        return;
    }
    const bool is_of_past =
        (action == SHORTCUT_PAUSE && (!app->past.playhead.is_live || app_shows_look(app))) ||
        (action == SHORTCUT_STEP && app_is_in_past(app));
    const bool reopens = action == SHORTCUT_PICKER && app->server_end[0] != '\0';
    if (!is_of_past && !reopens && !app_may(app, shortcuts_request(action))) {
        return;
    }
    if (action == SHORTCUT_SETTING) {
        change_setting(app, &row->setting);
    } else if (action == SHORTCUT_FORCES) {
        view_settings_toggle_forces(&app->settings, &app->changes);
    } else if (!act_on_time(app, action) && !act_on_world(app, action) && !act_on_kept(app, action) &&
               !act_on_program(app, action)) {
        act_on_view(app, action);
    }
}

/* ---- the panels ---- */

/* A row of the picker: to be loaded, or removed. */
static void take_pick(struct app *app, const struct panels_result *result) {
    const struct panels_hit *hit =
        result->hit >= 0 && result->hit < app->view.hit_count ? &app->view.hits[result->hit] : NULL;
    if (hit != NULL && result->picks) {
        if (hit->is_save) {
            app_send_load_save(app, hit->name);
        } else {
            app_send_load(app, hit->name);
        }
        app->open.picker = app->result.wants_text = false;
    } else if (hit != NULL && result->removes && hit->is_save) {
        app_ask_remove(app, hit->name);
    } else if (hit != NULL && result->removes) {
        server_model_set_notice(&app->server, false, "only saved worlds can be removed");
    }
}

/* The picture of the chosen row, once for each. */
static void take_preview(struct app *app, const struct panels_result *result) {
    const struct panels_hit *hit =
        result->hit >= 0 && result->hit < app->view.hit_count ? &app->view.hits[result->hit] : NULL;
    if (hit == NULL || hit->is_save || strcmp(app->preview.name, hit->name) == 0) {
        return;
    }
    preview_file_load(&app->preview, hit->name);
    app->pacing.is_dirty = true;
    if (app->preview.pixels != NULL && window_wants_mesh(app->window) &&
        window_set_texture(app->window, MESH_PREVIEW, app->preview.pixels, app->preview.width,
                           app->preview.height, true) != 0) {
        preview_file_fini(&app->preview);
    }
}

/* A click on the row that is kept lets go. */
static void take_light(struct app *app, const struct panels_result *result) {
    static const struct agent_group none;
    struct state_colors *colors = &app->colors.states;
    const struct agent_group before = state_colors_lit(colors);
    const bool is_row = result->lights >= 0 && result->lights < app->view.legend.count;
    colors->pointed = is_row ? app->view.legend.rows[result->lights].lights : none;
    if (result->keeps_light) {
        colors->kept = agent_group_same(colors->kept, colors->pointed) ? none : colors->pointed;
    }
    if (!agent_group_same(before, state_colors_lit(colors))) {
        app_clear_crowd(app); /* its colors are others */
        app->pacing.is_dirty = true;
    }
}

void app_take_result(struct app *app, const struct panels_result *result) {
    app->result = *result;
    take_light(app, result);
    app->pacing.is_dirty |= result->has_more;
    take_preview(app, result);
    if (result->shortcut != NULL) {
        app_act(app, result->shortcut);
    }
    if (result->copies && app_inspected(app) != NULL) {
        char *words = agent_text(app_inspected(app));
        const bool is_copied = words != NULL && window_copy(app->window, words);
        free(words);
        server_model_set_notice(&app->server, !is_copied,
                                is_copied ? "copied" : "the clipboard cannot be reached");
    }
    if (result->plots_own) {
        plots_choose(&app->plots, result->own_kind, result->own_name);
    }
    if (result->panel_width > 0.0) {
        set_panel_width(app, result->panel_width);
    }
    if (result->chooses != NULL) {
        view_settings_choose(&app->settings, &app->changes, &result->chooses->setting, result->choice);
    }
    if (result->is_scrubbing) {
        app_scrub(app, result->scrub_to_s);
    }
    if (result->branch[0] != '\0') {
        app_ask_branch(app, result->branch);
    }
    app_scrub_replay(app, result);
    app_take_speed(app, result);
    take_pick(app, result);
    if (result->agrees) {
        app_agree(app, result->entered);
    }
    app_tune(app, result);
}
