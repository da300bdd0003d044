/* The results of the swarm, for people and (with --json) for scripts. */
#ifndef DROVER_TESTS_LOAD_SWARM_REPORT_H
#define DROVER_TESTS_LOAD_SWARM_REPORT_H

#include "swarm_client.h"

struct swarm_report {
    double seconds;
    double cpu_percent, rss_mb; /* of the server, < 0 when its pid was not given */
    double stats[3];            /* lateness p50, p99, max in ms, < 0 when the server said none */
    const struct swarm_client *clients;
    int client_count;
    const uint64_t *bytes_before; /* of each client, when the measuring began */
    uint64_t witness_frames;      /* in the time measured */
    double frame_bytes;           /* of the average frame */
    struct swarm_ages *ages;      /* sorted by printing */
};

void swarm_report_print(const struct swarm_report *report, bool as_json);

#endif
