/* What the files of the logbook share with no other: the memory of the last minutes, the opener of files, the logbook
 * itself. Calls go one way: logbook.c, logbook_record.c, logbook_checkpoints.c, logbook_lines.c.
 *
 * The functions are the simulation thread's unless they say otherwise. "Locked": the caller holds the mutex.
 */
#ifndef DROVER_SERVER_SIMULATION_LOGBOOK_INTERNAL_H
#define DROVER_SERVER_SIMULATION_LOGBOOK_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/request.h"
#include "server/commands/simulation_state.h"
#include "server/simulation/logbook.h"
#include "server/storage/checkpoint_round.h"
#include "server/storage/file_writer.h"

/* The thread that looks at copies of the world: hashes, checkpoints, saved worlds. The simulation thread only copies. The
 * logbook has one, and the past another (simulation_past.c).
 *
 * 1. One clone: keeper_take copies the world at a tick boundary when the keeper is idle, and refuses otherwise; the
 * caller asks again at a later boundary. Nothing waits.
 * 2. Copying allocates nothing after keeper_prepare: the keeper takes the memory for a world that has
 * grown, or is another one. (The text of another scenario is copied once.)
 * 3. What the keeper makes of a clone goes to keeper_def.on_done, on the keeper's thread. Files are written there
 * too: it may wait for the disk.
 */

struct keeper;

/** What is to be made of a clone; bits. */
enum keeper_task {
    KEEPER_HASH = 1,   /* its hash */
    KEEPER_LINE = 2,   /* a checkpoint line */
    KEEPER_SAVE = 4,   /* a saved world (checkpoint.h) */
    KEEPER_MEMORY = 8, /* a checkpoint line, for another use */
    KEEPER_ROOM = 16,  /* nothing: there is no clone, but memory for one is taken. Of keeper_prepare alone */
};

struct keeper_order {
    unsigned tasks;     /* enum keeper_task */
    uint32_t number;    /* the caller's; comes back in the result, as the next does */
    uint32_t recording; /* the one that a line is for */
};

/** A result. The texts are malloc'd; on_done takes those that it sets to NULL, the keeper frees the others. */
struct keeper_result {
    struct keeper_order order;
    uint32_t epoch; /* of the state whose world it was */
    uint64_t tick, seq;
    uint64_t hash; /* with each task */
    char *line;    /* KEEPER_LINE, KEEPER_MEMORY: with its newline; NULL without memory */
    size_t line_length;
    char *save; /* KEEPER_SAVE: a whole file; NULL without memory */
    size_t save_length;
    uint64_t spent_ns; /* on texts: how long the keeper was busy with them */
};

struct keeper_def {
    void *context;
    void (*on_done)(void *context, struct keeper_result *result);
};

/** Starts the thread; takes memory for clones of the state's world. NULL without memory or threads. */
NODISCARD struct keeper *keeper_create(const struct keeper_def *def, const struct simulation_state *state);
/** Lets the order in hand be done, ends the thread. NULL is fine. */
void keeper_destroy(struct keeper *keeper);
/** Whether keeper_take would be refused. Takes no lock. */
bool keeper_is_busy(const struct keeper *keeper);
/** Gets ready to copy the state's world. True: keeper_take would copy it at once. False: the keeper is busy; where memory for this
 * world is lacking, it has been ordered to take it. One thread, between ticks. */
NODISCARD bool keeper_prepare(struct keeper *keeper, const struct simulation_state *state);
/** Copies the state's world for an order, in memory that is taken now if need be. False when the keeper is busy or there
 * is no memory. One thread, between ticks. */
bool keeper_take(struct keeper *keeper, const struct simulation_state *state, struct keeper_order order);
/** Waits until the order in hand is done. */
void keeper_wait(struct keeper *keeper);

/* The last minutes of a world in memory, so that they can be written when they have turned out to matter: lines of a
 * recording in two parts, each with the checkpoint that it begins with. Pure; one thread, or under the caller's lock.
 */

enum { FLIGHT_PARTS = 2, FLIGHT_LINE_BYTES = 8 * 1024 * 1024 /* of the lines of a part */ };

struct flight_part {
    uint64_t began_ns, tick; /* of its checkpoint */
    char *checkpoint;        /* a line, owned; NULL: it is not there yet */
    size_t checkpoint_length;
    char *former; /* the checkpoint of the part that had this memory before, owned; NULL: none */
    struct buffer world, lines; /* the world line; what came after the checkpoint */
};

