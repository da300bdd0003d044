/* Every limit that users or peers can meet. protocol.md quotes them; tests/checks/limits.py keeps the page
 * and this file equal. */
#ifndef DROVER_COMMON_BASE_LIMITS_H
#define DROVER_COMMON_BASE_LIMITS_H

#define LIMIT_LINE_BYTES        65536              /* a line from a client, without its newline */
#define LIMIT_ADMIN_LINE_BYTES  1048576            /* a line from an admin */
#define LIMIT_JSON_DEPTH        16                 /* nesting of objects and arrays */
#define LIMIT_JSON_TOKENS       4096               /* values and keys in one line */
#define LIMIT_ADMIN_JSON_TOKENS 131072             /* those in an admin's line */
#define LIMIT_JSON_NUMBER_CHARS 64                 /* characters of one number */
#define LIMIT_ID_CHARS          64                 /* characters of a string id */
#define LIMIT_ID_INTEGER        9007199254740991.0 /* 2^53 - 1, the largest integer id or seed */
#define LIMIT_BAD_LINES         8                  /* unreadable lines in a row before a session is closed */
#define LIMIT_NAME_CHARS        31                 /* a kind, state, target or scenario name */
#define LIMIT_CONTROL_BYTES     262144             /* replies and events queued for one session */
#define LIMIT_STALL_SECONDS     10   /* without a byte accepted by a session with bytes pending */
#define LIMIT_CLIENTS           1024 /* sessions at once (default of --max-clients) */
#define LIMIT_ADDRESS_CLIENTS   64   /* sessions of one address that is not loopback (--max-per-address) */
#define LIMIT_REQUEST_RATE      200  /* requests a second of one session that does not wait (--rate) */
#define LIMIT_RATE_SECONDS      10   /* held back that long without a pause: the session is closed */
#define LIMIT_IDLE_SECONDS      600  /* neither subscribed nor heard of (default of --idle) */
#define LIMIT_AUTH_SECONDS      10   /* to show a token when one is needed */
#define LIMIT_AUTH_TRIES        3    /* wrong tokens before a session is closed */
#define LIMIT_TOKEN_FREE        10   /* wrong tokens of one address that are answered at once */
#define LIMIT_TOKEN_CHARS       128  /* a token */
#define LIMIT_PERSON_BYTES      31   /* UTF-8 of the name a session gives itself */
#define LIMIT_CURSOR_HZ         10   /* cursors lines a second */

#define LIMIT_WEB_HEADER_BYTES   8192 /* the head of an HTTP request */
#define LIMIT_WEB_HEADERS        32   /* header fields of one */
#define LIMIT_WEB_CONNECTIONS    128  /* HTTP connections at once; WebSockets are sessions */
#define LIMIT_WEB_ADDRESS        32   /* of those, from one address that is not loopback */
#define LIMIT_WEB_HEAD_SECONDS   10   /* until a request is complete */
#define LIMIT_WEB_ANSWER_SECONDS 60   /* until its answer is read */
#define LIMIT_WEB_PING_SECONDS   25   /* from one ping of a WebSocket to the next */
#define LIMIT_WEB_SILENT_SECONDS 60   /* without a byte from a WebSocket */

#define LIMIT_WARMUP         600       /* s, of a fresh world */
#define LIMIT_AGENTS         100000000 /* agents that frames, requests and saved worlds can have */
#define LIMIT_AGENTS_USUAL   1048576   /* agents in a world (default of --max-agents) */
#define LIMIT_KINDS          64
#define LIMIT_STATES         16     /* states of a kind */
#define LIMIT_BEHAVIORS      16     /* behaviors of a state */
#define LIMIT_TARGETS        256    /* named targets of a world */
#define LIMIT_CONDITIONS     8      /* nodes of a state's condition */
#define LIMIT_TIMERS         8      /* conditions of a kind that remember, or are about a cooldown */
#define LIMIT_PLACEMENTS     4096   /* entries of "agents" in a scenario */
#define LIMIT_SPAWN          100000 /* agents of one spawn command */
#define LIMIT_REMOVE_IDS     2048   /* ids of one remove command */
#define LIMIT_COMPARE_AGENTS 20000  /* agents of a world and its twin together */
#define LIMIT_STRIPES_AGENTS 200000 /* agents of a frame, or a save, of a world that ranks share in stripes */
#define LIMIT_GRID_CELLS     16384  /* cells of a density grid */
#define LIMIT_GRID_SIDE      1024   /* its columns, its rows */
#define LIMIT_FORMS          64     /* distinct forms of frames that subscriptions may ask for together */
#define LIMIT_WAITING        128    /* requests of a session that wait for a tick */
#define LIMIT_SEATS          64     /* of a world */
#define LIMIT_SEAT_WAIT_MS   600000 /* for a tick of the holder of a seat */
#define LIMIT_SEATS_WAIT_S   60     /* for the seats that are to be taken before the world steps */
#define LIMIT_BATCH          256    /* requests of one batch */
#define LIMIT_INSPECT_IDS    16     /* ids of one inspect command */
#define LIMIT_GET_BYTES      16777216  /* the reply that has a frame of the world */
#define LIMIT_STEP           100000    /* ticks of one step command */
#define LIMIT_WORLD_SIZE     100000.0  /* px, width or height */
#define LIMIT_METER_LEAST    0.001     /* px, of a world that has a scale */
#define LIMIT_COORDINATE     1000000.0 /* px, |x| or |y| of anything, open worlds included */
#define LIMIT_SMALLEST       1e-15     /* numbers from outside that are nearer to 0 are 0 */
#define LIMIT_SPEED          20000.0   /* px/s, max_speed */
#define LIMIT_TICK_HZ        480
#define USUAL_FRAME_HZ       30.0       /* of a subscription that names none */
#define LIMIT_SCENARIO_BYTES 4194304    /* a scenario file */
#define LIMIT_SAVES          256        /* saved worlds of a server */
#define LIMIT_SAVE_BYTES     1073741824 /* all of them together */

