/* Saves a picture as a PNG file. */
#ifndef DROVER_VIEWER_PLATFORM_PNG_FILE_H
#define DROVER_VIEWER_PLATFORM_PNG_FILE_H

#include "common/base/failure.h"
#include "viewer/draw/raster.h"

/** 24-bit RGB. -1 with *failure when the file cannot be written. */
NODISCARD int png_file_save(const struct raster *raster, const char *path, struct failure *failure);

#endif
