/* See swarm_report.h. */
#include "swarm_report.h"

#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static int compare_floats(const void *a, const void *b) {
    const float left = *(const float *)a;
    const float right = *(const float *)b;
    return (left > right) - (left < right);
}

/* Frames a second of every reader, sorted. All frames go to all readers, so bytes give their number. Returns
 * the number of readers. */
static int reader_rates(const struct swarm_report *report, double *rates) {
    int count = 0;
    for (int i = 0; i < report->client_count; i++) {
        const struct swarm_client *client = &report->clients[i];
        if ((client->role == SWARM_READER || client->role == SWARM_WITNESS) && report->frame_bytes > 0.0) {
            const double bytes = (double)(client->bytes - report->bytes_before[i]);
            rates[count++] = bytes / report->frame_bytes / report->seconds;
        }
    }
    qsort(rates, (size_t)count, sizeof *rates, compare);
    return count;
}

struct totals {
    uint64_t frames, lags, skipped, closes, errors, count;
};

static struct totals totals_of(const struct swarm_report *report, enum swarm_role role) {
    struct totals totals = {0};
    for (int i = 0; i < report->client_count; i++) {
        const struct swarm_client *client = &report->clients[i];
        if (client->role == role) {
            totals.frames += client->frames;
            totals.lags += client->lags;
            totals.skipped += client->skipped;
            totals.closes += client->closes;
            totals.errors += client->errors;
            totals.count++;
        }
    }
    return totals;
}

static double age_at(const struct swarm_report *report, int percent) {
    const uint64_t count = report->ages->count < SWARM_AGES ? report->ages->count : SWARM_AGES;
    return count == 0 ? -1.0 : (double)report->ages->ms[(count - 1) * (uint64_t)percent / 100];
}

static void print_roles(const struct swarm_report *report) {
    for (int role = SWARM_WITNESS; role < SWARM_ROLE_COUNT; role++) {
        const struct totals totals = totals_of(report, (enum swarm_role)role);
        if (totals.count > 0) {
            printf(
                "%-8s %6llu: %llu frames, %llu lag events for %llu skipped, closed %llu times, %llu errors\n",
                swarm_role_names[role], (unsigned long long)totals.count, (unsigned long long)totals.frames,
                (unsigned long long)totals.lags, (unsigned long long)totals.skipped,
                (unsigned long long)totals.closes, (unsigned long long)totals.errors);
        }
    }
}

void swarm_report_print(const struct swarm_report *report, bool as_json) {
    double *rates = calloc((size_t)report->client_count + 1, sizeof *rates);
    if (rates == NULL) {
        return;
    }
    const int readers = reader_rates(report, rates);
    const double least = readers == 0 ? -1.0 : rates[0];
    const double median = readers == 0 ? -1.0 : rates[readers / 2];
    const uint64_t aged = report->ages->count < SWARM_AGES ? report->ages->count : SWARM_AGES;
    qsort(report->ages->ms, aged, sizeof report->ages->ms[0], compare_floats);
    const struct totals witness = totals_of(report, SWARM_WITNESS);
    if (as_json) {
        printf("{\"readers\":%d,\"seconds\":%.2f,\"frame_bytes\":%.0f,\"rate_min\":%.2f,\"rate_p50\":%.2f,"
               "\"witness_rate\":%.2f,\"skipped\":%llu,\"age_p50\":%.2f,\"age_p99\":%.2f,\"age_max\":%.2f,"
               "\"late_p50\":%.3f,\"late_p99\":%.3f,\"late_max\":%.3f,\"cpu\":%.1f,\"rss_mb\":%.1f}\n",
               readers, report->seconds, report->frame_bytes, least, median,
               witness.count == 0 ? -1.0
                                  : (double)report->witness_frames / (double)witness.count / report->seconds,
               (unsigned long long)witness.skipped, age_at(report, 50), age_at(report, 99),
               age_at(report, 100), report->stats[0], report->stats[1], report->stats[2], report->cpu_percent,
               report->rss_mb);
    } else {
        printf("readers  %6d: %.1f frames/s at least, %.1f in the middle, of %.0f bytes, for %.1f s\n",
               readers, least, median, report->frame_bytes, report->seconds);
        print_roles(report);
        printf("age      %6.1f ms p50, %.1f p99, %.1f max (witnesses)\n", age_at(report, 50),
               age_at(report, 99), age_at(report, 100));
        printf("ticks    %6.3f ms late p50, %.3f p99, %.3f max (the last 1024, as the server says)\n",
               report->stats[0], report->stats[1], report->stats[2]);
        printf("server   %6.1f %% of a core, %.1f MB\n", report->cpu_percent, report->rss_mb);
    }
    free(rates);
}
