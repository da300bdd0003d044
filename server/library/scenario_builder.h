/* The thread that works off scenario orders: reads files, builds worlds and goes back in their past while the simulation ticks on.
 *
 * 1. Once there is a builder, nothing else uses the scenario source.
 * 2. Loads are worked off in order of arrival, and so are all other orders. One built world waits at a time: the
 * next is built when it was handed back. Other orders do not wait for that.
 * 3. A built world that was not handed back after SCENARIO_BUILDER_GRACE_MS is urgent: the tick in hand is to
 * be given up for it. So ticks of the usual length are done first, and what a step got to is known. A load
 * that fails is no reason.
 * 4. A save, and an export of the world as it is, waits until the simulation's thread has given it a clone: scenario_builder_give_clones. It is called twice
 * for a save: what it learns about the world at first is the memory that this thread takes in between.
 * 5. A world that was replaced is destroyed on this thread too: that of a million agents takes a while.
 */
#ifndef DROVER_SERVER_LIBRARY_SCENARIO_BUILDER_H
#define DROVER_SERVER_LIBRARY_SCENARIO_BUILDER_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/exchange/command_queue.h"
#include "server/library/past.h"
#include "server/library/scenario_library.h"
#include "server/recording/checkpoint.h"
#include "server/scenario/scenario.h"
#include "server/storage/save_store.h"

/* An order for the builder: `load` needs a world built from a scenario's file or a saved world, `list` the list of
 * these, `save` a world written down, `export` one as it is. Files can be slow and worlds large, so a thread of its own
 * works the orders off. Pure but for the scenario source.
 *
 * A save is written from a clone, which the simulation's thread makes at a tick boundary (scenario_order_clone), in
 * memory that the builder's thread has taken for it (scenario_order_take_room): a tick waits for neither.
 *
 * Owns its clone and its results, except for a world that is taken out of `built`.
 */

/** Where scenarios come from: a scenario_library, or a test's own; and where saved worlds lie. Used by one thread at a
 * time. */
struct scenario_source {
    void *context;
    int (*load)(void *context, const char *name, struct scenario *out, struct failure *failure);
    const struct scenario_list *(*list)(void *context, struct failure *failure);
    struct save_store *saves;     /* not owned */
    struct past *past;            /* not owned; NULL: none is kept */
    const _Atomic uint64_t *tick; /* of the running world; not owned */
};

enum scenario_order_kind {
    ORDER_LOAD,        /* a world of a scenario */
    ORDER_LOAD_SAVE,   /* a saved world */
    ORDER_REWIND,      /* a moment of the world's past */
    ORDER_TWIN,        /* a branch or a saved world, at the tick of the running one: it is put beside that */
    ORDER_LIST,        /* of scenarios */
    ORDER_SAVE,        /* of the clone */
    ORDER_EXPORT,      /* the clone as a scenario */
    ORDER_LIST_SAVES,  /* of saved worlds */
    ORDER_REMOVE_SAVE, /* deletes one */
};

/* CLONING: a save that waits for the simulation's thread. WAITS: a world was built. */
enum scenario_order_state { ORDER_NEW, ORDER_CLONING, ORDER_BEGUN, ORDER_WAITS };

/** A simulation state at a tick boundary. Owns its world and text. */
struct order_clone {
    bool is_measured, is_made;
    struct world_room room; /* what the world takes; once it is measured */
    size_t text_room;
    struct world *world; /* NULL: no memory was taken yet */
    struct checkpoint_rest rest;
    char scenario[LIMIT_NAME_CHARS + 1];
    char *text; /* the scenario's */
    size_t text_length;
};

struct scenario_order {
    struct scenario_order *next;     /* the builder's */
    enum scenario_order_state state; /* the builder's */
    struct command *command;         /* whose request it is; not owned, and not read by the thread */
    uint32_t session;                /* of the command */
    enum scenario_order_kind kind;
    struct request_load load;
    struct request_extra *document;  /* that of the load has the scenario; owned; NULL: it is in a file */
    struct request_rewind rewind;    /* ORDER_REWIND; ORDER_TWIN of a branch */
    char save[LIMIT_NAME_CHARS + 1]; /* the name of the saved world */
    bool replaces;                   /* one of that name */
    struct order_clone clone;        /* a save's, an export's; the texts alone of a load with again */
    bool with_agents;                /* ORDER_EXPORT */
    /* Once it is worked off: */
    int result;                  /* 0, or -1 with the failure */
    struct failure failure;      /* its field is one of the request's */
    struct built_world built;    /* a load's */
    struct checkpoint_rest rest; /* ORDER_LOAD_SAVE, ORDER_REWIND: what goes with the built world */
    struct past_way way;         /* ORDER_REWIND */
    struct scenario_list list;
    struct save_row *saves; /* ORDER_LIST_SAVES; owned */
    int save_count;
    uint64_t saved_tick, saved_hash, saved_bytes; /* ORDER_SAVE; the first of an export as well */
    struct buffer exported, lost;                 /* ORDER_EXPORT: the document, what it does not say */
    bool is_in_memory;                            /* the same: not on the disk */
};

struct scenario_source scenario_library_source(struct scenario_library *library);

/** Whether the request needs an order before it can be applied. */
bool scenario_order_is_needed(const struct request *request);
/** An order for a command whose request needs one; NULL when memory is short. */
NODISCARD struct scenario_order *scenario_order_create(struct command *command);
/** For a `load` with again: takes the scenario of the state's world. A lack of memory becomes the order's failure. By the state's own
 * thread. */
void scenario_order_take_text(struct scenario_order *order, const struct simulation_state *state);
/** For a save: says at first how much memory the clone takes; once there is memory, copies what is to be saved. A lack
 * of memory becomes the order's failure. By the state's own thread, not in a tick. */
void scenario_order_clone(struct scenario_order *order, const struct simulation_state *state);
/** Takes the memory for a save that was measured and is not made; a lack of it becomes the order's failure. Returns
 * whether the clone can be made now. */
bool scenario_order_take_room(struct scenario_order *order, const struct world_overrides *overrides);
/** NULL is fine. */
void scenario_order_destroy(struct scenario_order *order);
/** Reads, checks, builds or writes what is ordered. given_up: as for built_world_make. */
void scenario_order_work(struct scenario_order *order, const struct scenario_source *source,
                         const struct world_overrides *overrides, const atomic_bool *given_up);
/** Appends the answer to a request that needs nothing of the world but its tick: a list, a saved world that was written
 * or removed, or a load that failed. line: the number of the request's line. */
void scenario_order_answer(const struct scenario_order *order, const struct request *request, uint64_t line,
                           uint64_t tick, struct buffer *out);
/** The event about a saved world that was written or removed; false when there is none. tick: the world's. */
bool scenario_order_event(const struct scenario_order *order, uint64_t tick, struct message_event *event);

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
/** Whether a built world waits; *session: whose it is, 0 for the server's own. */
bool scenario_builder_waiting(struct scenario_builder *builder, uint32_t *session);

/** True while the tick in hand is to be given up; the builder's, for world_allow_giving_up. */
const atomic_bool *scenario_builder_urgency(const struct scenario_builder *builder);
/** Gives up what is being built, and from now on every tick. Any thread; waits for nothing. */
void scenario_builder_abandon(struct scenario_builder *builder);
/** scenario_builder_abandon, and waits for the thread: orders that are neither done nor handed back are the
 * caller's again. */
void scenario_builder_stop(struct scenario_builder *builder);

#endif
