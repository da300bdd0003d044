/* See replay.h. */
#include "viewer/model/replay.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the line of a recording ---- */

struct replay_line replay_line_of(const struct message_replay *replay, double tick_hz) {
    struct replay_line line = {.tick_hz = tick_hz > 0.0 ? tick_hz : 60.0, .first_world = 1};
    bool is_whole = replay->span_count > 0 && (uint32_t)replay->span_count == replay->worlds;
    for (int i = 0; i < replay->span_count && is_whole; i++) {
        line.spans[i] = replay->spans[i];
        is_whole = replay->spans[i].first <= replay->spans[i].last;
    }
    line.count = replay->span_count;
    if (!is_whole) {
        line.first_world = replay->world;
        line.count = 1;
        line.spans[0].first = replay->first;
        line.spans[0].last = replay->last > replay->first ? replay->last : replay->first;
    }
    return line;
}

static uint64_t span_ticks(const struct message_replay_span *span) {
    return span->last - span->first;
}

uint64_t replay_line_ticks(const struct replay_line *line) {
    uint64_t ticks = (uint64_t)line->count - 1; /* from the end of a world to the beginning of the next */
    for (int i = 0; i < line->count; i++) {
        ticks += span_ticks(&line->spans[i]);
    }
    return ticks;
}

uint64_t replay_line_offset(const struct replay_line *line, const struct replay_moment *moment) {
    uint64_t offset = 0;
    for (int i = 0; i < line->count; i++) {
        const struct message_replay_span *span = &line->spans[i];
        if (line->first_world + (uint32_t)i >= moment->world) {
            const uint64_t tick = moment->tick < span->last ? moment->tick : span->last;
            return offset + (tick > span->first ? tick - span->first : 0);
        }
        offset += span_ticks(span) + 1;
    }
    return offset - 1;
}

struct replay_moment replay_line_at(const struct replay_line *line, uint64_t offset) {
    int i = 0;
    assert(line->count > 0);
    while (i < line->count - 1 && offset > span_ticks(&line->spans[i])) {
        offset -= span_ticks(&line->spans[i++]) + 1;
    }
    const struct message_replay_span *span = &line->spans[i];
    const uint64_t within = offset < span_ticks(span) ? offset : span_ticks(span);
    return (struct replay_moment){line->first_world + (uint32_t)i, span->first + within};
}

double replay_line_share(const struct replay_line *line, const struct replay_moment *moment) {
    const uint64_t ticks = replay_line_ticks(line);
    return ticks > 0 ? (double)replay_line_offset(line, moment) / (double)ticks : 0.0;
}

struct replay_moment replay_line_moment(const struct replay_line *line, double share) {
    const double within = fmin(fmax(share, 0.0), 1.0);
    return replay_line_at(line, (uint64_t)(within * (double)replay_line_ticks(line) + 0.5));
}

struct replay_moment replay_line_world_end(const struct replay_line *line,
                                           const struct replay_moment *moment) {
    const uint32_t index = moment->world - line->first_world;
    if (moment->world < line->first_world || index >= (uint32_t)line->count) {
        return *moment;
    }
    return (struct replay_moment){moment->world, line->spans[index].last};
}

struct replay_moment replay_line_move(const struct replay_line *line, const struct replay_moment *moment,
                                      int64_t by) {
    const uint64_t from = replay_line_offset(line, moment), ticks = replay_line_ticks(line);
    const uint64_t far = (uint64_t)(by < 0 ? -by : by);
    if (by < 0) {
        return replay_line_at(line, from > far ? from - far : 0);
    }
    return replay_line_at(line, ticks - from > far ? from + far : ticks);
}

void replay_line_time(const struct replay_line *line, uint64_t ticks, char *out, size_t size) {
    assert(line->tick_hz > 0.0);
    const double seconds = (double)ticks / line->tick_hz;
    const unsigned long long tenths = (unsigned long long)(seconds * 10.0 + 1e-6), whole = tenths / 10;
    const bool is_short = (double)replay_line_ticks(line) / line->tick_hz < 60.0;
    if (whole >= 3600) {
        (void)snprintf(out, size, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
    } else if (is_short) {
        (void)snprintf(out, size, "%llu:%02llu.%llu", whole / 60, whole % 60, tenths % 10);
    } else {
        (void)snprintf(out, size, "%llu:%02llu", whole / 60, whole % 60);
    }
}

void seeker_want(struct seeker *seeker, const struct replay_moment *wish) {
    seeker->has_wish = true;
    seeker->wish = *wish;
}

void seeker_answer(struct seeker *seeker) {
    seeker->is_waiting = false;
}

bool seeker_sends(struct seeker *seeker, double now_ms) {
    const double passed_ms = now_ms - seeker->sent_ms;
    const bool is_held_up = seeker->is_waiting && passed_ms < SEEKER_PATIENCE_MS;
    const bool is_soon = seeker->sent_ms > 0.0 && passed_ms < SEEKER_GAP_MS;
    if (!seeker->has_wish || is_held_up || is_soon) {
        return false;
    }
    seeker->has_wish = false;
    seeker->is_waiting = true;
    seeker->sent_ms = now_ms;
    return true;
}

bool seeker_is_busy(const struct seeker *seeker) {
    return seeker->has_wish || seeker->is_waiting;
}

/* ---- names of saved worlds ---- */

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

/* ---- speeds ---- */

static const double dead_zone = 0.18; /* of the logarithm: three px of the slider to both sides */
static const double speeds[] = {SPEEDS_LEAST, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, SPEEDS_MOST};

enum { SPEED_COUNT = sizeof speeds / sizeof speeds[0] };

double speeds_next(double speed, bool is_faster) {
    if (is_faster) {
        int i = 0;
        while (i < SPEED_COUNT - 1 && speeds[i] <= speed * 1.001) {
            i++;
        }
        return speeds[i];
    }
    int i = SPEED_COUNT - 1;
    while (i > 0 && speeds[i] >= speed * 0.999) {
        i--;
    }
    return speeds[i];
}

double speeds_snap(double speed) {
    assert(speed > 0.0);
    if (fabs(log(speed)) < dead_zone) {
        return 1.0;
    }
    const double step = pow(10.0, floor(log10(speed)) - 1.0);
    return round(speed / step) * step;
}

/* Without printf's %g, whose point depends on the locale. */
void speeds_format(double speed, char *out, size_t size) {
    const unsigned long long hundredths = (unsigned long long)(fmin(fmax(speed, 0.0), 1e9) * 100.0 + 0.5);
    if (hundredths >= 1000 || hundredths % 100 == 0) {
        (void)snprintf(out, size, "%llux", (hundredths + 50) / 100);
    } else if (hundredths % 10 == 0) {
        (void)snprintf(out, size, "%llu.%llux", hundredths / 100, hundredths / 10 % 10);
    } else {
        (void)snprintf(out, size, "%llu.%02llux", hundredths / 100, hundredths % 100);
    }
}
