/* See hud_ranks.h. */
#include "viewer/panels/hud_ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/explain/param_list.h"
#include "viewer/panels/hud_format.h"

_Static_assert((int)PANELS_RANKS == (int)MESSAGE_RANKS, "every rank that is listed has a bar");

/* Work and wait of the rank with the most of both together, ms. */
static double longest_tick(const struct message_cluster *cluster) {
    double most = 0.0;
    for (int i = 0; i < cluster->rank_count; i++) {
        most = fmax(most, cluster->ranks[i].work_ms + cluster->ranks[i].wait_ms);
    }
    return most;
}

static const char *host_of(const struct message_cluster *cluster, uint32_t rank) {
    for (int i = 0; i < cluster->rank_count; i++) {
        if (cluster->ranks[i].rank == rank) {
            return cluster->ranks[i].host;
        }
    }
    return "";
}

static void fill_rows(const struct message_cluster *cluster, struct panels_ranks *ranks) {
    struct panels_row *rows = ranks->rows;
    int *count = &ranks->row_count;
    char text[48];
    (void)snprintf(text, sizeof text, "%u, %s", cluster->count, cluster->mode);
    hud_add_row(rows, count, "ranks", text);
    (void)snprintf(text, sizeof text, "%u on %.30s", cluster->longest, host_of(cluster, cluster->longest));
    hud_add_row(rows, count, "longest rank", text);
    (void)snprintf(text, sizeof text, "%.0f %%", 100.0 * cluster->balance);
    hud_add_row(rows, count, "balance", text);
    if (strcmp(cluster->mode, "stripes") == 0) { /* copies have neither */
        (void)units_format_whole(cluster->ghosts, text, sizeof text);
        hud_add_row(rows, count, "ghosts", text);
        hud_format_tenths(cluster->migrants_hz, "/s", text, sizeof text);
        hud_add_row(rows, count, "migrants", text);
    }
}

static void fill_tip(const struct message_rank *rank, char *out, size_t size) {
    char agents[32], ghosts[32], rows[64] = "";
    (void)units_format_whole(rank->agents, agents, sizeof agents);
    (void)units_format_whole(rank->ghosts, ghosts, sizeof ghosts);
    if (rank->has_rows) {
        (void)snprintf(rows, sizeof rows, ", %s ghosts, rows %u up to %u", ghosts, rank->row, rank->row_end);
    }
    const double work = rank->work_ms, wait = rank->wait_ms, late = rank->work_p99_ms;
    (void)snprintf(
        out, size,
        "Rank %u on %s: %s agents%s. Work %.2f ms a tick (1 %% take %.2f ms or more), wait %.2f ms.",
        rank->rank, rank->host, agents, rows, work, late, wait);
}

void hud_fill_ranks(const struct hud_input *input, struct panels_view *view) {
    const struct message_cluster *cluster = input->server->cluster;
    struct panels_ranks *ranks = &view->ranks;
    if (cluster == NULL || input->is_fixed || input->link->state != LINK_READY) {
        return;
    }
    const double most = fmax(longest_tick(cluster), 1e-9);
    fill_rows(cluster, ranks);
    ranks->count = cluster->rank_count;
    for (int i = 0; i < cluster->rank_count; i++) {
        const struct message_rank *rank = &cluster->ranks[i];
        struct panels_rank *bar = &ranks->bars[i];
        (void)snprintf(bar->name, sizeof bar->name, "%u", rank->rank);
        hud_format_pair(rank->work_ms, rank->wait_ms, " + ", " ms", bar->value, sizeof bar->value);
        bar->work = (float)(rank->work_ms / most);
        bar->wait = (float)(rank->wait_ms / most);
        bar->is_longest = rank->rank == cluster->longest;
        fill_tip(rank, bar->tip, sizeof bar->tip);
    }
}
