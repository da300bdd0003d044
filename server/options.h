/* The command line of drover-server. */
#ifndef DROVER_SERVER_OPTIONS_H
#define DROVER_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/system/options.h"
#include "server/scenario/scenario.h"

/* The scenario of a server that is given no name: it moves at once, and is a good one to look at first. */
#define SERVER_DEFAULT_SCENARIO "flock"

/** The values of --web-metrics. */
enum server_metrics { SERVER_METRICS_ON, SERVER_METRICS_OFF };

struct server_options {
    const char *program; /* "drover-server", or another that is one: how it names itself */
    int stripes;         /* ranks in stripes, which --check asks for too; 0: none */
    char listen[256];
    uint32_t port;
    char seed[24];  /* digits; "" when not given */
    double tick_hz; /* 0: the scenario's */
    char scenarios[1024];
    bool is_paused;
    bool is_check; /* the arguments are files to check */
    bool is_schema;
    bool is_watching; /* the scenario's file */
    uint32_t max_agents;
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
    int log_format;   /* enum log_format */
    char state[1024]; /* the folder of --state; "" when not given */
    bool is_state_new;
    char sync[24]; /* seconds, or "always" */
    char keep[24]; /* bytes, or "all" */
    double checkpoint_every_s;
    char from[1024];       /* a save's name, or FILE or FILE@TICK */
    char record[1024];     /* a file, or "auto" */
    char record_max[24];   /* bytes; "" for any number */
    char memory[24];       /* bytes: digits, and K, M or G */
    char rewind[24];       /* the same */
    uint32_t looks;        /* sessions that may look at another time at once */
    char recordings[1024]; /* the folder of recordings that are asked for; "" for the usual one */
    uint32_t selfcheck_s;  /* 0: off */
    char replay[1024];     /* a recording */
    char at[24];           /* the tick to start at; "" when not given */
    bool is_anyway;
    char web[256];         /* [ADDR:]PORT or unix:PATH; "" for no door for browsers */
    char web_host[1024];   /* names, with spaces between them */
    char web_origin[1024]; /* the same */
    int web_metrics;       /* enum server_metrics */
    bool is_ready_with_journal;
    char seconds[1024]; /* the folder of --seconds; "" when not given */
    uint32_t seconds_keep;
    int seconds_layout; /* enum seconds_layout */
};

/** Of drover-server. */
struct server_options server_options_default(void);
/** The rows of the options, for options_parse. */
const struct options_def *server_options_def(void);
/** Whether no path on the command line is empty. 0, or -1 with *failure, which names the option. Before the command line
 * is parsed, which moves its words. */
NODISCARD int server_options_check_given(int argc, char *const *argv, struct failure *failure);
/** How many threads work on a tick: what --threads says, or what suits the machine. 1 or more. */
int server_options_threads(const struct server_options *options);
/** The values of --seed, --tick-hz, --max-agents and --threads. 0, or -1 with *failure. */
NODISCARD int server_options_overrides(const struct server_options *options, struct world_overrides *out,
                                       struct failure *failure);
/** The value of --frame-memory, in bytes. 0, or -1 with *failure. */
NODISCARD int server_options_frame_memory(const struct server_options *options, uint64_t *bytes,
                                          struct failure *failure);

/** What --sync, --keep, --record-max and --at say. */
struct server_keeping {
    double sync_s;
    bool is_always;
    uint64_t keep_bytes; /* UINT64_MAX: all */
    uint64_t record_max; /* 0: any */
    uint64_t memory_bytes;
    uint64_t past_bytes;
    bool has_at;
    uint64_t at; /* tick */
};

/** Reads them; refuses options that do not go together. 0, or -1 with *failure. */
NODISCARD int server_options_keeping(const struct server_options *options, struct server_keeping *out,
                                     struct failure *failure);

/** The place of --web. */
struct server_web {
    bool is_unix;
    char address[256]; /* or the path */
    uint32_t port;
};

/** Reads --web, which is given. 0, or -1 with *failure. */
NODISCARD int server_options_web(const struct server_options *options, struct server_web *out,
                                 struct failure *failure);

/** The value of the variable DROVER_SIMD (plain, sse2, avx2 or avx512; NULL or empty: the widest there is). 0,
 * or -1 with *failure when there is no such thing or this machine does not have it. */
NODISCARD int server_options_simd(const char *text, struct world_overrides *out, struct failure *failure);

#endif
