/* The pictures of scenarios, which lie beside the scenarios: previews/NAME.png. */
#ifndef DROVER_VIEWER_PLATFORM_PREVIEW_FILE_H
#define DROVER_VIEWER_PLATFORM_PREVIEW_FILE_H

#include <stdint.h>

#include "common/base/limits.h"

/** The picture of a scenario; pixels NULL: there is none, or no other one was looked for yet. */
struct preview_file {
    char name[LIMIT_NAME_CHARS + 1]; /* the scenario that it was looked for last; "" for none */
    uint32_t *pixels;                /* 0xFFrrggbb, row by row, owned */
    int32_t width, height;
};

/** Looks for the picture of this scenario in the folders where drover-server looks for scenarios, and reads it. What is
 * no picture, or is too large for one, counts as none. */
void preview_file_load(struct preview_file *preview, const char *name);
/** Frees the pixels and forgets the name. */
void preview_file_fini(struct preview_file *preview);

#endif
