/* See param_list.h. */
#include "viewer/explain/param_list.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- units ---- */

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

/* ---- the list of parameters ---- */

static void copy_part(char out[LIMIT_NAME_CHARS + 1], const char *from, size_t length) {
    const size_t most = length < LIMIT_NAME_CHARS ? length : LIMIT_NAME_CHARS;
    memcpy(out, from, most);
    out[most] = '\0';
}

struct param_name param_name_of(const char *name) {
    struct param_name parts = {.name = name};
    const char *slash = strchr(name, '/');
    if (slash != NULL) {
        copy_part(parts.state, name, (size_t)(slash - name));
        parts.name = slash + 1;
    }
    const char *point = strchr(parts.name, '.');
    if (point != NULL) {
        copy_part(parts.behavior, parts.name, (size_t)(point - parts.name));
        parts.name = point + 1;
    }
    return parts;
}

/* Whether `text` holds the first `length` characters of `word`, case aside. */
static bool holds(const char *text, const char *word, size_t length) {
    for (; *text != '\0'; text++) {
        size_t same = 0;
        while (same < length && text[same] != '\0' &&
               tolower((unsigned char)text[same]) == tolower((unsigned char)word[same])) {
            same++;
        }
        if (same == length) {
            return true;
        }
    }
    return false;
}

static bool fits(const char *name, const char *filter) {
    while (*filter != '\0') {
        const size_t length = strcspn(filter, " ");
        if (length > 0 && !holds(name, filter, length)) {
            return false;
        }
        filter += length + (filter[length] == ' ' ? 1 : 0);
    }
    return true;
}

/* Which of the three parts of the list a parameter stands in. */
static int part_of(const struct param_name *name, const char *state) {
    return name->behavior[0] == '\0' ? 0 : strcmp(name->state, state) == 0 ? 1 : 2;
}

void param_list_fill(const struct message_param *params, int count, const char *kind, const char *state,
                     const char *filter, struct param_list *list) {
    char last[sizeof params->param] = "";
    assert(count == 0 || params != NULL);
    list->count = 0;
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < count && list->count < PARAM_LIST_MOST; i++) {
            const struct param_name name = param_name_of(params[i].param);
            const size_t head = (size_t)(name.name - params[i].param);
            if (strcmp(params[i].kind, kind) != 0 || part_of(&name, state) != part ||
                !fits(params[i].param, filter)) {
                continue;
            }
            const bool is_first =
                list->count == 0 || strncmp(last, params[i].param, head) != 0 || strlen(last) != head;
            list->rows[list->count++] = (struct param_row){i, is_first, part < 2};
            (void)snprintf(last, sizeof last, "%.*s", (int)head, params[i].param);
        }
    }
}

int param_list_weight(const struct message_param *params, int count, const char *kind, const char *state,
                      const char *behavior) {
    for (int i = 0; i < count; i++) {
        const struct param_name name = param_name_of(params[i].param);
        if (strcmp(params[i].kind, kind) == 0 && strcmp(name.name, "weight") == 0 &&
            strcmp(name.behavior, behavior) == 0 &&
            (name.state[0] == '\0' || strcmp(name.state, state) == 0)) {
            return i;
        }
    }
    return -1;
}

bool param_list_is_muted(const struct message_param *param, const struct message_agent *agent) {
    const struct param_name name = param_name_of(param->param);
    if (param->value != 0.0 || strcmp(name.name, "weight") != 0 || strcmp(param->kind, agent->kind) != 0 ||
        name.behavior[0] == '\0' || (name.state[0] != '\0' && strcmp(name.state, agent->state) != 0)) {
        return false;
    }
    return message_agent_find_term(agent, name.behavior) == NULL;
}

double param_track_end(const struct message_param *param, double first) {
    const double usual = first > 0.0 ? 4.0 * first : fmin(param->max, 100.0);
    return fmin(fmax(usual, param->value), param->max);
}

double param_rounded(double value, double reach) {
    const double step = pow(10.0, floor(log10(fmax(reach, 1e-3))) - 2.0);
    return round(value / step) * step;
}

void param_range_text(const struct message_param *param, double first, char out[PARAM_RANGE_TEXT]) {
    char least[32], most[UNITS_TEXT], before[UNITS_TEXT];
    const char *words = units_beside(param->unit)[0] == '\0' ? units_in_words(param->unit) : "";
    units_format_number(param->min, least, sizeof least);
    units_format_param(param, param->max, most);
    units_format_param(param, first, before);
    (void)snprintf(out, PARAM_RANGE_TEXT, "%s to %s%s%s; it was %s", least, most, words[0] != '\0' ? " " : "",
                   words, before);
}
