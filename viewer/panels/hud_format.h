/* Numbers as words, whatever the locale; rows of them. Pure. */
#ifndef DROVER_VIEWER_PANELS_HUD_FORMAT_H
#define DROVER_VIEWER_PANELS_HUD_FORMAT_H

#include <stddef.h>

#include "viewer/panels/panels_view.h"

/** 12.344, " ms" -> "12.34 ms"; a value below 0 is written as 0. */
void hud_format_hundredths(double value, const char *unit, char *out, size_t size);
/** 12.34, " ms" -> "12.3 ms"; a value below 0 is written as 0. */
void hud_format_tenths(double value, const char *unit, char *out, size_t size);
/** 12.34, 5, " of ", " px/s" -> "12.3 of 5.0 px/s". */
void hud_format_pair(double a, double b, const char *between, const char *unit, char *out, size_t size);
/** Adds a row; beyond PANELS_ROWS it is left out. */
void hud_add_row(struct panels_row *rows, int *count, const char *name, const char *value);

#endif
