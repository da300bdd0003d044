/* The color of every cell of a density: what the setting `color` says, as far as a density knows it. Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_DENSITY_COLORS_H
#define DROVER_VIEWER_EXPLAIN_DENSITY_COLORS_H

#include <stdbool.h>

#include "common/snapshot/snapshot_density.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/link/server_model.h"
#include "viewer/model/view_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What colors of cells say: as the settings have it, but kinds in place of states, which no density has. */
enum color_mode density_colors_mode(const struct state_colors *colors, const struct view_settings *settings);
/** What a subscription asks for, so that a density has it. */
bool density_colors_need_kinds(const struct state_colors *colors, const struct view_settings *settings);
bool density_colors_need_speed(const struct state_colors *colors, const struct view_settings *settings);
/** Fills out, one color for each cell that has agents: those of their kinds, mixed by the squares of how many there
 * are, so that small majorities show; that of their mean heading, the grayer the more of them go other ways; or of their mean
 * speed. false when the density does not have it. */
bool density_colors_fill(const struct state_colors *colors, const struct density *density,
                         const struct server_model *server, const struct view_settings *settings, color *out);

#ifdef __cplusplus
}
#endif

#endif
