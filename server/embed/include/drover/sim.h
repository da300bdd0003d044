/* libdrover-sim: Drover's simulation inside a program of one's own, without a server.
 *
 *     struct drover_sim_error error;
 *     struct drover_sim *sim = drover_sim_create(text, strlen(text), NULL, &error);
 *     for (;;) {
 *         drover_sim_requestf(sim, "{\"op\":\"set_target\",\"name\":\"mouse\",\"x\":%d,\"y\":%d}", x, y);
 *         drover_sim_step(sim, 1);
 *         const struct drover_sim_agents *agents = drover_sim_agents(sim);
 *         for (int32_t i = 0; i < agents->count; i++) draw(agents->x[i], agents->y[i]);
 *     }
 *     drover_sim_destroy(sim);
 *
 * A simulation is made from the text of a scenario (docs/scenarios.md), changed by requests, the lines of protocol.md, and
 * moves when it is stepped. With the same scenario, seed, and requests at the same ticks it has the same bits as a server:
 * drover_sim_hash is the `hash` of the protocol, and a save may be loaded by either.
 *
 * The library makes no thread, opens no file or socket and reads no clock. drover_sim_step allocates nothing. A handle is
 * used by one thread at a time; different handles have nothing in common. Numbers are IEEE floats in the units of the
 * protocol: px, seconds, radians where it is said so; x points right, y down.
 *
 * A pointer may be NULL only where it is said so: any other one that is NULL ends the program.
 *
 * docs/libdrover-sim.md has an example and the promise about later versions.
 */
#ifndef DROVER_SIM_H
#define DROVER_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(DROVER_EXPORTS) /* while the library itself is built */
#define DROVER_SIM_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define DROVER_SIM_API __attribute__((visibility("default")))
#else
#define DROVER_SIM_API
#endif
#if defined(__MINGW32__)
#define DROVER_SIM_PRINTF(at, first) __attribute__((format(gnu_printf, at, first)))
#elif defined(__GNUC__)
#define DROVER_SIM_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define DROVER_SIM_PRINTF(at, first)
#endif

/** The version of this header; drover_sim_version has that of the library. */
#define DROVER_SIM_VERSION_MAJOR 0
#define DROVER_SIM_VERSION_MINOR 1
#define DROVER_SIM_VERSION_PATCH 0

/** "0.1.0". */
DROVER_SIM_API const char *drover_sim_version(void);
/** The number of the rules by which agents move: hashes of one core agree on every machine; another core may move agents
 * otherwise. The `core` of the protocol's hello. */
DROVER_SIM_API unsigned drover_sim_core(void);

/** A simulation: a world and what belongs to it. */
struct drover_sim;

/** Why a call failed. All texts are NUL-terminated UTF-8. */
struct drover_sim_error {
    char code[32];     /* of protocol.md, Errors: "bad_scenario", "bad_save", "busy" (out of memory) */
    char field[128];   /* the place, "kinds.prey.max_speed"; "" for none */
    char message[384]; /* what is wrong; what is allowed */
};

/** Threads that the caller lends. `run` calls body(context, begin, end) for disjoint ranges of about `grain` that together
 * are [0, count), in any order, on any of its threads, and returns when all are done. The bits do not depend on it. */
typedef void (*drover_sim_body)(void *context, int32_t begin, int32_t end);
struct drover_sim_threads {
    void *pool;  /* what `run` gets */
    int threads; /* how many may work at once, at least 1 */
    void (*run)(void *pool, int32_t count, int32_t grain, drover_sim_body body, void *context);
};

/** Start with `struct drover_sim_options options = DROVER_SIM_OPTIONS;`. */
struct drover_sim_options {
    size_t size;          /* sizeof(struct drover_sim_options): later versions have more members */
    const uint64_t *seed; /* NULL: the scenario's */
    double tick_hz;       /* ticks a second; 0: the scenario's */
    const char *name;     /* of the scenario, for errors and saves; NULL: "scenario" */
    const struct drover_sim_threads *threads; /* copied; NULL: the calling thread alone */
    int32_t max_agents; /* that the world may have, up to 100000000; 0: 1048576. Since 0.1.0 */
};
#define DROVER_SIM_OPTIONS                                                                                   \
    { sizeof(struct drover_sim_options), NULL, 0.0, NULL, NULL, 0 }

