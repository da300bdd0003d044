/* See hud_format.h. */
#include "viewer/panels/hud_format.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* One decimal without printf's %f, whose point depends on the locale. */
void hud_format_tenths(double value, const char *unit, char *out, size_t size) {
    assert(size > 0);
    const double limited = value < 0.0 ? 0.0 : value > 1e12 ? 1e12 : value;
    const unsigned long long tenths = (unsigned long long)(limited * 10.0 + 0.5);
    (void)snprintf(out, size, "%llu.%llu%s", tenths / 10, tenths % 10, unit);
}

void hud_format_pair(double a, double b, const char *between, const char *unit, char *out, size_t size) {
    char first[24], second[24];
    hud_format_tenths(a, "", first, sizeof first);
    hud_format_tenths(b, unit, second, sizeof second);
    (void)snprintf(out, size, "%s%s%s%s", a < 0.0 ? "-" : "", first, between, second);
}

void hud_format_hundredths(double value, const char *unit, char *out, size_t size) {
    const unsigned long long hundredths = (unsigned long long)(fmin(fmax(value, 0.0), 1e9) * 100.0 + 0.5);
    (void)snprintf(out, size, "%llu.%02llu%s", hundredths / 100, hundredths % 100, unit);
}

void hud_add_row(struct panels_row *rows, int *count, const char *name, const char *value) {
    if (*count < PANELS_ROWS) {
        struct panels_row *row = &rows[(*count)++];
        (void)snprintf(row->name, sizeof row->name, "%s", name);
        (void)snprintf(row->value, sizeof row->value, "%s", value);
    }
}
