/* See files.h. */
#include "viewer/platform/files.h"

#include <errno.h>
#include <stb_image.h>
#include <stb_image_write.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/regular_file.h"

/* ---- texts ---- */

int text_file_save(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    const bool is_written = file != NULL && fwrite(text, 1, length, file) == length;
    const bool is_closed = file != NULL && fclose(file) == 0;
    return is_written && is_closed ? 0 : -1;
}

const char *text_file_folder(char *out, size_t size) {
    char folder[1024];
    const char *home = getenv("HOME");
    const size_t length = home != NULL ? strlen(home) : 0;
    out[0] = '\0';
    if (getcwd(folder, sizeof folder) != NULL) {
        const bool is_below = length > 1 && strncmp(folder, home, length) == 0 &&
                              (folder[length] == '/' || folder[length] == '\0');
        (void)snprintf(out, size, " in %s%s", is_below ? "~" : "", folder + (is_below ? length : 0));
    }
    return out;
}

/* ---- png file ---- */

/* The only file that compiles stb_image_write (a system header: its warnings are not ours). */

/* ---- pictures ---- */

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

/* ---- previews ---- */

enum { PATH_BYTES = 1024, FILE_MOST = 1 << 20, SIDE_MOST = 1024, PLACES = 4 };

static const char name_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/* The folders of drover-server: a person's own data, beside the program, the system's. "" for one that is not known. */
static void find_places(char places[PLACES][PATH_BYTES]) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char program[PATH_BYTES / 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    places[0][0] = places[1][0] = '\0';
    if (data != NULL && data[0] == '/') {
        (void)snprintf(places[0], PATH_BYTES, "%s/drover", data);
    } else if (home != NULL && home[0] == '/') {
        (void)snprintf(places[0], PATH_BYTES, "%s/.local/share/drover", home);
    }
    if (slash != NULL) {
        (void)snprintf(places[1], PATH_BYTES, "%.*s/../share/drover", (int)(slash - program), program);
    }
    (void)snprintf(places[2], PATH_BYTES, "/usr/local/share/drover");
    (void)snprintf(places[3], PATH_BYTES, "/usr/share/drover");
}

/* The bytes of the first file that is there; NULL for none. */
static char *read_file(const char *name, size_t *length) {
    char places[PLACES][PATH_BYTES], path[PLACES * PATH_BYTES + LIMIT_NAME_CHARS + 32],
        reason[REGULAR_FILE_REASON];
    find_places(places);
    for (int i = 0; i < PLACES; i++) {
        char *bytes = NULL;
        (void)snprintf(path, sizeof path, "%s/scenarios/previews/%s.png", places[i], name);
        if (places[i][0] != '\0' &&
            regular_file_read(path, FILE_MOST, &bytes, length, reason) == REGULAR_FILE_OK) {
            return bytes;
        }
    }
    return NULL;
}

static void decode(struct preview_file *preview, const unsigned char *bytes, int length) {
    int width = 0, height = 0, channels = 0;
    if (stbi_info_from_memory(bytes, length, &width, &height, &channels) == 0 || width > SIDE_MOST ||
        height > SIDE_MOST) {
        return;
    }
    unsigned char *rgb = stbi_load_from_memory(bytes, length, &width, &height, &channels, 3);
    const size_t count = rgb != NULL ? (size_t)width * (size_t)height : 0;
    preview->pixels = count > 0 ? malloc(count * sizeof *preview->pixels) : NULL;
    for (size_t i = 0; preview->pixels != NULL && i < count; i++) {
        preview->pixels[i] = 0xff000000u | (uint32_t)rgb[3 * i] << 16 | (uint32_t)rgb[3 * i + 1] << 8 |
                             (uint32_t)rgb[3 * i + 2];
    }
    preview->width = width;
    preview->height = height;
    stbi_image_free(rgb);
}

void preview_file_load(struct preview_file *preview, const char *name) {
    const size_t letters = strspn(name, name_letters);
    size_t length = 0;
    preview_file_fini(preview);
    if (letters == 0 || letters > LIMIT_NAME_CHARS || name[letters] != '\0') {
        return; /* no name of a scenario: it could lead to any file */
    }
    (void)snprintf(preview->name, sizeof preview->name, "%s", name);
    char *bytes = read_file(name, &length);
    if (bytes != NULL) {
        decode(preview, (const unsigned char *)bytes, (int)length);
    }
    free(bytes);
}

void preview_file_fini(struct preview_file *preview) {
    free(preview->pixels);
    *preview = (struct preview_file){.pixels = NULL};
}
