/* Speeds of the world's time as keys and the slider choose them: times its own rate, 0 as fast as it goes. Pure. */
#ifndef DROVER_VIEWER_MODEL_SPEEDS_H
#define DROVER_VIEWER_MODEL_SPEEDS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SPEEDS_TEXT = 16 };

/** The ends of the slider and of the keys. */
#define SPEEDS_LEAST 0.05
#define SPEEDS_MOST  16.0

/** The next speed above (or below) this one: 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16; the last of them stays. */
double speeds_next(double speed, bool is_faster);
/** What a place of the slider means: 1 from 0.84 to 1.19, else two digits. */
double speeds_snap(double speed);
/** "0.25x", "8x", "37x": at most two decimals, from ten on none. */
void speeds_format(double speed, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
