/* Texts that the viewer saves as files, and the words for where files go. */
#ifndef DROVER_VIEWER_PLATFORM_TEXT_FILE_H
#define DROVER_VIEWER_PLATFORM_TEXT_FILE_H

#include <stddef.h>

#include "common/base/nodiscard.h"

/** Writes a text into a file of this name. -1 when it cannot be written. */
NODISCARD int text_file_save(const char *path, const char *text, size_t length);
/** Writes " in ~/talks" into `out`, for files whose names have no folder; "" when the folder is not known. Returns out. */
const char *text_file_folder(char *out, size_t size);

#endif
