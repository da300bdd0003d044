/* See meters.h. */
#include "viewer/model/meters.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/model/camera.h"

/* ---- rates ---- */

static const double rate_sample_ms = 250.0;

void rate_meter_init(struct rate_meter *meter) {
    memset(meter, 0, sizeof *meter);
}

void rate_meter_add(struct rate_meter *meter, double now_ms, uint64_t count) {
    if (meter->count > 0) {
        const int last = (meter->begin + meter->count - 1) % RATE_METER_SAMPLES;
        if (now_ms - meter->times_ms[last] < rate_sample_ms) {
            return;
        }
    }
    if (meter->count == RATE_METER_SAMPLES) {
        meter->begin = (meter->begin + 1) % RATE_METER_SAMPLES;
        meter->count--;
    }
    const int slot = (meter->begin + meter->count) % RATE_METER_SAMPLES;
    meter->times_ms[slot] = now_ms;
    meter->counts[slot] = count;
    meter->count++;
}

double rate_meter_per_s(const struct rate_meter *meter) {
    if (meter->count < 3) {
        return -1.0;
    }
    const int first = meter->begin, last = (meter->begin + meter->count - 1) % RATE_METER_SAMPLES;
    const double passed_s = (meter->times_ms[last] - meter->times_ms[first]) * 0.001;
    return (double)(meter->counts[last] - meter->counts[first]) / passed_s;
}

/* ---- real time ---- */

static const double window_ms = 3000.0, least_span_ms = 1000.0;
static const double clock_sample_ms = 50.0; /* the window fits in the ring */
static const double behind_below = 0.95, kept_up_above = 0.97;

enum { KEPT_SAMPLES = 3 };

void real_time_init(struct real_time *meter) {
    memset(meter, 0, sizeof *meter);
    meter->newest_s = meter->factor = meter->pace = -1.0;
    meter->speed = 1.0;
}

static int slot(const struct real_time *meter, int index) {
    return (meter->begin + index) % REAL_TIME_SAMPLES;
}

static double span_ms(const struct real_time *meter, int from) {
    return meter->clocks_ms[slot(meter, meter->count - 1)] - meter->clocks_ms[slot(meter, from)];
}

static void keep(struct real_time *meter, double time_s, double clock_ms) {
    if (meter->count == REAL_TIME_SAMPLES) {
        meter->begin = slot(meter, 1);
        meter->count--;
    }
    meter->clocks_ms[slot(meter, meter->count)] = clock_ms;
    meter->times_s[slot(meter, meter->count)] = time_s;
    meter->count++;
    while (meter->count > KEPT_SAMPLES && span_ms(meter, 1) >= window_ms) {
        meter->begin = slot(meter, 1);
        meter->count--;
    }
}

static void judge(struct real_time *meter) {
    if (span_ms(meter, 0) < least_span_ms) {
        return;
    }
    const double passed_s = meter->times_s[slot(meter, meter->count - 1)] - meter->times_s[slot(meter, 0)];
    meter->pace = passed_s * 1000.0 / span_ms(meter, 0);
    if (meter->speed <= 0.0) {
        return; /* nothing is due */
    }
    meter->factor = meter->pace / meter->speed;
    meter->is_behind = meter->factor < (meter->is_behind ? kept_up_above : behind_below);
}

/* Two speeds are the same when a frame says so, which has six decimals. */
static bool is_same(double a, double b) {
    return fabs(a - b) <= 1e-5;
}

void real_time_add(struct real_time *meter, double time_s, double clock_ms, double speed, bool is_paused) {
    if (time_s < meter->newest_s ||
        (meter->count > 0 && clock_ms < meter->clocks_ms[slot(meter, meter->count - 1)])) {
        real_time_init(meter);
    }
    if (!is_same(speed, meter->speed)) {
        meter->count = 0;
        meter->factor = meter->pace = -1.0;
        meter->is_behind = false;
        meter->speed = speed;
    }
    const bool is_new = time_s > meter->newest_s; /* a moment may be sent again, long after it was */
    meter->newest_s = time_s;
    if (is_paused) {
        meter->count = 0;
    } else if (is_new && (meter->count == 0 ||
                          clock_ms - meter->clocks_ms[slot(meter, meter->count - 1)] >= clock_sample_ms)) {
        keep(meter, time_s, clock_ms);
        judge(meter);
    }
}

double real_time_pace(const struct real_time *meter) {
    return meter->pace;
}

double real_time_behind(const struct real_time *meter) {
    return meter->is_behind ? meter->factor : -1.0;
}

/* ---- the echo of the mouse ---- */

static const float same_px = 0.02f; /* places on the wire have two decimals */

