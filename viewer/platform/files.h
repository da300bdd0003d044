/* The files of the viewer: texts, pictures, and the previews of scenarios. */
#ifndef DROVER_VIEWER_PLATFORM_FILES_H
#define DROVER_VIEWER_PLATFORM_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "viewer/draw/raster.h"

/* Texts that the viewer saves as files, and the words for where files go. */

/** Writes a text into a file of this name. -1 when it cannot be written. */
NODISCARD int text_file_save(const char *path, const char *text, size_t length);
/** Writes " in ~/talks" into `out`, for files whose names have no folder; "" when the folder is not known. Returns out. */
const char *text_file_folder(char *out, size_t size);

/* Saves a picture as a PNG file. */

/** 24-bit RGB. -1 with *failure when the file cannot be written. */
NODISCARD int png_file_save(const struct raster *raster, const char *path, struct failure *failure);

/* The pictures of scenarios, which lie beside the scenarios: previews/NAME.png. */

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
