/* Values that follow from the app's state; no function here changes it. */
#ifndef DROVER_VIEWER_APP_APP_QUERIES_H
#define DROVER_VIEWER_APP_APP_QUERIES_H

#include "viewer/app/app_state.h"

/** The size of text and lines: the user's choice, else the one that suits the screen. */
double app_ui_scale(const struct app *app);
/** Notes that this part of the picture has ended, and the next one begins. */
void app_note_part(struct app *app, enum hud_picture_part part);
/** How wide the side panel is where it is shown, px of the picture. */
float app_panel_px(const struct app *app);
/** Whether a button holds the target named mouse where it is: what is to be clicked does not flee meanwhile. */
bool app_holds_mouse_target(const struct app *app);
/** Whether the pointer moves the target named mouse. */
bool app_moves_mouse_target(const struct app *app);
/** The size of a wrapping world, px of the world; {0,0} otherwise. */
vec2 app_wrap_size(const struct app *app);
/** The pointer's place in the world, px of the world; never outside: at a copy of a wrapping world the place it is a
 * copy of. */
vec2 app_world_point(const struct app *app);
/** Whether the window has panels: not the world alone, no exhibition. */
bool app_has_panels(const struct app *app);
/** Whether it has a timeline. */
bool app_has_timeline(const struct app *app);
/** Whether a point, picture px, is over the panels. Known before they are drawn again: the pointer may have
 * jumped. */
bool app_is_over_panels(const struct app *app, vec2 at);

/** The simulated time of the newest snapshot, s. */
double app_now_s(const struct app *app);
/** The tick of the newest snapshot; 0 without one. */
uint64_t app_now_tick(const struct app *app);
/** Simulated seconds that the picture is behind the newest snapshot; 0 when it is live. */
double app_behind_s(const struct app *app);
/** Whether one moment of the past is shown and stays. */
bool app_is_held(const struct app *app);

/** The whole world, px of the world. */
struct stream_box app_world_box(const struct app *app);
/** Whether the density is of the whole world. */
bool app_is_wide(const struct app *app, const struct density *density);
/** The newest density of this world, or NULL. */
const struct density *app_newest_density(const struct app *app);
/** The newest density of the whole of this world, or NULL. */
const struct density *app_wide_density(const struct app *app);
/** The agents and columns that the picture needs in frames. */
struct stream_wish app_stream_wish(const struct app *app);
/** The density that is shown instead of agents, or NULL. */
const struct density *app_density(const struct app *app);

/** What is known of the selected agent's forces at the moment that is shown, or NULL. */
const struct message_agent *app_inspected(const struct app *app);
/** The kind whose parameters are shown; "" for none. */
const char *app_tuned_kind(const struct app *app);

/** The scene as it is now, without heat, handle and hovered agent. */
struct scene app_scene(const struct app *app);
/** scene_pick_for_hand in the last picture. All agents must be where they are: app_move_all. */
bool app_find_agent(const struct app *app, vec2 at, uint32_t *id);

#endif
