/* See replay_line.h. */
#include "viewer/model/replay_line.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

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
