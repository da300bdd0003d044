/* See config.h. The file is written beside itself and renamed: it is whole or as it was. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/system/log.h"
#include "common/system/regular_file.h"
#include "viewer/app/config.h"

enum { FILE_MOST = 16384, PATH_BYTES = 1200 };

/* "" when there is no home. */
static void file_path(char *out, size_t size, bool only_folder) {
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char *file = only_folder ? "" : "/viewer.json";
    int length = 0;
    if (base != NULL && base[0] == '/') {
        length = snprintf(out, size, "%s/drover%s", base, file);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(out, size, "%s/.config/drover%s", home, file);
    }
    if (length <= 0 || (size_t)length >= size) {
        out[0] = '\0';
    }
}

int config_load(struct view_settings *settings) {
    char path[PATH_BYTES], reason[REGULAR_FILE_REASON] = "";
    char *text = NULL;
    size_t length = 0;
    struct failure failure;
    file_path(path, sizeof path, false);
    const enum regular_file_result result =
        path[0] == '\0' ? REGULAR_FILE_MISSING : regular_file_read(path, FILE_MOST, &text, &length, reason);
    if (result == REGULAR_FILE_MISSING) {
        return 0;
    }
    const bool is_used = result == REGULAR_FILE_OK && config_read(text, length, settings, &failure) == 0;
    if (!is_used) {
        log_write(LOG_WARN, "config", "%s is not used and will not be changed: %s", path,
                  result != REGULAR_FILE_OK ? reason : failure.message);
    }
    free(text);
    return is_used ? 0 : -1;
}

/* Both folders, if they are not there; what is wrong shows when the file is written. */
static void make_folders(void) {
    char folder[PATH_BYTES];
    file_path(folder, sizeof folder, true);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        *slash = '\0';
        (void)mkdir(folder, 0700);
        *slash = '/';
        (void)mkdir(folder, 0755);
    }
}

/* Writes beside the file and renames it. */
static int write_file(const char *path, const char *text, struct failure *failure) {
    char fresh[PATH_BYTES + 8];
    (void)snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = fopen(fresh, "wb");
    bool is_written = file != NULL && fprintf(file, "%s\n", text) > 0;
    is_written = file != NULL && fclose(file) == 0 && is_written;
    if (!is_written || rename(fresh, path) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot write %s: %s", path, strerror(errno));
    }
    return 0;
}

int config_save(const struct view_settings *now, const struct view_settings *kept,
                const struct view_changes *changes, struct failure *failure) {
    char path[PATH_BYTES], reason[REGULAR_FILE_REASON] = "";
    char *text = NULL;
    size_t length = 0;
    struct failure inner;
    file_path(path, sizeof path, false);
    if (path[0] == '\0' || !config_has_change(now, kept, changes)) {
        return 0; /* no home, or nothing to keep */
    }
    const enum regular_file_result result = regular_file_read(path, FILE_MOST, &text, &length, reason);
    const bool is_fine = result == REGULAR_FILE_OK || result == REGULAR_FILE_MISSING;
    char *changed = is_fine ? config_change(text, length, now, kept, changes, &inner) : NULL;
    free(text);
    if (changed == NULL) { /* another program wrote the file while the viewer ran */
        return failure_set(failure, FAILURE_BAD_PARAM, NULL, "%s is not changed: %s", path,
                           is_fine ? inner.message : reason);
    }
    make_folders();
    const int written = write_file(path, changed, failure);
    free(changed);
    return written;
}
