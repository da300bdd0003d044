/* The page's side of what the window has files and processes for: texts and pictures are downloads, previews and recordings
 * are the server's, clips are not made. */
#include <stdlib.h>
#include <string.h>

#include "common/system/regular_file.h"
#include "viewer/platform/clip.h"
#include "viewer/platform/files.h"
#include "viewer/platform/own_server.h"
#include "web/page_host.h"

/* ---- downloads ---- */

int png_file_save(const struct raster *raster, const char *path, struct failure *failure) {
    (void)failure;
    page_host_save_picture(path, strlen(path), raster->pixels, raster->width, raster->height);
    return 0;
}

int text_file_save(const char *path, const char *text, size_t length) {
    page_host_save(path, strlen(path), text, length);
    return 0;
}

const char *text_file_folder(char *out, size_t size) {
    out[0] = '\0';
    (void)size;
    return out;
}

/* ---- what a page has not ---- */

/* The declarations are those of the programs, where these functions write to what they point at.
 * NOLINTBEGIN(readability-non-const-parameter) */

enum regular_file_result regular_file_read(const char *path, size_t limit, char **text, size_t *length,
                                           char reason[REGULAR_FILE_REASON]) {
    (void)path;
    (void)limit;
    (void)length;
    (void)reason;
    *text = NULL;
    return REGULAR_FILE_MISSING;
}

bool recording_is_named(const char *argument) {
    (void)argument;
    return false;
}

bool file_is_meant(const char *argument) {
    (void)argument;
    return false;
}

const char *own_folder(char *out, size_t size) {
    (void)size;
    out[0] = '\0';
    return out;
}

bool file_is_there(const char *name) {
    (void)name;
    return false;
}

int own_server_find(char *path, size_t size, struct failure *failure) {
    (void)path;
    (void)size;
    return failure_set(failure, FAILURE_INTERNAL, NULL, "a page starts no server");
}

struct own_server *own_server_start(const char *program, const char *recording, int patience_ms,
                                    struct address *address, struct failure *failure) {
    (void)program;
    (void)recording;
    (void)patience_ms;
    (void)address;
    (void)failure_set(failure, FAILURE_INTERNAL, NULL, "a page starts no server");
    return NULL;
}

bool own_server_has_ended(struct own_server *server, char *reason, size_t size) {
    (void)server;
    (void)reason;
    (void)size;
    return false;
}

void own_server_stop(struct own_server *server) {
    (void)server;
}

struct clip *clip_start(const char *path, int32_t width, int32_t height, bool waits,
                        struct failure *failure) {
    (void)path;
    (void)width;
    (void)height;
    (void)waits;
    (void)failure_set(failure, FAILURE_INTERNAL, NULL, "a page records no clips; drover-viewer does");
    return NULL;
}

bool clip_wants_frame(const struct clip *clip, double now_ms) {
    (void)clip;
    (void)now_ms;
    return false;
}

int clip_add(struct clip *clip, const struct raster *raster, double now_ms) {
    (void)clip;
    (void)raster;
    (void)now_ms;
    return -1;
}

void clip_end(struct clip *clip) {
    (void)clip;
}

bool clip_has_ended(struct clip *clip) {
    (void)clip;
    return true;
}

int clip_stop(struct clip *clip, struct failure *failure) {
    (void)clip;
    (void)failure;
    return 0;
}

/* NOLINTEND(readability-non-const-parameter) */

/* The page's panels show the server's file by themselves. */
void preview_file_load(struct preview_file *preview, const char *name) {
    preview_file_fini(preview);
    strncat(preview->name, name, sizeof preview->name - 1);
}

void preview_file_fini(struct preview_file *preview) {
    free(preview->pixels);
    *preview = (struct preview_file){.pixels = NULL};
}
