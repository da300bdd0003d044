/* See units.h. */
#include "viewer/explain/units.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name; /* on the wire */
    const char *beside, *words;
};

static const struct unit units[] = {
    {"1", "", ""},
    {"mass", "", "mass; 1 is the usual"},
    {"mass*px/s^2", "", "mass × px/s²"},
    {"rad/s^0.5", "", "rad/√s"},
};

static const struct unit *find(const char *unit) {
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, unit) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

const char *units_beside(const char *unit) {
    const struct unit *row = find(unit);
    return row != NULL ? row->beside : unit;
}

const char *units_in_words(const char *unit) {
    const struct unit *row = find(unit);
    return row != NULL ? row->words : unit;
}

size_t units_format_whole(uint64_t value, char *out, size_t size) {
    char digits[24], apart[32];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            apart[used++] = ' ';
        }
        apart[used++] = digits[i];
    }
    assert(used < size);
    (void)snprintf(out, size, "%.*s", (int)used, apart);
    return used;
}

void units_format_number(double value, char *out, size_t size) {
    assert(size >= 32);
    const uint64_t thousandths = (uint64_t)llround(fmin(fabs(value), 1e15) * 1000.0);
    size_t used = 0;
    if (value < 0.0 && thousandths > 0) {
        out[used++] = '-';
    }
    used += units_format_whole(thousandths / 1000, out + used, size - used);
    (void)snprintf(out + used, size - used, ".%03" PRIu64, thousandths % 1000);
    size_t last = used + 3;
    while (last > used && out[last] == '0') {
        last--;
    }
    out[last > used ? last + 1 : used] = '\0';
}

/* A turn in less than a tick: the rule does nothing. */
static bool is_unlimited(const struct message_param *param, double value) {
    return value >= param->max && strcmp(param->unit, "deg/s") == 0;
}

void units_format_param(const struct message_param *param, double value, char out[UNITS_TEXT]) {
    char number[32];
    const char *unit = units_beside(param->unit);
    units_format_number(value, number, sizeof number);
    if (is_unlimited(param, value)) {
        (void)snprintf(out, UNITS_TEXT, "no limit");
    } else {
        (void)snprintf(out, UNITS_TEXT, unit[0] != '\0' ? "%s %s" : "%s%s", number, unit);
    }
}
