/* See timeline.h. */
#include "viewer/model/timeline.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double minute_s = 60.0;
static const double least_part = 0.5;   /* of what is before now: the last minute */
static const double most_beyond = 0.35; /* of the line: what is beyond now */

/* ---- branches ---- */

static const struct message_branch *find_branch(const struct message_past *past, const char *name) {
    for (int i = 0; i < past->branch_count && name[0] != '\0'; i++) {
        if (strcmp(past->branches[i].name, name) == 0) {
            return &past->branches[i];
        }
    }
    return NULL;
}

static const struct message_branch *current_of(const struct message_past *past) {
    for (int i = 0; i < past->branch_count; i++) {
        if (past->branches[i].is_current) {
            return &past->branches[i];
        }
    }
    return NULL;
}

/* Up to which tick a branch is the past of the current one; -1: it is not. */
static double shared_until(const struct timeline *line, const struct message_branch *branch) {
    const struct message_branch *at = current_of(line->past);
    double until = line->now;
    for (int i = 0; at != NULL && i < MESSAGE_BRANCHES; i++) {
        if (at == branch) {
            return until;
        }
        until = fmin(until, (double)at->at);
        at = find_branch(line->past, at->from);
    }
    return -1.0;
}

int timeline_lane_of(const struct timeline *line, const char *branch, double tick) {
    const struct message_branch *row = line->past == NULL ? NULL : find_branch(line->past, branch);
    if (row == NULL) {
        return TIMELINE_NOWHERE;
    }
    if (tick <= shared_until(line, row)) {
        return TIMELINE_ON_LINE;
    }
    for (int i = 0; i < line->lane_count; i++) {
        if (line->lanes[i].branch == row) {
            return tick >= line->lanes[i].from ? i : line->lanes[i].parent;
        }
    }
    return TIMELINE_NOWHERE;
}

/* The newest branches that were left, in their order. */
static void add_lanes(struct timeline *line) {
    const struct message_past *past = line->past;
    int skipped = 0;
    for (int i = 0; i < past->branch_count; i++) {
        line->left_out += past->branches[i].is_current ? 0 : 1;
    }
    line->left_out = line->left_out > TIMELINE_LANES ? line->left_out - TIMELINE_LANES : 0;
    for (int i = 0; i < past->branch_count; i++) {
        const struct message_branch *branch = &past->branches[i];
        if (branch->is_current || skipped++ < line->left_out) {
            continue;
        }
        struct timeline_lane *lane = &line->lanes[line->lane_count];
        const double shared = shared_until(line, branch);
        *lane = (struct timeline_lane){branch, TIMELINE_ON_LINE, shared, (double)branch->last};
        if (shared < 0.0) { /* it comes from the line, or from another lane */
            lane->from = (double)branch->at;
            lane->parent = timeline_lane_of(line, branch->from, lane->from);
            lane->parent = lane->parent == TIMELINE_NOWHERE ? TIMELINE_ON_LINE : lane->parent;
        }
        line->lane_count++;
    }
}

/* ---- the scale ---- */

static void add_point(struct timeline *line, double tick, double share) {
    assert(line->point_count < TIMELINE_POINTS);
    line->points[line->point_count++] = (struct timeline_point){tick, share};
}

/* first: the first tick that can be gone to. */
static struct timeline make(const struct message_past *past, double first, double now, double hz) {
    assert(hz > 0.0);
    const double minute = minute_s * hz;
    struct timeline line = {
        .past = past, .hz = hz, .first = fmin(first, now - minute), .now = now, .end = now};
    const struct message_branch *current = past == NULL ? NULL : current_of(past);
    if (current != NULL) {
        line.first = fmin(line.first, (double)current->first);
        add_lanes(&line);
    }
    for (int i = 0; i < line.lane_count; i++) {
        line.end = fmax(line.end, line.lanes[i].to);
    }
    const double reach = now - line.first, beyond = line.end - now;
    const double at_now = 1.0 - fmin(beyond / (beyond + fmin(reach, 2.0 * minute)), most_beyond);
    const double last = fmax(least_part, minute / reach);
    add_point(&line, line.first, 0.0);
    if (last < 1.0) {
        add_point(&line, now - minute, at_now * (1.0 - last));
    }
    add_point(&line, now, at_now);
    if (beyond > 0.0) {
        add_point(&line, line.end, 1.0);
    }
    return line;
}

struct timeline timeline_make(const struct message_past *past, double now, double hz) {
    return make(past, now, now, hz);
}

struct timeline timeline_make_seconds(double first, double now, double hz) {
    return make(NULL, first, now, hz);
}

