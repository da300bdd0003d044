/* The reply to `stats`: the world's timing and the cost of the sessions. */
#ifndef DROVER_SERVER_SESSIONS_STATISTICS_H
#define DROVER_SERVER_SESSIONS_STATISTICS_H

#include "common/json/json_writer.h"
#include "server/frames/frame_form.h"
#include "server/sessions/session_set.h"
#include "server/simulation/rank_report.h"
#include "server/simulation/simulation.h"
#include "server/simulation/tick_clock.h"

/** Measurements of the loop. */
struct loop_statistics {
    uint64_t started_ns;
    double started_s;                /* since 1970, when that was */
    uint64_t sessions_ever, refused; /* refused: because the server was full */
    uint64_t sessions_limit;         /* so many at once */
    struct {
        bool is_on, has_failed; /* the last one could not be written */
        uint64_t written, left_out;
    } seconds;                         /* of --seconds, since the start */
    struct tick_meter broadcast_times; /* encoding frames and offering them to the sessions that are due */
};

/** Adds the members to an open reply. */
void statistics_write(const struct loop_statistics *loop, struct simulation *simulation,
                      const struct session_set *sessions, const struct frame_memory *memory,
                      struct json_writer *json);

/** Counts the sessions that have a number by their role. Returns how many of them are subscribed. */
uint64_t statistics_count_sessions(const struct session_set *sessions, uint64_t by_role[ROLE_COUNT]);

/* The member `cluster` of the reply to `stats`: how the ranks keep up. Pure. */

/** Adds the member to an open reply; nothing without a cluster. now_ns: of the clock of rank_table_fill. */
void rank_statistics_write(const struct rank_table *table, uint64_t now_ns, struct json_writer *json);

#endif