static void drop(struct echo *echo, int count) {
    echo->sent_count -= count;
    memmove(echo->sent, echo->sent + count, (size_t)echo->sent_count * sizeof *echo->sent);
}

void echo_note_sent(struct echo *echo, vec2 point, double now_ms) {
    if (echo->sent_count == ECHO_SENT) {
        drop(echo, 1);
    }
    echo->sent[echo->sent_count++] = (struct echo_sent){point, now_ms};
}

void echo_note_seen(struct echo *echo, vec2 point, double now_ms) {
    for (int i = echo->sent_count; i > 0; i--) {
        const struct echo_sent *sent = &echo->sent[i - 1];
        if (fabsf(sent->point.x - point.x) <= same_px && fabsf(sent->point.y - point.y) <= same_px) {
            echo->times_ms[echo->count++ % ECHO_TIMES] = now_ms - sent->at_ms;
            drop(echo, i);
            return;
        }
    }
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

double echo_median_ms(const struct echo *echo) {
    double sorted[ECHO_TIMES];
    const int kept = echo->count < ECHO_TIMES ? echo->count : ECHO_TIMES;
    if (kept == 0) {
        return -1.0;
    }
    memcpy(sorted, echo->times_ms, (size_t)kept * sizeof *sorted);
    qsort(sorted, (size_t)kept, sizeof *sorted, compare);
    return sorted[kept / 2];
}

/* ---- plots ---- */

static const double step_s = 0.1, rounding_s = 1e-6;

void plots_init(struct plots *plots) {
    memset(plots, 0, sizeof *plots);
}

void plots_clear(struct plots *plots) {
    plots->begin = plots->count = plots->state_count = 0;
}

void plots_choose(struct plots *plots, const char *kind, const char *name) {
    (void)snprintf(plots->own_kind, sizeof plots->own_kind, "%s", kind);
    (void)snprintf(plots->own_name, sizeof plots->own_name, "%s", name);
    plots->own_value = NAN;
    for (int i = 0; i < PLOTS_SAMPLES; i++) {
        plots->samples[i].own = plots->samples[i].twin_own = NAN;
    }
}

float plots_value(const struct plots *plots, int series, int index) {
    const struct plots_sample *sample = plots_at(plots, index);
    assert(series >= 0 && series < PLOTS_SERIES);
    return series == PLOTS_SPEED        ? sample->mean_speed
           : series == PLOTS_ORDER      ? sample->order
           : series == PLOTS_TWIN_ORDER ? sample->twin_order
           : series == PLOTS_APART      ? sample->apart
           : series == PLOTS_OWN        ? sample->own
           : series == PLOTS_TWIN_OWN   ? sample->twin_own
           : series < PLOTS_TWIN_STATE  ? sample->states[series - PLOTS_STATE]
                                        : sample->twin_states[series - PLOTS_TWIN_STATE];
}

void plots_series_name(const struct plots *plots, int series, char out[PLOTS_SERIES_NAME]) {
    const bool is_twin = series >= PLOTS_TWIN_STATE;
    const int state = series - (is_twin ? PLOTS_TWIN_STATE : PLOTS_STATE);
    (void)snprintf(out, PLOTS_SERIES_NAME, "%s%s",
                   state >= 0                                               ? plots->state_names[state]
                   : series == PLOTS_TWIN_ORDER || series == PLOTS_TWIN_OWN ? "twin"
                                                                            : "",
                   is_twin ? ", twin" : "");
}

static int column_of(struct plots *plots, const char *name) {
    for (int i = 0; i < plots->state_count; i++) {
        if (strcmp(plots->state_names[i], name) == 0) {
            return i;
        }
    }
    if (plots->state_count == PLOTS_STATES) {
        return -1;
    }
    (void)snprintf(plots->state_names[plots->state_count], sizeof plots->state_names[0], "%s", name);
    return plots->state_count++;
}

static void count_states(struct plots *plots, const struct snapshot *snapshot, struct plots_sample *sample) {
    uint32_t counts[NAME_TABLE_CAPACITY] = {0};
    for (int32_t i = 0; i < snapshot->count; i++) {
        counts[snapshot->state[i]]++;
    }
    for (int i = 0; i < snapshot->state_names.count; i++) {
        if (plots->own_kind[0] == '\0' && strcmp(plots->own_name, snapshot->state_names.names[i]) == 0) {
            sample->own = (float)counts[i];
        }
        const int column = counts[i] > 0 ? column_of(plots, snapshot->state_names.names[i]) : -1;
        if (column >= 0) {
            sample->states[column] = (float)counts[i];
        }
    }
}

/* What the server says of the twin: the counts of states of the same name together. */
static void take_twin(struct plots *plots, struct plots_sample *sample) {
    const struct message_comparison *twin = plots->twin;
    sample->twin_order = twin != NULL ? (float)twin->polarisation[1] : NAN;
    for (int s = 0; s < PLOTS_STATES; s++) {
        sample->twin_states[s] = twin != NULL ? 0.0f : NAN;
    }
    for (int i = 0; twin != NULL && i < twin->state_count; i++) {
        const uint32_t count = twin->states[i].agents[1];
        const int column = count > 0 ? column_of(plots, twin->states[i].state) : -1;
        if (column >= 0) {
            sample->twin_states[column] += (float)count;
        }
    }
}

struct body {
    float x, y, radius; /* px */
};

static int compare_places(const void *a, const void *b) {
    const float left = ((const struct body *)a)->x, right = ((const struct body *)b)->x;
    return (left > right) - (left < right);
}

/* Sorted by x, so that a body is compared with those alone that begin before its end. */
static double count_overlaps(struct body *bodies, int32_t count, float widest, vec2 wrap_size) {
    double pairs = 0.0;
    qsort(bodies, (size_t)count, sizeof *bodies, compare_places);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 1; k < count; k++) {
            const bool is_round = i + k >= count;
            const struct body *a = &bodies[i], *b = &bodies[is_round ? i + k - count : i + k];
            const float reach = a->radius + b->radius, dx = b->x - a->x + (is_round ? wrap_size.x : 0.0f);
            if ((is_round && wrap_size.x <= 0.0f) || dx >= a->radius + widest) {
                break;
            }
            const vec2 way = torus_short_way(vec2_make(dx, b->y - a->y), wrap_size);
            pairs += vec2_dot(way, way) < reach * reach ? 1.0 : 0.0;
        }
    }
    return pairs;
}

