/* See command_cursors.h; the handler of cursor. */
#include "server/commands/command_cursors.h"

#include <stdio.h>

#include "server/commands/command_handlers.h"

static void cursor_name(int index, char name[LIMIT_NAME_CHARS + 1]) {
    (void)snprintf(name, LIMIT_NAME_CHARS + 1, CURSOR_TARGET_PREFIX "%d", index + 1);
}

/* The index of the first of owners[] that is this session; -1 when there is none. 0: the first free one. */
static int find_owner(const struct state_cursors *cursors, uint32_t session) {
    for (int i = 0; i < LIMIT_TARGETS; i++) {
        if (cursors->owners[i] == session) {
            return i;
        }
    }
    return -1;
}

/* The index of the cursor of the session whose request this is; -1 when it has none. */
static int find_mine(const struct simulation_state *state) {
    return state->session == 0 ? -1 : find_owner(&state->cursors, state->session);
}

enum apply_cursor apply_point_cursor(struct apply *apply, vec2 point) {
    struct state_cursors *cursors = &apply->state->cursors;
    struct world *world = apply->state->world;
    char name[LIMIT_NAME_CHARS + 1];
    if (!world_wants_targets(world, CURSOR_TARGET_PREFIX)) {
        return APPLY_CURSOR_UNWANTED;
    }
    const int mine = find_mine(apply->state);
    if (mine >= 0) {
        cursor_name(mine, name);
        world_set_target(world, world_find_target(world, name), point);
    } else {
        const int fresh = find_owner(cursors, 0); /* there is one: the world has no more targets */
        cursor_name(fresh, name);
        if (fresh < 0 || world_add_target(world, name, point) != WORLD_OK) {
            return APPLY_CURSOR_FULL;
        }
        cursors->owners[fresh] = apply->state->session;
    }
    apply->effects.changed = true;
    return APPLY_CURSOR_MOVED;
}

void apply_write_cursor(struct apply *apply) {
    const int mine = find_mine(apply->state);
    char name[LIMIT_NAME_CHARS + 1];
    if (mine >= 0) {
        cursor_name(mine, name);
        json_key_string(apply->json, "cursor", name);
    }
}

void apply_tell_cursor(struct apply *apply, vec2 point) {
    const int mine = find_mine(apply->state);
    if (mine < 0) {
        return;
    }
    if (apply->effects.event.event[0] == '\0') {
        (void)apply_tell_place(apply, "cursor", 0, world_settle_point(apply->state->world, point));
    }
    apply->effects.event.has |= EVENT_HAS_CURSOR;
    cursor_name(mine, apply->effects.event.cursor);
}

/* Whether the session got this error before; from now on it has. */
static bool note_refused(struct state_cursors *cursors, uint32_t session) {
    for (int i = 0; i < LIMIT_TARGETS; i++) {
        if (cursors->refused[i] == session) {
            return true;
        }
    }
    cursors->refused[cursors->refused_count++ % LIMIT_TARGETS] = session;
    return false;
}

int apply_fail_cursor(struct apply *apply) {
    apply->is_told = note_refused(&apply->state->cursors, apply->state->session);
    return failure_set(&apply->failure, FAILURE_FULL, NULL,
                       "target limit reached (%d); this session's cursor is not among the targets",
                       LIMIT_TARGETS);
}

static void withdraw(struct apply *apply) {
    struct world *world = apply->state->world;
    const int mine = find_mine(apply->state);
    char name[LIMIT_NAME_CHARS + 1];
    int kind = 0;
    if (mine < 0) {
        return;
    }
    cursor_name(mine, name);
    cursor_name(mine, apply_tell(apply, "cursor_gone", EVENT_HAS_CURSOR)->cursor);
    apply->effects.changed = world_remove_target(world, world_find_target(world, name), &kind) == WORLD_OK;
    apply->state->cursors.owners[mine] = 0;
}

int apply_cursor(struct apply *apply) {
    const struct request_cursor *body = &apply->request->body.cursor;
    const vec2 point = vec2_make(body->x, body->y);
    if (body->gone) {
        withdraw(apply);
        apply_write_tick(apply);
        return 0;
    }
    if (apply_point_cursor(apply, point) == APPLY_CURSOR_FULL) {
        return apply_fail_cursor(apply);
    }
    apply_write_tick(apply);
    apply_write_point(apply, world_settle_point(apply->state->world, point));
    apply_write_cursor(apply);
    apply_tell_cursor(apply, point);
    return 0;
}
