/* See event_log.h. */
#include "server/commands/event_log.h"

#include <math.h>
#include <stdio.h>

#include "server/frames/world_snapshot.h"

void event_log_init(struct event_log *log, double tick_hz) {
    *log = (struct event_log){.second_ticks = (uint64_t)ceil(tick_hz)};
}

static void write_event(struct message_event *event, const struct world_note *note,
                        const struct world *world) {
    *event = (struct message_event){
        .tick = world_tick(world), .agent = note->agent, .has = EVENT_HAS_AGENT | EVENT_HAS_QUARRY};
    if (note->type == NOTE_CAUGHT) {
        (void)snprintf(event->event, sizeof event->event, "caught");
        event->quarry = note->quarry;
        return;
    }
    (void)snprintf(event->event, sizeof event->event, "reached");
    (void)snprintf(event->target, sizeof event->target, "%s", world_target_name(world, note->target));
    event->has = EVENT_HAS_AGENT | EVENT_HAS_TARGET;
    event->x = world_snapshot_hundredths(note->at.x);
    event->y = world_snapshot_hundredths(note->at.y);
}

void event_log_take(struct event_log *log, const struct world *world) {
    const struct world_note *notes = NULL;
    uint32_t left_out = 0;
    const int count = world_notes(world, &notes, &left_out);
    const uint64_t second = world_tick(world) / log->second_ticks;
    if (second != log->second) {
        log->second = second;
        log->taken = 0;
    }
    log->left_out += left_out;
    for (int i = 0; i < count; i++) {
        if (log->count == EVENT_LOG_MAX || log->taken == EVENT_LOG_RATE) {
            log->left_out++;
            continue;
        }
        struct message_event *event = &log->events[log->count++];
        write_event(event, &notes[i], world);
        log->taken++;
        if (log->left_out > 0) {
            event->has |= EVENT_HAS_LEFT_OUT;
            event->left_out = log->left_out;
            log->left_out = 0;
        }
    }
}