struct flight_memory {
    struct flight_part parts[FLIGHT_PARTS]; /* the older one first */
    int count;
};

void flight_memory_init(struct flight_memory *memory);
void flight_memory_fini(struct flight_memory *memory);
/** Takes memory for what is empty in all parts. From then on flight_memory_begin and flight_memory_add take none, unless
 * the world line becomes more than twice as long as that of the newest part. Not within a tick. */
void flight_memory_reserve(struct flight_memory *memory);
/** Begins a part; the oldest goes when there are FLIGHT_PARTS. world: the world line. */
void flight_memory_begin(struct flight_memory *memory, uint64_t now_ns, uint64_t tick, const char *world,
                         size_t length);
/** The checkpoint of the newest part, malloc'd; the memory's from now on. Returns a line that the memory does not need
 * any more (NULL: none), for the caller to free: flight_memory_begin, which a simulation calls, frees nothing. */
NODISCARD char *flight_memory_put_checkpoint(struct flight_memory *memory, char *line, size_t length);
/** Whether the newest part waits for its checkpoint. */
bool flight_memory_waits(const struct flight_memory *memory);
/** Lines after that checkpoint. A part that has too many is of no use any more. */
void flight_memory_add(struct flight_memory *memory, const char *lines, size_t length);
/** The part to begin with for what happened since since_ns: the newest that began before it, or else the oldest. -1: there
 * is none. */
int flight_memory_find(const struct flight_memory *memory, uint64_t since_ns);
/** Forgets everything. */
void flight_memory_clear(struct flight_memory *memory);

/* A thread that opens and closes the files of recordings that clients ask for: neither the simulation nor the loop waits
 * for a disk. A file is the owner's when its first lines have reached the system; one of the last seconds when it is whole
 * and on disk. A file that cannot be written is removed.
 *
 * One file at a time is opened, or is open and waits to be taken by its owner; others wait their turn.
 */

enum { FILE_OPENER_PATH = 4096 };

struct file_opener;

struct file_opener_def {
    const char *folder; /* made when it is not there; copied */
    double sync_s;
    void *context;
    void (*on_ready)(void *context);   /* a file can be taken, or the next one be opened; from any thread */
    void (*on_written)(void *context); /* file_writer_def.notify */
    /** Puts the first lines of a recording, or all of them (record->last), on the thread. *from: the tick of the first. 0,
     * or -1 with *failure. */
    int (*fill)(void *context, const struct request_record *record, struct file_writer *writer,
                uint64_t *from, struct failure *failure);
};

/** Starts the thread. NULL without memory or threads. */
NODISCARD struct file_opener *file_opener_create(const struct file_opener_def *def);
/** Closes what was not taken. NULL is fine. */
void file_opener_destroy(struct file_opener *opener);

/* A position of the journal is how far its lines go, in bytes over all its files (file_writer.h). Two stand for no place in it: */
#define POSITION_NONE    UINT64_C(0) /* of what waits for no line */
#define POSITION_MISSING UINT64_MAX  /* of a line that the journal did not take */

#define END_WAIT_S   10.0           /* so long is a disk waited for */
#define ENDING_BYTES ((size_t)4096) /* the most of the first and of the last lines of a file */

/* One of the two files. */
struct output {
    struct file_writer *writer;  /* NULL: there is none */
    const char *what;            /* for the log */
    uint64_t last_position;      /* the position when it failed */
    uint64_t position;           /* of the writer, behind the last line, or POSITION_MISSING */
    _Atomic uint64_t file_bytes; /* put into the file in hand; each tick looks at it without the mutex */
    uint64_t from;               /* the tick at which it began */
    uint64_t began_ns;           /* when the recording's file in hand began */
    uint32_t file;               /* of a recording in several files: its number, from 1 */
    /* A file that begins in the middle of a world has the world's checkpoint at once: other lines are deferred until the
     * keeper has it. */
    bool is_deferring;
    bool has_header;               /* the first line is there already */
    struct buffer world, deferred; /* the world line; lines after it */
    bool has_failed, is_told;
    struct failure failure;
    char path[LOGBOOK_PATH];
};

/* A journal that ended begins again in two steps: first its header, to see whether the disk takes anything; once that is
 * written, the world with its checkpoint. */
