/* See png_file.h. The only file that compiles stb_image_write (a system header: its warnings are not ours).
 */
#include "viewer/platform/png_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb_image_write.h>

static unsigned char *rgb_copy(const struct raster *raster) {
    const size_t count = (size_t)raster->width * (size_t)raster->height;
    unsigned char *rgb = malloc(count * 3);
    for (size_t i = 0; rgb != NULL && i < count; i++) {
        rgb[i * 3] = (unsigned char)(raster->pixels[i] >> 16);
        rgb[i * 3 + 1] = (unsigned char)(raster->pixels[i] >> 8);
        rgb[i * 3 + 2] = (unsigned char)raster->pixels[i];
    }
    return rgb;
}

int png_file_save(const struct raster *raster, const char *path, struct failure *failure) {
    unsigned char *rgb = rgb_copy(raster);
    if (rgb == NULL) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    errno = 0;
    const int is_written = stbi_write_png(path, raster->width, raster->height, 3, rgb, raster->width * 3);
    const int reason = errno;
    free(rgb);
    if (!is_written) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot write %s: %s", path,
                           reason != 0 ? strerror(reason) : "unknown reason");
    }
    return 0;
}