/** Makes the world of a scenario, at tick 0.
 *
 * text     JSON, as in a file of scenarios/; copied
 * options  NULL: the defaults
 * error    NULL, or receives why
 * returns  NULL with *error: bad_scenario with the place, out_of_range (an option), busy. drover_sim_destroy after use */
DROVER_SIM_API struct drover_sim *drover_sim_create(const char *text, size_t length,
                                                    const struct drover_sim_options *options,
                                                    struct drover_sim_error *error);
/** The same for a saved world: of drover_sim_save, or a file that a server's `save` made. Of the options, seed and tick_hz
 * are not used. NULL with *error: bad_save, version (saved by another core, and comes out different), busy. */
DROVER_SIM_API struct drover_sim *drover_sim_create_from_save(const char *text, size_t length,
                                                              const struct drover_sim_options *options,
                                                              struct drover_sim_error *error);
/** NULL is fine. */
DROVER_SIM_API void drover_sim_destroy(struct drover_sim *sim);

/* ---- requests ---- */

/** Applies a request about the world, one JSON object: set_target, spawn, remove, set_param, get_params, add_obstacle, list,
 * inspect, step ... Those that belong to a session, a server or its files (subscribe, hello, load, save, record ...) are
 * refused, and so is `at`.
 *
 * returns  the reply or the error as protocol.md says, NUL-terminated, without a newline; "" when no answer is due (a change
 *          without an id that succeeded). The handle's, until the next call on it */
DROVER_SIM_API const char *drover_sim_request(struct drover_sim *sim, const char *request);
/** The same, of a format, as printf has it. Texts that may hold quotes are the caller's affair; so is the locale: where the
 * program has set one with a decimal comma (setlocale, LC_NUMERIC), %f and %g write what is no JSON. */
DROVER_SIM_API const char *drover_sim_requestf(struct drover_sim *sim, const char *format, ...)
    DROVER_SIM_PRINTF(2, 3);
/** Whether the last request was refused, and why: 0, or -1 with *error, which may be NULL. */
DROVER_SIM_API int drover_sim_last_error(const struct drover_sim *sim, struct drover_sim_error *error);

/** The request `drive` for these agents, without a text: each gets its vector, px/s or mass*px/s^2 as its kind's behavior
 * `external` says, and follows it from the next tick on.
 *
 * ids      count; those that are gone are left out
 * vx, vy   count each, from -1e9 to 1e9
 * returns  0, or -1 as drover_sim_last_error says, and nothing changed: out_of_range, bad_param (a kind without
 *          `external`), busy */
DROVER_SIM_API int drover_sim_drive(struct drover_sim *sim, const uint32_t *ids, const float *vx,
                                    const float *vy, int32_t count);

/* ---- time ---- */

/** Does so many ticks of 1 / drover_sim_tick_hz seconds. Allocates nothing. */
DROVER_SIM_API void drover_sim_step(struct drover_sim *sim, uint32_t ticks);
DROVER_SIM_API uint64_t drover_sim_tick(const struct drover_sim *sim);
DROVER_SIM_API double drover_sim_tick_hz(const struct drover_sim *sim);
/** Seconds of simulated time: tick / tick_hz. */
DROVER_SIM_API double drover_sim_time(const struct drover_sim *sim);
/** Of everything that decides the future; the protocol writes it as 16 hexadecimal digits. O(agents). */
DROVER_SIM_API uint64_t drover_sim_hash(const struct drover_sim *sim);

enum drover_sim_event_type {
    DROVER_SIM_REACHED, /* an agent reached a target that jumps */
    DROVER_SIM_CAUGHT   /* an agent touches its quarry, and did not in the tick before */
};
struct drover_sim_event {
    uint64_t tick;
    enum drover_sim_event_type type;
    uint32_t agent;  /* id */
    uint32_t quarry; /* id; 0 for DROVER_SIM_REACHED */
    int target;      /* number; -1 for DROVER_SIM_CAUGHT */
    float x, y;      /* px; where the target was; 0 for DROVER_SIM_CAUGHT */
};
/** The events of the last drover_sim_step in their order, the handle's until the next. *left_out, which may be NULL: how
 * many there was no room for (64 a tick, 1024 a call). Returns how many there are. */
