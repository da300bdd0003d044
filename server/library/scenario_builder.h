/* The thread that works off scenario orders: reads files and builds worlds while the simulation ticks on.
 *
 * 1. Once there is a builder, nothing else uses the scenario source.
 * 2. Loads are worked off in order of arrival, and so are all other orders. One built world waits at a time: the
 * next is built when it was handed back. Other orders do not wait for that.
 * 3. A built world that was not handed back after SCENARIO_BUILDER_GRACE_MS is urgent: the tick in hand is to
 * be given up for it. So ticks of the usual length are done first, and what a step got to is known. A load
 * that fails is no reason.
 * 4. A save waits until the simulation's thread has given it a clone: scenario_builder_give_clones. It is called twice
 * for a save: what it learns about the world at first is the memory that this thread takes in between.
 * 5. A world that was replaced is destroyed on this thread too: that of a million agents takes a while.
 */
#ifndef DROVER_SERVER_LIBRARY_SCENARIO_BUILDER_H
#define DROVER_SERVER_LIBRARY_SCENARIO_BUILDER_H

#include "common/base/nodiscard.h"
#include "server/library/scenario_order.h"

enum { SCENARIO_BUILDER_GRACE_MS = 200 };

struct scenario_builder;

/** The callbacks of the builder, from its thread, without a lock. */
struct scenario_builder_handler {
    void *context;
    /** A built world waits: scenario_builder_waiting. */
    void (*on_world)(void *context);
    /** A save waits for its clone: scenario_builder_wants_clones. */
    void (*on_room)(void *context);
    /** An order that changes no world is done: a list, a save, or a load that failed. It is freed afterwards. */
    void (*on_done)(void *context, struct scenario_order *order);
};

/** Starts the thread. NULL when memory or threads are short. */
NODISCARD struct scenario_builder *scenario_builder_create(const struct scenario_source *source,
                                                           const struct world_overrides *overrides,
                                                           const struct scenario_builder_handler *handler);
/** Ends the thread and frees what was handed back. NULL is fine. */
void scenario_builder_destroy(struct scenario_builder *builder);

/** Hands over an order, once: further calls only ask whether its world waits. The builder may free it then,
 * or when on_done has returned. */
bool scenario_builder_has_built(struct scenario_builder *builder, struct scenario_order *order);
/** Takes the order whose world was waiting, with the replaced one in its stead (simulation_state_change). */
void scenario_builder_hand_back(struct scenario_builder *builder, struct scenario_order *order);
/** Whether a save waits for a clone. Takes no lock. */
bool scenario_builder_wants_clones(const struct scenario_builder *builder);
/** Gives the saves that wait what they wait for: clones of the state, as it is at a tick boundary. By the state's own thread. */
void scenario_builder_give_clones(struct scenario_builder *builder, const struct simulation_state *state);
/** Whether a built world waits. Takes no lock. */
bool scenario_builder_has_world(const struct scenario_builder *builder);
/** Whether a world is being read or built, or waits. Takes no lock. */
bool scenario_builder_is_loading(const struct scenario_builder *builder);
/** The session whose built world waits; 0: none. */
uint32_t scenario_builder_waiting(struct scenario_builder *builder);

/** True while the tick in hand is to be given up; the builder's, for world_let_give_up. */
const atomic_bool *scenario_builder_urgency(const struct scenario_builder *builder);
/** Gives up what is being built, and from now on every tick. Any thread; waits for nothing. */
void scenario_builder_abandon(struct scenario_builder *builder);
/** scenario_builder_abandon, and waits for the thread: orders that are neither done nor handed back are the
 * caller's again. */
void scenario_builder_stop(struct scenario_builder *builder);

#endif