double timeline_kept(const struct timeline *line) {
    const struct message_branch *current = line->past == NULL ? NULL : current_of(line->past);
    return current == NULL ? line->now : fmin((double)current->first, line->now);
}

double timeline_share(const struct timeline *line, double tick) {
    const struct timeline_point *at = line->points;
    assert(line->point_count >= 2);
    int i = 1;
    while (i < line->point_count - 1 && tick > at[i].tick) {
        i++;
    }
    const double part = (tick - at[i - 1].tick) / (at[i].tick - at[i - 1].tick);
    return fmin(fmax(at[i - 1].share + part * (at[i].share - at[i - 1].share), 0.0), 1.0);
}

double timeline_tick(const struct timeline *line, double share) {
    const struct timeline_point *at = line->points;
    assert(line->point_count >= 2);
    int i = 1;
    while (i < line->point_count - 1 && share > at[i].share) {
        i++;
    }
    const double part = (share - at[i - 1].share) / (at[i].share - at[i - 1].share);
    return fmax(fmin(at[i - 1].tick + part * (at[i].tick - at[i - 1].tick), line->now), 0.0);
}

/* ---- marks ---- */

const struct message_mark *timeline_find_mark(const struct timeline *line, double tick, double within) {
    const struct message_mark *found = NULL;
    double nearest = within;
    for (int i = 0; line->past != NULL && i < line->past->mark_count; i++) {
        const struct message_mark *mark = &line->past->marks[i];
        const double off = fabs(timeline_share(line, (double)mark->tick) - timeline_share(line, tick));
        if (off <= nearest && timeline_lane_of(line, mark->branch, (double)mark->tick) == TIMELINE_ON_LINE) {
            found = mark;
            nearest = off;
        }
    }
    return found;
}

void timeline_next_mark(const struct message_past *past, char out[LIMIT_NAME_CHARS + 1]) {
    bool is_taken = true;
    for (int number = 1; is_taken; number++) {
        (void)snprintf(out, LIMIT_NAME_CHARS + 1, "m%d", number);
        is_taken = false;
        for (int i = 0; i < past->mark_count; i++) {
            is_taken = is_taken || strcmp(past->marks[i].name, out) == 0;
        }
    }
}

/* ---- words ---- */

void timeline_moment_text(const struct timeline *line, double tick, char out[TIMELINE_TEXT]) {
    const double s = (tick - line->now) / line->hz;
    const long long tenths = llround(fabs(s) * 10.0), seconds = tenths / 10;
    const char *const side = s > 0.0 ? "ahead" : "ago";
    char time[48];
    if (seconds < 100) {
        (void)snprintf(time, sizeof time, "%lld.%lld s %s", seconds, tenths % 10, side);
    } else if (seconds < 3600) {
        (void)snprintf(time, sizeof time, "%lld min %lld s %s", seconds / 60, seconds % 60, side);
    } else {
        (void)snprintf(time, sizeof time, "%lld h %lld min %s", seconds / 3600, seconds / 60 % 60, side);
    }
    (void)snprintf(out, TIMELINE_TEXT, "%s, tick %lld", time, llround(tick));
}

void timeline_mark_text(const struct timeline *line, const struct message_mark *mark,
                        char out[TIMELINE_TEXT]) {
    char moment[TIMELINE_TEXT];
    timeline_moment_text(line, (double)mark->tick, moment);
    (void)snprintf(out, TIMELINE_TEXT, "mark %s: %.80s", mark->name, moment);
}

void timeline_change_text(const struct timeline *line, const struct message_change *change,
                          char out[TIMELINE_TEXT]) {
    char moment[TIMELINE_TEXT], who[64], times[24] = "";
    timeline_moment_text(line, (double)change->tick, moment);
    if (change->by != 0 && change->name[0] == '\0') {
        (void)snprintf(who, sizeof who, "session %u", change->by);
    } else {
        (void)snprintf(who, sizeof who, "%s", change->by == 0 ? "the server" : change->name);
    }
    if (change->count > 1) {
        (void)snprintf(times, sizeof times, ", %u times", change->count);
    }
    (void)snprintf(out, TIMELINE_TEXT, "%s: %s%s%s%s; %.60s", who, change->op,
                   change->text[0] != '\0' ? " " : "", change->text, times, moment);
}

void timeline_branch_text(const struct timeline_lane *lane, char out[TIMELINE_TEXT]) {
    (void)snprintf(out, TIMELINE_TEXT, "%s, left at tick %lld: a click goes on there", lane->branch->name,
                   llround(lane->to));
}
