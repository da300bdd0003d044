/* See save_name.h. */
#include "viewer/model/save_name.h"

#include <stdio.h>
#include <string.h>

enum { TRIES = 99 };

void save_name_propose(const char *scenario, uint64_t tick,
                       bool (*is_taken)(const void *context, const char *name), const void *context,
                       char *out) {
    for (int number = 1; number <= TRIES; number++) {
        char ending[32], more[16] = "";
        if (number > 1) {
            (void)snprintf(more, sizeof more, "-%d", number);
        }
        (void)snprintf(ending, sizeof ending, "-%llu%s", (unsigned long long)tick, more);
        /* a long scenario's name gives way to the tick */
        const size_t end = strlen(ending), most = LIMIT_NAME_CHARS - end, own = strlen(scenario);
        const size_t kept = own < most ? own : most;
        memcpy(out, scenario, kept);
        memcpy(out + kept, ending, end + 1);
        if (!is_taken(context, out)) {
            return;
        }
    }
}

/* Days since 1970 of a date of the Gregorian calendar; years begin in March, so that leap days are at their end. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    const int64_t y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* So many digits, and the character after them. -1 when they are not there. */
static int read_part(const char **at, int digits, char after) {
    int value = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (**at < '0' || **at > '9') {
            return -1;
        }
        value = value * 10 + (**at - '0');
    }
    return *(*at)++ == after ? value : -1;
}

static bool read_time(const char *text, int64_t *seconds) {
    static const struct {
        int digits;
        char after;
    } parts[] = {{4, '-'}, {2, '-'}, {2, 'T'}, {2, ':'}, {2, ':'}, {2, 'Z'}};
    int64_t values[6];
    for (int i = 0; i < 6; i++) {
        values[i] = read_part(&text, parts[i].digits, parts[i].after);
        if (values[i] < 0) {
            return false;
        }
    }
    *seconds =
        ((days_of(values[0], values[1], values[2]) * 24 + values[3]) * 60 + values[4]) * 60 + values[5];
    return true;
}

void save_age_format(const char *saved, int64_t now_s, char *out, size_t size) {
    int64_t then_s = 0;
    out[0] = '\0';
    if (!read_time(saved, &then_s)) {
        return;
    }
    const long long age_s = now_s - then_s, minutes = age_s / 60, hours = age_s / 3600, days = age_s / 86400;
    if (minutes < 1) {
        (void)snprintf(out, size, "just now");
    } else if (hours < 1) {
        (void)snprintf(out, size, "%lld min ago", minutes);
    } else if (days < 2) {
        (void)snprintf(out, size, "%lld h ago", hours);
    } else {
        (void)snprintf(out, size, "%lld days ago", days);
    }
}

char save_name_letter(char letter) {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
    return letter == ' ' ? '-' : is_letter ? letter : '\0';
}
