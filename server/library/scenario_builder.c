/* See scenario_builder.h. */
#include "server/library/scenario_builder.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/system/clock.h"
#include "common/system/timed_wait.h"

/* Orders, first in, first out. */
struct line {
    struct scenario_order *first, **last;
};

struct scenario_builder {
    struct scenario_source source;
    struct world_overrides overrides;
    struct scenario_builder_handler handler;
    pthread_t thread;
    bool is_running;
    pthread_mutex_t mutex; /* of all below, and of the orders' next and state */
    pthread_cond_t changed;
    struct line loads, others, returned;
    struct line cloning;                         /* saves without a clone */
    struct scenario_order *waiting;              /* a built world, not handed back yet */
    atomic_bool has_world, is_urgent, is_ending; /* read without the lock, */
    atomic_bool wants_clones;                    /* and so are these */
    _Atomic uint32_t loading;                    /* loads that are neither done nor handed back */
};

static void append(struct line *line, struct scenario_order *order) {
    order->next = NULL;
    *line->last = order;
    line->last = &order->next;
}

static struct scenario_order *remove_first(struct line *line) {
    struct scenario_order *order = line->first;
    if (order != NULL) {
        line->first = order->next;
        line->last = line->first == NULL ? &line->first : line->last;
    }
    return order;
}

/* ---- the thread ---- */

/* With the lock. NULL when there is nothing to do. */
static struct scenario_order *next_order(struct scenario_builder *builder) {
    struct scenario_order *order = remove_first(&builder->others);
    return order == NULL && builder->waiting == NULL ? remove_first(&builder->loads) : order;
}

static void offer_world(struct scenario_builder *builder, struct scenario_order *order) {
    pthread_mutex_lock(&builder->mutex);
    order->state = ORDER_WAITS;
    builder->waiting = order;
    atomic_store(&builder->has_world, true);
    pthread_mutex_unlock(&builder->mutex);
    builder->handler.on_world(builder->handler.context);
    const uint64_t until_ns = clock_now_ns() + SCENARIO_BUILDER_GRACE_MS * UINT64_C(1000000);
    pthread_mutex_lock(&builder->mutex);
    while (builder->waiting == order && !atomic_load(&builder->is_urgent)) {
        if (!timed_wait_until(&builder->changed, &builder->mutex, until_ns)) {
            atomic_store(&builder->is_urgent, builder->waiting == order || atomic_load(&builder->is_ending));
        }
    }
    pthread_mutex_unlock(&builder->mutex);
}

/* With the lock. */
static void await_clone(struct scenario_builder *builder, struct scenario_order *order) {
    order->state = ORDER_CLONING;
    append(&builder->cloning, order);
    atomic_store(&builder->wants_clones, true);
}

static void finish(struct scenario_builder *builder, struct scenario_order *order) {
    if (order->built.world != NULL) {
        offer_world(builder, order);
    } else {
        (void)atomic_fetch_sub(&builder->loading, scenario_order_is_load(order) ? 1 : 0);
        builder->handler.on_done(builder->handler.context, order);
        scenario_order_destroy(order);
    }
}

static void work(struct scenario_builder *builder, struct scenario_order *order) {
    if (scenario_order_take_room(order, &builder->overrides)) {
        pthread_mutex_lock(&builder->mutex);
        await_clone(builder, order);
        pthread_mutex_unlock(&builder->mutex);
        builder->handler.on_room(builder->handler.context);
        return;
    }
    scenario_order_work(order, &builder->source, &builder->overrides, &builder->is_ending);
    finish(builder, order);
}

static void *run(void *argument) {
    struct scenario_builder *builder = argument;
    pthread_mutex_lock(&builder->mutex);
    while (!atomic_load(&builder->is_ending)) {
        struct scenario_order *returned = remove_first(&builder->returned);
        struct scenario_order *order = returned == NULL ? next_order(builder) : NULL;
        if (returned == NULL && order == NULL) {
            pthread_cond_wait(&builder->changed, &builder->mutex);
            continue;
        }
        pthread_mutex_unlock(&builder->mutex);
        scenario_order_destroy(returned);
        if (order != NULL) {
            work(builder, order);
        }
        pthread_mutex_lock(&builder->mutex);
    }
    pthread_mutex_unlock(&builder->mutex);
    return NULL;
}

/* ---- life ---- */