enum comeback_step { COMEBACK_NONE, COMEBACK_HEADER, COMEBACK_WORLD };

struct comeback {
    enum comeback_step step;
    uint64_t due_ns, wait_ns;      /* of the next attempt */
    uint64_t position;             /* of the writer, behind what the step has put */
    uint32_t number;               /* of the journal that is tried; 0: none */
    uint64_t tick, lost_from_tick; /* from which the journal goes on; the last one before */
    bool is_untold;                /* it is back, and clients are not notified yet */
};

/* The checkpoints that ranks write together, where the world is in stripes. */
struct rounds {
    struct checkpoint_round *round; /* owned; NULL: none was written yet */
    uint32_t number;                /* of the checkpoint that is being written */
    uint64_t looked_ns;
    uint64_t hashed_ns, hash_ns; /* when the ranks made a hash together, and how long they took */
};

/* The lines that were lost when the journal ended last and began again:
 *
 *      on disk, in the file that ended | put, but never on disk | in the file that goes on
 *                                    after                    until
 */
struct lost_lines {
    _Atomic uint64_t after, until; /* the same as long as nothing is lost */
};

/* Of the journal: once `position` is on disk, the world is safe up to `tick`. */
struct safe_mark {
    uint64_t position, tick;
};

/* A moment of the state. */
struct logbook_moment {
    uint64_t tick, seq;
    bool is_paused;
};

/* The moments that decide which line is due next. */
struct logbook_moments {
    struct logbook_moment recorded; /* that the recorder's lines are about; handed over next */
    struct logbook_moment last_at, last_hash,
        last_checkpoint; /* of the last line `at`; of the last hash and checkpoint ordered */
};

struct logbook {
    struct logbook_def def;
    char build[RECORDING_VALUE_BYTES], started[RECORDING_VALUE_BYTES];
    void (*_Atomic notify)(void *context);
    void *notify_context;
    void (*_Atomic on_opened)(void *context);
    void *opened_context;
    struct file_opener *opener;
    /* The keeper's lines go between those of the simulation thread. */
    pthread_mutex_t mutex;
    struct output journal, recording;
    struct comeback comeback;
    uint32_t journal_number; /* of the journal in hand */
    struct lost_lines lost;
    struct safe_mark awaited_mark,
        newest_mark; /* the newest is of the last line `at`; the one before it is awaited first */
    uint64_t synced_tick;
    struct flight_memory memory;
    uint32_t epoch;          /* of the world that the last world line is about */
    uint32_t recordings;     /* begun by requests: the keeper's line is for the recording that ordered it */
    struct buffer hash_line; /* the keeper's */
    struct buffer header;    /* the first line of each file; stays as it is */
    struct logbook_moment handed_over; /* of the last lines that were handed over */
    _Atomic uint64_t tick;             /* the state's; not less than handed_over.tick */
    /* The simulation thread's. */
    struct recorder recorder;
    struct rounds rounds;
    struct keeper *keeper;     /* NULL before anything is written */
    bool has_begun, was_begun; /* is between begin and end; ever */
    struct logbook_moments moments;
    uint64_t changed_ns; /* of the first request since the last hash */
    uint64_t at_ns, checkpoint_ns, part_ns;
    bool has_part;                        /* the memory has one, begun at part_ns */
    _Atomic uint64_t checkpoint_bytes;    /* of the last one */
    _Atomic uint64_t kept_tick, kept_ns;  /* of the last one that is on disk, or the beginning */
    _Atomic uint64_t checkpoint_spent_ns; /* by the keeper on the last one */
    uint64_t line_tick;                   /* of the last checkpoint of the recording */
    bool
        is_saved; /* the world does not begin as its scenario says: a recording has its checkpoint there as well */
    bool needs_line; /* the recording began in the middle of a world, and has no checkpoint yet */
    bool has_ended, is_all_safe, has_lost_end;
};

/* ---- logbook_lines.c ---- */

/** The name of a file without its folder; part of the path. */
const char *logbook_file_name(const char *path);
/** The output ends: it takes no more lines. Locked. */
void logbook_fail_output(struct output *output, const struct failure *failure);
/** Whether the output takes lines. Locked. */
bool logbook_output_is_open(struct output *output);
/** Puts a checkpoint of the recording, malloc'd, which is the output's afterwards; then the lines that were deferred for it.
 * Locked. */
