/* A scenario: what a JSON file says about a world, checked and turned into a struct world_def.
 *
 * 1. A file with a mistake is refused whole. The failure says where (JSON path, line and column), what was found and what is
 * allowed.
 * 2. Unknown keys are mistakes: a typing error must not become a silent default.
 * 3. Names that refer to targets and kinds are checked here, so that world_create has nothing left to refuse
 * but memory and the number of agents.
 *
 * The grammar is in docs/scenarios.md; tables of the core (body_fields, behavior_fields) say what kinds
 * and behaviors can have, so a parameter added there is known here.
 */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_H
#define DROVER_SERVER_SCENARIO_SCENARIO_H

#include <cjson/cJSON.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/field.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message_scenario.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_def.h"

/* The mistakes of a scenario, in the order in which reading finds them.
 *
 * Reading goes on after a mistake for as long as there is room for another: with room for one it ends at the
 * first, as loading does; with room for many it finds what there is, as checking does. What has a mistake
 * stays where it is in the world's definition as far as later parts name it (a target, a kind), so that one
 * mistake is not reported several times.
 */

struct scenario_mistakes {
    struct failure *rows; /* the caller's */
    int count, capacity;  /* capacity: 1 or more */
};

/** Takes a mistake in. Whether reading is to go on: there is room for another, and memory is not what is
 * short.
 */
bool scenario_mistake(struct scenario_mistakes *mistakes, const struct failure *failure);
/** As fields_read, but goes on after a mistake. 0, or -1 when reading ends here. *is_whole: whether there was
 * none. */
NODISCARD int scenario_read_fields(const struct field *table, const cJSON *json, const char *path,
                                   const char *const *known, void *object, uint64_t *present, bool *is_whole,
                                   struct scenario_mistakes *mistakes);

struct scenario {
    char name[LIMIT_NAME_CHARS + 1]; /* of the file, without .json: what `load` takes */
    char title[128];                 /* "name" in the file */
    char description[512];
    struct message_view view;
    struct message_about about;
    struct world_def def;
    double warmup_s; /* ticks of this time are done without pace when the world is fresh */
    char *text;      /* owned: what it was read from, NUL-terminated; NULL: nothing was read */
    size_t text_length;
};

/** Nothing in it; scenario_fini frees what reading adds. */
void scenario_init(struct scenario *scenario);
void scenario_fini(struct scenario *scenario);
/** Reads a scenario from JSON text. `scenario` is initialized by this, also on failure (then it is empty).
 * 0, or -1 with *failure: field is the JSON path, "" when the text is not JSON at all; line and column are its
 * place in the text. */
NODISCARD int scenario_read(const char *text, size_t length, struct scenario *scenario,
                            struct failure *failure);
/** The same, with the tree of the text after success, the caller's. tree: NULL, or where it goes. */
NODISCARD int scenario_read_tree(const char *text, size_t length, struct scenario *scenario, cJSON **tree,
                                 struct failure *failure);
/** The same for all mistakes, as many as *mistakes has room for; scenario_fini after success
 * alone. */
NODISCARD int scenario_read_all(const char *text, size_t length, struct scenario *scenario,
                                struct scenario_mistakes *mistakes);

/** Appends a world as it stands as the text of a scenario: the one that it came from, in which what requests and ticks have changed is
 * as it is now. A fresh world of the result gives the same result, byte for byte.
 *
 * text         NUL-terminated; a scenario without mistakes, the world's
 * world        whole, between two ticks
 * with_agents  true: agents where they are; false: as the entries of the text put them
 * document     empty; its limit is that of a scenario's bytes
 * lost         receives an array of texts, for people: what the result does not say of the world
 * returns      0, or -1 with *failure: full (too many agents for single entries, too long), busy, unsupported (what the world is now
 *              is no scenario) */
NODISCARD int scenario_write_now(const char *text, size_t length, const struct world *world, bool with_agents,
                                 struct buffer *document, struct buffer *lost, struct failure *failure);

/** Appends the JSON Schema (draft 7) of such files to the buffer, which says when it has failed. */
void scenario_write_schema(struct buffer *out);

/* A world as a scenario describes it, ready to be simulated, with the titles that clients get. Built away
 * from the simulation thread (scenario_builder.h), so that a world of a million agents costs no tick. */

/** A machine that has ranks, as it was when they began. */
struct host_room {
    char name[64];
    int ranks;
    uint64_t free; /* bytes of memory that they have together; UINT64_MAX: nothing is known */
};