#define LIMIT_CHECKPOINT_BYTES 268435456 /* a checkpoint: a world as a line of a recording */

#define LIMIT_INSPECT_NEIGHBORS 64 /* neighbors that inspect names of an agent */

#define LIMIT_WAYS 128 /* behaviors of kinds that stats names the ways of */

#define LIMIT_DIVERGED_AGENTS 16 /* agents that the event diverged names */

#define LIMIT_MOVERS      16     /* obstacles of a world that move, doors among them */
#define LIMIT_MOVER_SPEED 10000  /* px/s, of an obstacle that follows a path */
#define LIMIT_MOVER_TIME  100000 /* s, that a door takes, or that an obstacle waits */

#define LIMIT_OBSTACLES        256 /* obstacles of a world */
#define LIMIT_OBSTACLE_POINTS  64  /* corners of a polygon */
#define LIMIT_PIECE_POINTS     16  /* corners of a convex polygon, or of a piece of another one */
#define LIMIT_PIECES           1024 /* convex pieces that a world's obstacles are cut into, whole ones included */
#define LIMIT_WALLS            512 /* walls of a world */
#define LIMIT_PATHS            16  /* named paths of a world */
#define LIMIT_PATH_POINTS      512 /* points of a path */
#define LIMIT_FORMATIONS       16  /* of a world */
#define LIMIT_FORMATION_PLACES 64  /* places of a formation */
#define LIMIT_SOURCES          16  /* of a world; as many sinks */
#define LIMIT_SINKS            16
#define LIMIT_SOURCE_RATE      1000     /* agents a second that a source brings */
#define LIMIT_SOURCE_TIME      10000000 /* s, when a source begins or ends */
#define LIMIT_GATES            64       /* named gates of a world */
#define LIMIT_AREAS            64       /* named areas of a world */
#define LIMIT_FLOW_FIELDS      16       /* named flow fields of a world */
#define LIMIT_FLOW_CELLS       16384    /* vectors of a flow field's grid */
#define LIMIT_WAY_CELLS        65536    /* cells of a way field */
#define LIMIT_WAY_GOALS        8        /* names that a way field leads to */
#define LIMIT_FLOW_ARROWS      400      /* vectors that a scenario message has of a flow field */

#define LIMIT_REGIONS 64 /* regions that a scenario message has */

#define LIMIT_STROLL_AFTER 3600 /* s that a target waits until it strolls */

#define LIMIT_HOLD      3600         /* ticks that a driven vector counts, at most */
#define LIMIT_NEAREST   32           /* of an agent, beside a frame */
#define LIMIT_RAYS      64           /* of an agent, beside a frame */
#define LIMIT_RAY_RANGE 10000        /* px */
#define LIMIT_DRIVE     1000000000.0 /* |x| or |y| of a driven vector, px/s or mass*px/s^2 */

#define LIMIT_VIEW_OVERLAYS  16  /* overlays that a scenario's view names */
#define LIMIT_CAPTION_BYTES  120 /* UTF-8 of a scenario's caption */
#define LIMIT_TRY_BYTES      240 /* UTF-8 of what a scenario proposes to try */
#define LIMIT_LOOK_FOR_BYTES 800 /* UTF-8 of what to look for in a scenario */
#define LIMIT_SOURCE_BYTES   240 /* UTF-8 of where a scenario comes from */

#endif