DROVER_SIM_API int32_t drover_sim_events(const struct drover_sim *sim, const struct drover_sim_event **events,
                                         uint32_t *left_out);

/* ---- what there is ---- */

/** All agents, in ascending order of id: `count` entries a column. */
struct drover_sim_agents {
    int32_t count;
    const uint32_t *id;
    const uint16_t *kind, *state; /* numbers: drover_sim_kind, drover_sim_state */
    const float *x, *y;           /* px */
    const float *vx, *vy;         /* px/s */
    const float *heading;         /* rad, -pi to pi, from +x towards +y; kept when the agent stops */
    const float *radius;          /* px */
    const float *stamina;         /* 0 when the kind has none */
};
/** The agents as they are now. The handle's, valid until a request, a step or drover_sim_copy; NULL when out of memory. */
DROVER_SIM_API const struct drover_sim_agents *drover_sim_agents(struct drover_sim *sim);

/** A column each, in the order in which drover_sim_columns writes them: ids and floats of 4 bytes, then numbers of 2. */
enum drover_sim_column {
    DROVER_SIM_ID = 1,
    DROVER_SIM_X = 2,
    DROVER_SIM_Y = 4,
    DROVER_SIM_VX = 8,
    DROVER_SIM_VY = 16,
    DROVER_SIM_HEADING = 32,
    DROVER_SIM_RADIUS = 64,
    DROVER_SIM_STAMINA = 128,
    DROVER_SIM_KIND = 256,
    DROVER_SIM_STATE = 512
};
/** The same agents in memory of the caller's, which stays as it is when the simulation goes on.
 *
 * wanted   of enum drover_sim_column, added up; bits without a column are passed over
 * out      the wanted columns, one right behind the other, each of `room` entries; aligned for uint32_t. What lies behind
 *          the last agent in a column is not written to. NULL: nothing is written
 * returns  how many agents there are; more than `room`: nothing was written */
DROVER_SIM_API int32_t drover_sim_columns(const struct drover_sim *sim, unsigned wanted, void *out,
                                          int32_t room);
DROVER_SIM_API int32_t drover_sim_agent_count(const struct drover_sim *sim);
/** The row of an id in the columns, or -1. */
DROVER_SIM_API int32_t drover_sim_row(const struct drover_sim *sim, uint32_t id);

/** px; the box of the world, or, of an open world, the box in which agents are placed. */
DROVER_SIM_API void drover_sim_size(const struct drover_sim *sim, float *width, float *height);
DROVER_SIM_API int drover_sim_kind_count(const struct drover_sim *sim);
/** The name of a kind, of a state of a kind; "" when there is none of that number. The handle's. */
DROVER_SIM_API const char *drover_sim_kind(const struct drover_sim *sim, int kind);
DROVER_SIM_API const char *drover_sim_state(const struct drover_sim *sim, int kind, int state);
DROVER_SIM_API int drover_sim_target_count(const struct drover_sim *sim);
/** The name of a named target; "" when there is none of that number. The handle's. x and y, which may be NULL: px. */
DROVER_SIM_API const char *drover_sim_target(const struct drover_sim *sim, int target, float *x, float *y);

/** Obstacles are numbered from 0; one that is removed moves the later ones up. */
DROVER_SIM_API int drover_sim_obstacle_count(const struct drover_sim *sim);
/** The outline of an obstacle where it is in this tick, for drawing: its corners in order, at most 64; a polygon need not be convex. A circle has 32, but the
 * simulation goes by the circle itself.
 *
 * obstacle  its number, from 0
 * corners   px: x and y of each; NULL: none are written
 * room      how many corners there is room for
 * returns   how many there are; 0 when there is no obstacle of that number */
DROVER_SIM_API int32_t drover_sim_obstacle(const struct drover_sim *sim, int obstacle, float *corners,
                                           int32_t room);

