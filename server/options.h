/* The command line of drover-server. */
#ifndef DROVER_SERVER_OPTIONS_H
#define DROVER_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/system/options.h"
#include "server/scenario/built_world.h"

struct server_options {
    char listen[256];
    uint32_t port;
    char seed[24];  /* digits; "" when not given */
    double tick_hz; /* 0: the scenario's */
    char scenarios[1024];
    bool is_paused;
    bool is_check; /* the arguments are files to check */
    uint32_t max_clients;
    uint32_t max_per_address; /* 0: LIMIT_ADDRESS_CLIENTS, loopback without limit */
    uint32_t rate;            /* requests a second of one session; 0: no limit */
    uint32_t idle_s;          /* 0: never */
    char frame_memory[24];    /* bytes: digits, and K, M or G */
    char token_file[1024];    /* "" when every client is admin */
    bool is_insecure;
    bool is_realtime;
    uint32_t threads; /* 0: as many as there are cores, less one for the network */
    int log;          /* enum log_level */
};

struct server_options server_options_default(void);
/** The rows of the options, for options_parse. */
const struct options_def *server_options_def(void);
/** How many threads work on a tick: what --threads says, or what suits the machine. 1 or more. */
int server_options_threads(const struct server_options *options);
/** The values of --seed and --tick-hz. 0, or -1 with *failure. */
NODISCARD int server_options_overrides(const struct server_options *options, struct world_overrides *out,
                                       struct failure *failure);
/** The value of --frame-memory, in bytes. 0, or -1 with *failure. */
NODISCARD int server_options_frame_memory(const struct server_options *options, uint64_t *bytes,
                                          struct failure *failure);

/** The value of the variable DROVER_SIMD (plain, sse2, avx2 or avx512; NULL or empty: the widest there is). 0,
 * or -1 with *failure when there is no such thing or this machine does not have it. */
NODISCARD int server_options_simd(const char *text, struct world_overrides *out, struct failure *failure);

#endif
