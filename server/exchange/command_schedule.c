/* See command_schedule.h. */
#include "server/exchange/command_schedule.h"

#include <assert.h>

void command_schedule_fini(struct command_schedule *schedule) {
    struct command *command = NULL;
    while ((command = command_schedule_take(schedule, COMMAND_NEVER_DUE)) != NULL) {
        sim_event_free(&command->event);
    }
}

static bool is_before(const struct command *a, const struct command *b) {
    return a->request.at != b->request.at ? a->request.at < b->request.at : a->number < b->number;
}

static void insert(struct command **list, struct command *command) {
    while (*list != NULL && !is_before(command, *list)) {
        list = &(*list)->next;
    }
    command->next = *list;
    *list = command;
}

bool command_schedule_add(struct command_schedule *schedule, struct command *command) {
    const size_t extra = request_extra_bytes(&command->request);
    assert(command->request.has_at && command->next == NULL);
    if (schedule->count == COMMAND_SCHEDULE_CAPACITY ||
        extra > COMMAND_SCHEDULE_EXTRA_BYTES - schedule->extra_bytes) {
        return false;
    }
    insert(command->is_withdrawn ? &schedule->withdrawn : &schedule->waiting, command);
    schedule->count++;
    schedule->extra_bytes += extra;
    return true;
}

void command_schedule_withdraw(struct command_schedule *schedule, uint32_t session) {
    struct command **link = &schedule->waiting;
    while (*link != NULL) {
        struct command *command = *link;
        if (session != 0 && command->origin.session != session) {
            link = &command->next;
            continue;
        }
        *link = command->next;
        command->is_withdrawn = true;
        insert(&schedule->withdrawn, command);
    }
}

struct command *command_schedule_take(struct command_schedule *schedule, uint64_t tick) {
    struct command **first = schedule->withdrawn != NULL ? &schedule->withdrawn : &schedule->waiting;
    struct command *command = *first;
    if (command == NULL || command_schedule_due(schedule) > tick) {
        return NULL;
    }
    *first = command->next;
    command->next = NULL;
    schedule->count--;
    schedule->extra_bytes -= request_extra_bytes(&command->request);
    return command;
}

uint64_t command_schedule_due(const struct command_schedule *schedule) {
    if (schedule->withdrawn != NULL) {
        return 0;
    }
    return schedule->waiting == NULL ? COMMAND_NEVER_DUE : schedule->waiting->request.at;
}