/** The description of the world as it is now: the line `scenario` of protocol.md, NUL-terminated, without a newline. The
 * handle's, until the next call on it. */
DROVER_SIM_API const char *drover_sim_scenario(struct drover_sim *sim);

/* ---- learning ---- */

/** Asks for the nearest others of agents. */
struct drover_sim_near {
    const uint32_t *ids; /* whose; those that are gone have none */
    int32_t count;       /* ids */
    int32_t most;        /* of an agent, 1 to 32 */
    uint64_t kinds;      /* bit k: agents of kind k count; UINT64_MAX: all do */
    int32_t *
        rows; /* count * most rows of the columns, the nearest first, of two as near the lower row; -1: no more */
    float *
        values; /* NULL; or count * (4 + 4 * most) numbers: of each agent its x, y, vx, vy, and of each that is near
                      dx, dy, dvx, dvy, its own less the agent's; px and px/s; 0 where there is no agent */
};
/** Fills near->rows and near->values. Differences go the short way on a torus. Costs about as much for an agent however
 * many there are. 0, or -1 without memory, or when `most` is none of those. */
DROVER_SIM_API int drover_sim_nearest(const struct drover_sim *sim, const struct drover_sim_near *near);

/** Asks how far agents see until something solid is in the way, as a lidar measures it. */
struct drover_sim_ray_fan {
    const uint32_t *ids; /* whose; those that are gone have 0 */
    int32_t count;       /* ids */
    uint32_t number;     /* rays of an agent, 1 to 64 */
    float range;         /* px, 1 to 10000 */
    float
        spread; /* degrees, 0 to 360, from the first to the last, the heading in the middle; 360: once round, the first one ahead */
    float *distances; /* count * number, px, clockwise where y points down; range where nothing is met */
};
/** Fills fan->distances. Obstacles, walls, what moves and doors count, where they are in this tick; agents and the borders of the world do not, and on
 * a torus rays go on behind them. A ray begins at the agent's place, in its heading, both rounded to hundredths as a server's frames have them, so the
 * numbers are those of the member `rays` of `get`. 0, or -1 when a number is none of those. */
DROVER_SIM_API int drover_sim_rays(const struct drover_sim *sim, const struct drover_sim_ray_fan *fan);

/** A step of a learner's loop: drover_sim_drive, drover_sim_step, drover_sim_columns, drover_sim_nearest, drover_sim_hash,
 * in this order, with their members. */
struct drover_sim_turn {
    struct drover_sim *sim;
    const uint32_t *ids;
    const float *vx, *vy;
    int32_t driven; /* 0: drover_sim_drive is not called */
    uint32_t ticks;
    unsigned wanted;
    int32_t room;
    void *out;
    const struct drover_sim_near *near; /* NULL: not called */
    int32_t
        count; /* is set: how many agents there are; -1: the vectors were refused, and nothing else was done */
    uint64_t hash; /* is set */
};
/** Takes so many turns, each of another simulation. Returns 0; or -1 when one of them was refused, or had no memory for
 * its nearest; the others are taken. */
DROVER_SIM_API int drover_sim_turns(struct drover_sim_turn *turns, int32_t count);

/* ---- keeping ---- */

/** The whole world as text, which drover_sim_create_from_save and a server's saves folder (NAME.drover) read. Goes on
 * exactly as this one with the same requests.
 *
 * returns  NULL when out of memory. drover_sim_free after use. *length may be NULL */
DROVER_SIM_API char *drover_sim_save(const struct drover_sim *sim, size_t *length);
DROVER_SIM_API void drover_sim_free(char *text);
/** A further simulation that is as this one. NULL when out of memory. */
DROVER_SIM_API struct drover_sim *drover_sim_clone(const struct drover_sim *sim);
/** Makes `to` as `from` is: the same hash, and the same future with the same requests. `to` is a clone of `from`, or the
 * other way about, of whatever age. Quick: for rollback, and to try what a request would do. 0, or -1 without memory or
 * when they are of different scenarios; `to` stays as it was then. */
DROVER_SIM_API int drover_sim_copy(struct drover_sim *to, const struct drover_sim *from);

#ifdef __cplusplus
}
#endif

#endif