/* Pairs of bodies that overlap, of the agents or of their twins. NAN: of none, of too many, or out of memory. */
static float overlaps_of(const struct plots *plots, const struct snapshot *snapshot, bool is_of_twins) {
    const bool can = snapshot->count <= PLOTS_OVERLAPS_MOST && (!is_of_twins || snapshot_has_twins(snapshot));
    struct body *bodies = can ? malloc(sizeof *bodies * ((size_t)snapshot->count + 1)) : NULL;
    if (bodies == NULL) {
        return NAN;
    }
    int32_t count = 0;
    float widest = 0.0f;
    for (int32_t i = 0; i < snapshot->count; i++) {
        const float radius = plots->radii[snapshot->kind[i]];
        const int32_t x = is_of_twins ? snapshot->twins[i].x : snapshot->x[i],
                      y = is_of_twins ? snapshot->twins[i].y : snapshot->y[i];
        if (x != SNAPSHOT_NO_TWIN) {
            bodies[count++] = (struct body){0.01f * (float)x, 0.01f * (float)y, radius};
            widest = fmaxf(widest, radius);
        }
    }
    const double pairs = count_overlaps(bodies, count, widest, plots->wrap_size);
    free(bodies);
    return (float)pairs;
}

/* NAN without a twin. */
static float mean_apart(const struct plots *plots, const struct snapshot *snapshot) {
    double sum = 0.0;
    int32_t pairs = 0;
    for (int32_t i = 0; snapshot_has_twins(snapshot) && i < snapshot->count; i++) {
        const struct snapshot_vector twin = snapshot->twins[i];
        if (twin.x != SNAPSHOT_NO_TWIN) {
            const vec2 way = {0.01f * (float)(twin.x - snapshot->x[i]),
                              0.01f * (float)(twin.y - snapshot->y[i])};
            sum += (double)vec2_length(torus_short_way(way, plots->wrap_size));
            pairs++;
        }
    }
    return pairs > 0 ? (float)(sum / pairs) : NAN;
}

