/* See simulation_internal.h: the requests for a speed, and the warm-up of a fresh world. */
#include "server/simulation/simulation_internal.h"

#include <assert.h>
#include <math.h>

#include "common/system/clock.h"
#include "common/system/log.h"

/* ---- the warm-up ---- */

static void set_warmup(struct simulation *simulation, bool is_warming, uint64_t from, uint64_t to) {
    pthread_mutex_lock(&simulation->mutex);
    simulation->speed.is_warming = is_warming;
    simulation->speed.warm_from = from;
    simulation->speed.warm_to = to;
    pthread_mutex_unlock(&simulation->mutex);
}

void simulation_begin_warmup(struct simulation *simulation, bool is_fresh) {
    const struct simulation_state *state = &simulation->state;
    const uint64_t tick = world_tick(state->world);
    const double ticks = rint(state->warmup_s * world_tick_hz(state->world));
    const bool is_warming = is_fresh && !state->is_paused && ticks >= 1.0;
    assert(state->warmup_s >= 0.0 && state->warmup_s <= LIMIT_WARMUP);
    set_warmup(simulation, is_warming, tick, is_warming ? tick + (uint64_t)ticks : tick);
}

/* Ends the warm-up that is under way: the world goes on at its speed, and subscribers get the event `warmed_up`. */
static void simulation_end_warmup(struct simulation *simulation) {
    struct message_event event = {.event = "warmed_up"};
    if (simulation->speed.is_warming) {
        set_warmup(simulation, false, 0, 0);
        simulation_reset_clock(simulation);
        simulation_update_description(simulation);
        simulation_push_event(simulation, &event, 0, false);
        simulation_notify(simulation);
    }
}

void simulation_follow_warmup(struct simulation *simulation) {
    if (simulation->speed.is_warming && world_tick(simulation->state.world) >= simulation->speed.warm_to) {
        simulation_end_warmup(simulation);
    }
}

/* Not the position of a pointer: it comes all the time as a person looks on. */
static bool can_end_warmup(const struct simulation *simulation, enum request_op op) {
    return simulation->speed.is_warming && request_has_trait(op, REQUEST_TRAIT_CHANGES) &&
           op != REQUEST_CURSOR && op != REQUEST_MOUSE && op != REQUEST_RESUME;
}

uint64_t simulation_warmup_hash(const struct simulation *simulation, const struct request *request) {
    const bool is_wanted = can_end_warmup(simulation, request->op) && !simulation->state.is_spoiled;
    return is_wanted ? simulation_state_hash(&simulation->state) : 0;
}

void simulation_let_end_warmup(struct simulation *simulation, const struct request *request,
                               uint64_t before) {
    if (can_end_warmup(simulation, request->op) &&
        (request->op == REQUEST_PAUSE || simulation_warmup_hash(simulation, request) != before)) {
        simulation_end_warmup(simulation);
    }
}

/* ---- the speed ---- */

/* Sets the speed: a factor, or 0 for as fast as ticks can be done. Returns whether it is another one than before; if
 * not, nothing is changed. */
static bool simulation_set_speed(struct simulation *simulation, double factor) {
    const bool was_at_max = simulation_is_at_max(simulation);
    const double before = simulation->speed.factor;
    assert(factor >= 0.0);
    if (!simulation->speed.is_warming && !(factor < before) && !(factor > before)) {
        return false;
    }
    simulation_end_warmup(simulation);
    simulation->speed.factor = factor;
    if (was_at_max) {
        simulation_reset_clock(simulation);
    } else {
        simulation_change_clock(simulation);
    }
    simulation_update_description(simulation);
    if (simulation->playback.mode == PLAYBACK_PLAYING) {
        simulation_playback_update(simulation);
    }
    return true;
}

static void log_speed(struct simulation *simulation, const struct request_speed *speed) {
    const struct request request = {.op = REQUEST_SPEED};
    const uint32_t by = simulation->state.session;
    uint32_t left_out = 0;
    if (!change_log_take(&simulation->changes, by, &request, clock_now_ns(), &left_out)) {
        return;
    }
    if (speed->max) {
        log_write(LOG_INFO, "simulation", "as fast as ticks can be done, asked for by session %u",
                  (unsigned)by);
    } else {
        log_write(LOG_INFO, "simulation", "speed %g, asked for by session %u", speed->factor, (unsigned)by);
    }
}

static bool serve_speed(void *context, const struct request_speed *speed, struct json_writer *json) {
    struct simulation *simulation = context;
    const bool is_changed = simulation_set_speed(simulation, speed->max ? 0.0 : speed->factor);
    if (is_changed) {
        log_speed(simulation, speed);
    }
    if (speed->max) {
        json_key_bool(json, "max", true);
    } else {
        json_key_number(json, "factor", speed->factor);
    }
    return is_changed;
}

static double serve_clock_ms(void *context) {
    (void)context;
    return (double)clock_now_ns() * 1e-6;
}

void simulation_speed_init(struct simulation *simulation) {
    simulation->speed = (struct simulation_speed){.factor = 1.0};
    simulation->state.services.context = simulation;
    simulation->state.services.speed = serve_speed;
    simulation->state.services.clock_ms = serve_clock_ms;
}