/** Values of the command line and the environment that replace those of a scenario or of the machine. */
struct world_overrides {
    bool has_seed;
    uint64_t seed;
    double tick_hz; /* 0: the scenario's */
    bool has_simd;  /* otherwise the widest there is */
    enum simd simd;
    int32_t max_agents;        /* 0: LIMIT_AGENTS_USUAL */
    const char *agents_option; /* " (--max-agents)", what may raise it, for messages; NULL: nothing */
    int threads;               /* that will work on a tick; 0: one */
    int stripes_rank;          /* which of them this is, from 0 */
    int stripes; /* ranks that will share the world: its agents come when it is put in (world_populate); 0: none */
    /* Bytes that the machine can still give each of so many processes; NULL: a world that it cannot hold fails where it
     * does. */
    uint64_t (*memory_free)(int processes);
    const struct host_room *hosts; /* all machines of the ranks, for the first world; not owned */
    int host_count;                /* 0: nothing is known of them */
    int ranks_beside; /* other ranks on this machine, each of which takes the same memory for the world */
};

enum { WORLD_MEMORY_TEXT = 80 };
/** "0.28 GB", or with other ranks on this machine "4 ranks of this host x 0.28 GB". Returns text. */
const char *world_memory_text(uint64_t bytes, int ranks_beside, char text[WORLD_MEMORY_TEXT]);

enum { WORLD_WARNING_TEXT = 256 };

/** The most agents that the overrides allow. */
static inline int32_t world_overrides_max_agents(const struct world_overrides *overrides) {
    return overrides->max_agents > 0 ? overrides->max_agents : LIMIT_AGENTS_USUAL;
}

/** 0 when an obstacle may stand in a world of this edge and size; otherwise fails (bad_param), with the sides of a polygon that
 * meet where they must not. */
NODISCARD int scenario_check_obstacle(const struct obstacle_def *obstacle, enum edge edge, vec2 size,
                                      const char *path, struct failure *failure);

struct built_world {
    struct world *world; /* owned; NULL: none */
    uint64_t hash;       /* of the world as it was built; while it is deferred 0 */
    bool is_fresh;       /* it is at the beginning of its scenario, with a seed and a rate of its own */
    char *head;    /* owned: the path of the checkpoint in parts that it was read from; NULL: it was not */
    uint32_t core; /* of a saved world of another core: that one; 0: this server's */
    char name[LIMIT_NAME_CHARS + 1], title[128], description[512];
    struct message_view view;
    struct message_about about;
    uint64_t bytes;   /* of memory that the world comes to use; 0: it is small */
    double warmup_s;  /* of the scenario */
    int32_t unspaced; /* agents for which there was no place that keeps their spacing */
    char *text;       /* owned: the scenario's, NUL-terminated */
    size_t text_length;
    char *first_text; /* owned: the same before the first edit; NULL: there was none */
};

/** Builds the scenario's world.
 *
 * seed      NULL, or instead of the scenario's and the command line's
 * given_up  NULL, or ends it early when it becomes true
 * returns   0, or -1 with *failure (bad_scenario, busy); *out is then empty */
NODISCARD int built_world_make(const struct scenario *scenario, const struct world_overrides *overrides,
                               const uint64_t *seed, const atomic_bool *given_up, struct built_world *out,
                               struct failure *failure);
/** Whether the scenario's placements have no more agents together than world_overrides_max_agents. 0, or -1 with *failure
 * (bad_scenario), whose field is the JSON path of the first count that is too many. */
NODISCARD int built_world_check_counts(const struct scenario *scenario,
                                       const struct world_overrides *overrides, struct failure *failure);
/** Whether the machine has the memory for a world of this definition with so many agents, whatever its placements say;
 * what is small is not asked for. world_overrides_max_agents is checked too.
 *
 * bytes    NULL, or receives what the world comes to use; 0 for a small one
 * returns  0, or -1 with *failure: bad_scenario (too many agents), busy (no memory, with the numbers) */
NODISCARD int built_world_check_size(const struct world_def *def, const char *name, int64_t agents,
                                     const struct world_overrides *overrides, uint64_t *bytes,
                                     struct failure *failure);
/** The same for a world that is there already, which is *out's from now on, or destroyed on failure (busy). */
NODISCARD int built_world_finish(const struct scenario *scenario, const struct world_overrides *overrides,
                                 struct world *world, uint64_t hash, struct built_world *out,
                                 struct failure *failure);
/** What is allowed in a world but hardly meant, as a sentence: agents without room, ways that end. index: from 0 on.
 * Returns text; NULL: there are no more. */
const char *built_world_warning(const struct built_world *built, int index, char text[WORLD_WARNING_TEXT]);
void built_world_fini(struct built_world *built);

#endif