struct scenario_builder *scenario_builder_create(const struct scenario_source *source,
                                                 const struct world_overrides *overrides,
                                                 const struct scenario_builder_handler *handler) {
    struct scenario_builder *builder = calloc(1, sizeof *builder);
    if (builder == NULL) {
        return NULL;
    }
    builder->source = *source;
    builder->overrides = *overrides;
    builder->handler = *handler;
    builder->loads.last = &builder->loads.first;
    builder->others.last = &builder->others.first;
    builder->cloning.last = &builder->cloning.first;
    builder->returned.last = &builder->returned.first;
    if (pthread_mutex_init(&builder->mutex, NULL) != 0) {
        goto no_mutex;
    }
    if (timed_wait_init(&builder->changed) != 0) {
        goto no_condition;
    }
    if (pthread_create(&builder->thread, NULL, run, builder) != 0) {
        goto no_thread;
    }
    builder->is_running = true;
    return builder;
no_thread:
    pthread_cond_destroy(&builder->changed);
no_condition:
    pthread_mutex_destroy(&builder->mutex);
no_mutex:
    free(builder);
    return NULL;
}

void scenario_builder_abandon(struct scenario_builder *builder) {
    pthread_mutex_lock(&builder->mutex);
    atomic_store(&builder->is_ending, true);
    atomic_store(&builder->is_urgent, true);
    pthread_cond_signal(&builder->changed);
    pthread_mutex_unlock(&builder->mutex);
}

void scenario_builder_stop(struct scenario_builder *builder) {
    if (builder->is_running) {
        scenario_builder_abandon(builder);
        pthread_join(builder->thread, NULL);
        builder->is_running = false;
    }
}

void scenario_builder_destroy(struct scenario_builder *builder) {
    if (builder == NULL) {
        return;
    }
    scenario_builder_stop(builder);
    struct scenario_order *order = NULL;
    while ((order = remove_first(&builder->returned)) != NULL) {
        scenario_order_destroy(order);
    }
    pthread_cond_destroy(&builder->changed);
    pthread_mutex_destroy(&builder->mutex);
    free(builder);
}

/* ---- for others ---- */

/* With the lock. */
static void begin(struct scenario_builder *builder, struct scenario_order *order) {
    if (order->kind == ORDER_SAVE) {
        await_clone(builder, order);
        return;
    }
    order->state = ORDER_BEGUN;
    (void)atomic_fetch_add(&builder->loading, scenario_order_is_load(order) ? 1 : 0);
    append(scenario_order_is_load(order) ? &builder->loads : &builder->others, order);
    pthread_cond_signal(&builder->changed);
}

bool scenario_builder_is_loading(const struct scenario_builder *builder) {
    return atomic_load(&builder->loading) > 0;
}

bool scenario_builder_wants_clones(const struct scenario_builder *builder) {
    return atomic_load(&builder->wants_clones);
}

/* Only the state's thread takes orders out of the line, so they stay while it clones without the lock. */
void scenario_builder_give_clones(struct scenario_builder *builder, const struct simulation_state *state) {
    pthread_mutex_lock(&builder->mutex);
    struct scenario_order *first = builder->cloning.first;
    builder->cloning = (struct line){.last = &builder->cloning.first};
    atomic_store(&builder->wants_clones, false);
    pthread_mutex_unlock(&builder->mutex);
    for (struct scenario_order *order = first; order != NULL; order = order->next) {
        scenario_order_clone(order, state);
    }
    pthread_mutex_lock(&builder->mutex);
    while (first != NULL) {
        struct scenario_order *order = first;
        first = order->next;
        order->state = ORDER_BEGUN;
        append(&builder->others, order);
    }
    pthread_cond_signal(&builder->changed);
    pthread_mutex_unlock(&builder->mutex);
}

bool scenario_builder_has_built(struct scenario_builder *builder, struct scenario_order *order) {
    pthread_mutex_lock(&builder->mutex);
    if (order->state == ORDER_NEW) {
        begin(builder, order);
    }
    const bool has_built = order->state == ORDER_WAITS;
    pthread_mutex_unlock(&builder->mutex);
    return has_built;
}

void scenario_builder_hand_back(struct scenario_builder *builder, struct scenario_order *order) {
    pthread_mutex_lock(&builder->mutex);
    assert(order == builder->waiting);
    builder->waiting = NULL;
    atomic_store(&builder->has_world, false);
    atomic_store(&builder->is_urgent, atomic_load(&builder->is_ending));
    (void)atomic_fetch_sub(&builder->loading, 1);
    append(&builder->returned, order);
    pthread_cond_signal(&builder->changed);
    pthread_mutex_unlock(&builder->mutex);
}

uint32_t scenario_builder_waiting(struct scenario_builder *builder) {
    pthread_mutex_lock(&builder->mutex);
    const uint32_t session = builder->waiting == NULL ? 0 : builder->waiting->session;
    pthread_mutex_unlock(&builder->mutex);
    return session;
}

bool scenario_builder_has_world(const struct scenario_builder *builder) {
    return atomic_load(&builder->has_world);
}

const atomic_bool *scenario_builder_urgency(const struct scenario_builder *builder) {
    return &builder->is_urgent;
}