void logbook_put_checkpoint_line(struct output *output, char *line, size_t length);
/** The lines that are deferred for the checkpoint of a recording: none yet; none any more. Locked, once there are threads. */
void logbook_init_deferred(struct output *output);
void logbook_clear_deferred(struct output *output);
/** Hands the recorder's lines to one output or (NULL) both. */
void logbook_hand_over(struct logbook *logbook, struct output *only);
/** Puts a line `hash` into both files and the memory. Locked. */
void logbook_put_hash(struct logbook *logbook, const struct keeper_result *result);
/** Whether a recording is being written. Any thread. */
bool logbook_is_recording(struct logbook *logbook);
/** The moment of the state as it is. */
struct logbook_moment logbook_moment_of(const struct simulation_state *state);
/** Whether tick and seq are the same. */
bool logbook_is_same_moment(struct logbook_moment a, struct logbook_moment b);
/** Notes up to which tick the journal is on disk: a mark is kept until it is on disk, then the last one is waited for.
 * Locked. */
void logbook_look_at_marks(struct logbook *logbook);
/** The world of this tick is on disk: a checkpoint, or the beginning of the journal. Any thread. */
void logbook_note_checkpoint(struct logbook *logbook, uint64_t tick);
/** Puts a line `at` into one output or (NULL) both. */
void logbook_write_at(struct logbook *logbook, const struct simulation_state *state,
                      struct recorder_session session, struct output *only);
/** The first lines of a recording. In the middle of a world they are deferred until its checkpoint is there. */
void logbook_begin_recording(struct logbook *logbook, const struct simulation_state *state);
/** logbook_is_ready may say something else: context is the logbook. Any thread. */
void logbook_notify_opened(void *context);
/** A writer wrote, or failed: context is the logbook. Any thread. */
void logbook_notify_written(void *context);

/* ---- logbook_checkpoints.c ---- */

/** Whether all ranks can write checkpoints of this journal. 0, or -1 with *failure. */
NODISCARD int logbook_check_ranks(struct logbook *logbook, const struct simulation_state *state,
                                  struct failure *failure);
/** Asks the ranks now and then whether it is written. */
void logbook_look_at_parts(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns);

/* ---- logbook_checkpoints.c ---- */

/** Starts the keeper unless it runs. 0, or -1 with *failure (busy). */
NODISCARD int logbook_need_keeper(struct logbook *logbook, const struct simulation_state *state,
                                  struct failure *failure);
/** Orders a checkpoint for both files. The journal goes on in a further file unless its number is given (not 0). */
void logbook_order_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                              uint32_t journal_number, uint64_t now_ns);
/** Orders one when it is due. */
void logbook_look_for_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                                 uint64_t now_ns);
/** Whether requests came since the last hash. */
bool logbook_lacks_hash(const struct logbook *logbook);
/** Orders a hash once a second of ticks, and after requests also where these do not come. */
void logbook_look_for_hash(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns);
/** The state's checkpoint, malloc'd; NULL without memory. For moments when the keeper cannot make it. */
char *logbook_make_checkpoint(const struct simulation_state *state, size_t *length);
/** Puts the checkpoint of the state as it is: none can make it later. */
void logbook_put_checkpoint(struct logbook *logbook, const struct simulation_state *state,
                            struct output *output);
/** The last line of the journal, or a further journal with the checkpoint of all ranks. */
void logbook_put_last_checkpoint(struct logbook *logbook, const struct simulation_state *state);

/* ---- logbook_record.c ---- */

/** Whether the memory may keep this world. Not one in stripes: ranks that have a part of it each keep none of its last
 * minutes, and `record` is not for them. */
bool logbook_has_room(const struct logbook *logbook, const struct simulation_state *state);
/** The memory begins at once, where no keeper is free and no tick may follow: a paused world is kept too. */
void logbook_begin_memory(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns);
/** So that the parts that ticks begin and fill take no memory then. */
void logbook_reserve_memory(struct logbook *logbook);
/** Each minute the memory begins a further part. */
void logbook_look_for_part(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns);
/** file_opener_def.fill: context is the logbook. The opener's thread. */
int logbook_fill_file(void *context, const struct request_record *record, struct file_writer *writer,
                      uint64_t *from, struct failure *failure);

#endif
