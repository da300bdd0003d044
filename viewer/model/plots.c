/* See plots.h. */
#include "viewer/model/plots.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
        plots->samples[i].own = NAN;
    }
}

float plots_value(const struct plots *plots, int series, int index) {
    const struct plots_sample *sample = plots_at(plots, index);
    assert(series >= 0 && series < PLOTS_STATE + PLOTS_STATES);
    return series == PLOTS_SPEED   ? sample->mean_speed
           : series == PLOTS_ORDER ? sample->order
           : series == PLOTS_OWN   ? sample->own
                                   : sample->states[series - PLOTS_STATE];
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
    sample->own = plots->own_kind[0] != '\0' ? plots->own_value : plots->own_name[0] != '\0' ? 0.0f : NAN;
    sample->mean_speed = (float)(speeds / count);
    sample->order = (float)(sqrt(along_x * along_x + along_y * along_y) / count);
    count_states(plots, snapshot, sample);
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

int plots_write_csv(const struct plots *plots, FILE *out) {
    assert(out != NULL);
    fputs("time_s,mean_speed,order", out);
    for (int s = 0; s < plots->state_count; s++) {
        fprintf(out, ",%s", plots->state_names[s]);
    }
    const bool tells_parts = has_parts(plots);
    fputs(tells_parts ? ",agents_in_view,agents_in_world" : "", out);
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
    }
    fputc('\n', out);
    return ferror(out) ? -1 : 0;
}
