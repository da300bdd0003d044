/* The parts of hud_fill, for hud*.c alone: hud_agent.c (the agent, plots, ranks), hud_labels.c (names in the world, the card beside
 * the agent, the caption), hud_picker.c (worlds to choose, the recording). */
#ifndef DROVER_VIEWER_PANELS_HUD_INTERNAL_H
#define DROVER_VIEWER_PANELS_HUD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "viewer/panels/hud.h"
#include "viewer/panels/panels.h"

/** 12.344, " ms" -> "12.34 ms"; a value below 0 is written as 0. */
void hud_format_hundredths(double value, const char *unit, char *out, size_t size);
/** 12.34, " ms" -> "12.3 ms"; a value below 0 is written as 0. */
void hud_format_tenths(double value, const char *unit, char *out, size_t size);
/** Adds a row; beyond PANELS_ROWS it is left out. */
void hud_add_row(struct panels_row *rows, int *count, const char *name, const char *value);

/* The inspector: the selected agent's state and forces in words. Pure. */

/** Fills the agent's title, rows, shares and note. */
void hud_fill_agent(const struct hud_input *input, struct panels_view *view);

/* The plots of the last minute. Pure. */

/** Fills the plots, and the mark of the moment shown. */
void hud_fill_plots(const struct hud_input *input, struct panels_view *view);

/* The words and bars of the ranks of a cluster. Pure. */

/** Fills view->ranks; nothing without a cluster. */
void hud_fill_ranks(const struct hud_input *input, struct panels_view *view);

/* Names in the picture, and where places of the world are in it. Pure. */

/** The names of targets, of other clients' cursors, and of the selected agent's places and radii, each where it
 * covers no other. */
void hud_fill_labels(const struct hud_input *input, struct panels_view *view);

/* The card beside the selected agent while the side panel is closed: what it does, why, how fast. Pure. */

/** Fills view->tag, after the agent's rows. */
void hud_fill_tag(const struct hud_input *input, struct panels_view *view);

/* What a world says of itself for its first seconds. Pure. */

/** Fills view->caption: what the world is, what to try, which key tells more. */
void hud_fill_caption(const struct hud_input *input, struct panels_view *view);

/* Saved worlds and recordings in words: questions, rows of the picker, the timeline of a recording. Pure. */

/** The timeline of the recording that the server plays. */
void hud_fill_replay(const struct hud_input *input, struct panels_view *view);
/** The question that is open. */
void hud_fill_question(const struct hud_input *input, struct panels_view *view);

/* The scenarios and saved worlds that fit what was typed. Pure. */

/** The picker's rows. Nothing typed: in groups, each in the server's order, with a heading before its first row; else
 * best first, and those that fit alike in the order of the groups. */
void hud_fill_hits(const struct hud_input *input, struct panels_view *view);

/* Finding a name by a few of its letters, in order, as one types them, and a text by its words. Pure. */

#ifdef __cplusplus
extern "C" {
#endif

/** How well the letters of `wanted` are found in `text`, in their order: 0 not at all; more is better.
 * Letters at the start of words and side by side count more; case and spaces in `wanted` do not count. An
 * empty wish fits everything alike. */
int fuzzy_score(const char *wanted, const char *text);

/** How well the words of `wanted` are found in a sentence: each must be there as it is typed, at the start of a word or
 * inside one, since in a long text nearly any letters are found in order. 0 when one is not; more for more letters and
 * for those at the start of words. Case does not count. An empty wish gives 1. */
int fuzzy_words_score(const char *wanted, const char *text);

#ifdef __cplusplus
}
#endif

#endif
