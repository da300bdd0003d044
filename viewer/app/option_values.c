/* See option_values.h. */
#include "viewer/app/option_values.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "viewer/model/shortcuts.h"

enum { MIN_WIDTH = 320, MIN_HEIGHT = 240, MAX_SIZE = 8192, SHOWN_CHARS = 40 };

/* Up to five digits; the rest of the text, or NULL without a digit. */
static const char *read_length(const char *text, int32_t *length) {
    int digits = 0;
    for (*length = 0; digits < 5 && *text >= '0' && *text <= '9'; digits++, text++) {
        *length = *length * 10 + (*text - '0');
    }
    return digits > 0 ? text : NULL;
}

int size_parse(const char *text, int32_t *width, int32_t *height, struct failure *failure) {
    assert(text != NULL && width != NULL && height != NULL);
    int32_t w = 0, h = 0;
    const char *rest = read_length(text, &w);
    if (rest != NULL && *rest == 'x') {
        rest = read_length(rest + 1, &h);
    } else {
        rest = NULL;
    }
    if (rest == NULL || *rest != '\0' || w < MIN_WIDTH || h < MIN_HEIGHT || w > MAX_SIZE || h > MAX_SIZE) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--size",
                           "--size: invalid size \"%s\"; expected WIDTHxHEIGHT, %dx%d to %dx%d", text,
                           MIN_WIDTH, MIN_HEIGHT, MAX_SIZE, MAX_SIZE);
    }
    *width = w;
    *height = h;
    return 0;
}

int ui_scale_check(double scale, struct failure *failure) {
    if (scale != 0.0 && scale < 0.5) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--ui-scale",
                           "--ui-scale: invalid scale; expected 0, or 0.5 to 4");
    }
    return 0;
}

/* ---- overlays: the rows of shortcuts.c with is_overlay ---- */

static bool *overlay_of(const struct shortcut *row, struct view_settings *settings) {
    assert(row->is_overlay && row->setting.type == FIELD_BOOL);
    return (bool *)((char *)settings + row->setting.offset);
}

/* Shows the overlay of this name; false when there is none. */
static bool show_overlay(const char *name, size_t length, struct view_settings *settings) {
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].is_overlay && strlen(rows[i].setting.name) == length &&
            strncmp(name, rows[i].setting.name, length) == 0) {
            *overlay_of(&rows[i], settings) = true;
            return true;
        }
    }
    return length == strlen("none") && strncmp(name, "none", length) == 0;
}

static void set_overlays(struct view_settings *settings, bool are_shown) {
    size_t count = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].is_overlay) {
            *overlay_of(&rows[i], settings) = are_shown;
        }
    }
}

static int fail_overlay(const char *name, size_t length, struct failure *failure) {
    char known[256];
    struct view_settings all = view_settings_default();
    set_overlays(&all, true);
    overlays_format(&all, known, sizeof known);
    return failure_set(failure, FAILURE_BAD_PARAM, "--overlays",
                       "--overlays: unknown overlay \"%.*s\"; expected %s or none",
                       length > SHOWN_CHARS ? SHOWN_CHARS : (int)length, name, known);
}

int overlays_parse(const char *text, struct view_settings *settings, struct failure *failure) {
    assert(text != NULL && settings != NULL);
    struct view_settings read = *settings;
    set_overlays(&read, false);
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (!show_overlay(at, length, &read)) {
            return fail_overlay(at, length, failure);
        }
        at += length + (at[length] == ',' ? 1 : 0);
    }
    *settings = read;
    return 0;
}

void overlays_format(const struct view_settings *settings, char *out, size_t size) {
    size_t count = 0, used = 0;
    const struct shortcut *rows = shortcuts_table(&count);
    (void)snprintf(out, size, "none");
    for (size_t i = 0; i < count && used < size; i++) {
        if (rows[i].is_overlay && view_settings_get_bool(settings, &rows[i].setting)) {
            const int more =
                snprintf(out + used, size - used, "%s%s", used > 0 ? "," : "", rows[i].setting.name);
            used += more > 0 ? (size_t)more : 0;
        }
    }
    assert(used < size);
}
