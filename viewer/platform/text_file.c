/* See text_file.h. */
#include "viewer/platform/text_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
