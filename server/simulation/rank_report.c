/* See rank_report.h. */
#include "server/simulation/rank_report.h"

#include <assert.h>
#include <stdlib.h>

void rank_meter_add(struct rank_meter *meter, uint64_t work_ns, uint64_t wait_ns) {
    const uint64_t at = meter->count % RANK_METER_TICKS;
    meter->work_us[at] = (float)work_ns * 1e-3f;
    meter->wait_us[at] = (float)wait_ns * 1e-3f;
    meter->count++;
}

static int compare(const void *a, const void *b) {
    const float left = *(const float *)a;
    const float right = *(const float *)b;
    return (left > right) - (left < right);
}

/* Sorts them. count > 0 */
static struct rank_times summarize(float *us, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)us[i];
    }
    qsort(us, count, sizeof us[0], compare);
    return (struct rank_times){.mean_ms = sum / (double)count * 1e-3,
                               .p99_ms = (double)us[(count * 99 + 99) / 100 - 1] * 1e-3};
}

void rank_meter_report(struct rank_meter *meter, struct rank_report *report) {
    const size_t count = meter->count < RANK_METER_TICKS ? (size_t)meter->count : RANK_METER_TICKS;
    if (count > 0) {
        report->work = summarize(meter->work_us, count);
        report->wait = summarize(meter->wait_us, count);
    }
    meter->count = 0;
}

static int find_longest(const struct rank_report *reports, int count) {
    int longest = 0;
    for (int i = 1; i < count; i++) {
        if (reports[i].work.mean_ms > reports[longest].work.mean_ms) {
            longest = i;
        }
    }
    return longest;
}

static double find_balance(const struct rank_report *reports, int count, int longest) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += reports[i].work.mean_ms;
    }
    const double most = reports[longest].work.mean_ms;
    return most > 0.0 ? sum / (double)count / most : 1.0;
}

static void fill_rows(struct rank_table *table, const struct rank_report *reports, int count) {
    table->row_count = count < RANK_TABLE_ROWS ? count : RANK_TABLE_ROWS;
    for (int i = 0; i < table->row_count; i++) {
        table->rows[i] = reports[i];
    }
    if (table->longest >= table->row_count) {
        table->rows[table->row_count - 1] = reports[table->longest];
    }
}

void rank_report_set_migrants(struct rank_report *report, uint64_t migrants, bool is_new) {
    report->migrants_before += is_new || migrants < report->migrants ? report->migrants : 0;
    report->migrants = migrants;
}

void rank_table_fill(struct rank_table *table, enum exchange_mode mode, const struct rank_report *reports,
                     int count, uint64_t now_ns) {
    assert(count > 0);
    const struct rank_table before = *table;
    *table = (struct rank_table){.ranks = count, .mode = mode, .reported_ns = now_ns};
    for (int i = 0; i < count; i++) {
        table->agents += reports[i].agents;
        table->ghosts += reports[i].ghosts;
        table->migrants += reports[i].migrants;
    }
    /* A world that was put in counts from 0. */
    if (before.ranks > 0 && now_ns > before.reported_ns && table->migrants >= before.migrants) {
        table->migrants_hz =
            (double)(table->migrants - before.migrants) / ((double)(now_ns - before.reported_ns) * 1e-9);
    }
    table->sorts = reports[0].sorts;
    table->longest = find_longest(reports, count);
    table->balance = find_balance(reports, count, table->longest);
    fill_rows(table, reports, count);
}