void plots_add(struct plots *plots, const struct snapshot *snapshot) {
    if (plots->count > 0 &&
        snapshot->time_s < plots_at(plots, plots->count - 1)->time_s + step_s - rounding_s) {
        return;
    }
    struct plots_sample *sample = &plots->samples[(plots->begin + plots->count) % PLOTS_SAMPLES];
    if (plots->count < PLOTS_SAMPLES) {
        plots->count++;
    } else {
        plots->begin = (plots->begin + 1) % PLOTS_SAMPLES;
    }
    double speeds = 0.0, along_x = 0.0, along_y = 0.0;
    for (int32_t i = 0; i < snapshot->count; i++) {
        const double vx = 0.01 * snapshot->vx[i], vy = 0.01 * snapshot->vy[i],
                     speed = sqrt(vx * vx + vy * vy);
        speeds += speed;
        along_x += speed > 0.0 ? vx / speed : 0.0;
        along_y += speed > 0.0 ? vy / speed : 0.0;
    }
    const double count = snapshot->count > 0 ? (double)snapshot->count : 1.0;
    memset(sample, 0, sizeof *sample);
    sample->time_s = snapshot->time_s;
    sample->agents = snapshot->count;
    sample->in_world = fmax(plots->in_world, (double)snapshot->count);
    const bool counts_overlaps = strcmp(plots->own_kind, PLOTS_ALL) == 0;
    sample->own = counts_overlaps              ? overlaps_of(plots, snapshot, false)
                  : plots->own_kind[0] != '\0' ? plots->own_value
                  : plots->own_name[0] != '\0' ? 0.0f
                                               : NAN;
    sample->twin_own = counts_overlaps ? overlaps_of(plots, snapshot, true) : NAN;
    sample->mean_speed = (float)(speeds / count);
    sample->apart = mean_apart(plots, snapshot);
    sample->order = (float)(sqrt(along_x * along_x + along_y * along_y) / count);
    count_states(plots, snapshot, sample);
    take_twin(plots, sample);
    assert(plots->count <= PLOTS_SAMPLES && plots->state_count <= PLOTS_STATES);
}

const struct plots_sample *plots_at(const struct plots *plots, int index) {
    assert(index >= 0 && index < plots->count);
    return &plots->samples[(plots->begin + index) % PLOTS_SAMPLES];
}

int plots_find(const struct plots *plots, double time_s) {
    int found = plots->count - 1;
    while (found >= 0 && plots_at(plots, found)->time_s > time_s + rounding_s) {
        found--;
    }
    return found;
}

/* Three decimals without printf's %f, whose point depends on the locale. */
static int write_number(double value, FILE *out) {
    const long long thousandths = llround(fmin(fmax(value, 0.0), 1e12) * 1000.0);
    return fprintf(out, "%lld.%03lld", thousandths / 1000, thousandths % 1000);
}

/* A further column; empty for what is not known. */
static void write_known(float value, FILE *out) {
    fputc(',', out);
    if (!isnan(value)) {
        write_number((double)value, out);
    }
}

static void write_known_count(float value, FILE *out) {
    fputc(',', out);
    if (!isnan(value)) {
        fprintf(out, "%ld", lroundf(value));
    }
}

bool plots_is_part(const struct plots_sample *sample) {
    return sample->in_world > (double)sample->agents;
}

static bool has_parts(const struct plots *plots) {
    for (int i = 0; i < plots->count; i++) {
        if (plots_is_part(plots_at(plots, i))) {
            return true;
        }
    }
    return false;
}

bool plots_have_twins(const struct plots *plots) {
    for (int i = 0; i < plots->count; i++) {
        if (!isnan(plots_at(plots, i)->apart)) {
            return true;
        }
    }
    return false;
}

int plots_write_csv(const struct plots *plots, FILE *out) {
    assert(out != NULL);
    fputs("time_s,mean_speed,order", out);
    for (int s = 0; s < plots->state_count; s++) {
        fprintf(out, ",%s", plots->state_names[s]);
    }
    const bool tells_parts = has_parts(plots);
    fputs(tells_parts ? ",agents_in_view,agents_in_world" : "", out);
    const bool tells_twins = plots_have_twins(plots);
    fputs(tells_twins ? ",mean_distance_to_twin,order_of_twin" : "", out);
    for (int s = 0; tells_twins && s < plots->state_count; s++) {
        fprintf(out, ",%s_of_twin", plots->state_names[s]);
    }
    const bool tells_overlaps = strcmp(plots->own_kind, PLOTS_ALL) == 0;
    fputs(!tells_overlaps ? "" : tells_twins ? ",overlaps,overlaps_of_twin" : ",overlaps", out);
    for (int i = 0; i < plots->count; i++) {
        const struct plots_sample *sample = plots_at(plots, i);
        fputc('\n', out);
        write_number(sample->time_s, out);
        fputc(',', out);
        write_number((double)sample->mean_speed, out);
        fputc(',', out);
        write_number((double)sample->order, out);
        for (int s = 0; s < plots->state_count; s++) {
            fprintf(out, ",%ld", lroundf(sample->states[s]));
        }
        if (tells_parts) {
            fprintf(out, ",%ld,%ld", (long)sample->agents, lround(sample->in_world));
        }
        if (tells_twins) {
            write_known(sample->apart, out);
            write_known(sample->twin_order, out);
        }
        for (int s = 0; tells_twins && s < plots->state_count; s++) {
            write_known_count(sample->twin_states[s], out);
        }
        if (tells_overlaps) {
            write_known_count(sample->own, out);
        }
        if (tells_overlaps && tells_twins) {
            write_known_count(sample->twin_own, out);
        }
    }
    fputc('\n', out);
    return ferror(out) ? -1 : 0;
}
