/* What a simulation writes of itself: the journal of a state folder and a recording. The simulation thread formats
 * lines (recording_line.h: struct recorder) and hands them to writers (file_writer.h); the keeper (logbook_internal.h) makes hashes and checkpoints of
 * copies. Neither a disk nor a hash ever holds up a tick.
 *
 * 1. All functions are the simulation thread's, or are called before there is one, unless they say otherwise.
 * 2. Lines stand in the order in which their requests took effect. What the keeper has of a world that was replaced
 * meanwhile is left out.
 * 3. A journal goes on in a further file at each checkpoint: checkpoint-N is the world at the beginning of journal-N.
 * 4. While ticks are done, the journal has a line `at` every LOGBOOK_AT_MS, which file_writer.h writes within
 * FILE_WRITER_FLUSH_MS: a killed process loses no more of the world than both together, or two ticks.
 * 5. A file that cannot be written ends, and the world runs on. The journal begins again in a further file, with a
 * checkpoint, as soon as the disk takes one.
 */
#ifndef DROVER_SERVER_SIMULATION_LOGBOOK_H
#define DROVER_SERVER_SIMULATION_LOGBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "server/commands/simulation_state.h"
#include "server/recording/recording_line.h"
#include "server/storage/recording.h"
#include "server/storage/state_directory.h"

enum {
    LOGBOOK_PATH = 4096,
    LOGBOOK_NAME = 256,
    LOGBOOK_AT_MS = 50 /* from one line `at` to the next, or a tick when that is longer */
};

struct logbook;

struct logbook_def {
    struct state_directory *directory; /* of the journal; not owned, NULL: there is none */
    double sync_s;                     /* of both files */
    bool is_always;                    /* replies wait for the journal: logbook_position */
    uint64_t keep_bytes;               /* as state_directory_prune */
    double checkpoint_every_s;         /* the shortest interval */
    const char *record;                /* path of a recording that is made at once; copied; "": none */
    uint64_t record_max;               /* bytes of one file; 0: any */
    uint64_t memory_bytes;             /* for the last minutes of a world that nothing records; 0: none */
    const char *recordings;            /* folder of the recordings that are asked for; copied */
    const char *build;                 /* for the header line; copied */
};

/** How the files are. */
struct logbook_file_statistics {
    bool is_on, has_failed;
    char name[LOGBOOK_NAME]; /* without its folder */
    uint64_t bytes;          /* put so far */
    uint64_t waiting;        /* bytes put that are not on disk */
    uint64_t synced_tick;    /* the journal's: up to which the world is safely on disk */
    uint64_t synced_ns;      /* when the file last was on disk; clock_now_ns */
    uint64_t free_bytes;     /* that its disk had left then */
    char reason[RECORDING_VALUE_BYTES];
};

/** What a request `record` did. */
struct logbook_change {
    bool has_begun, has_ended;
    char name[LOGBOOK_NAME];
};

struct logbook_statistics {
    struct logbook_file_statistics journal, recording;
    uint64_t checkpoint_tick,
        checkpoint_ns; /* from which the journal could go on, and since when; clock_now_ns */
};

/** Makes the recording's file, so that a start with a wrong path is refused. NULL with *failure (exists, io, busy). */
NODISCARD struct logbook *logbook_create(const struct logbook_def *def, struct failure *failure);
/** Ends both files first where logbook_end was not called. NULL is fine. */
void logbook_destroy(struct logbook *logbook);
/** notify(context) is called from any thread when the journal's synced position grew (is_always) and when a file has
 * failed; on_opened(opened_context) when logbook_is_ready may say something else. Before other threads run. */
void logbook_set_notify(struct logbook *logbook, void (*notify)(void *context), void *context,
                        void (*on_opened)(void *context), void *opened_context);

/** Whether the world is kept in a state folder. */
bool logbook_has_journal(const struct logbook *logbook);
/** Whether the folder had more than the world goes on with; how much is not known. After logbook_begin. */
bool logbook_has_lost_past(const struct logbook *logbook);

/** What the state begins with, when it is no new world. */
struct logbook_origin {
    const struct recording_world *world; /* of the journals that the folder has already; NULL: of none */
    bool has_gap;                        /* not from its end: what came after is left out */
};

/** Begins both files with the state as it is. From here on the other functions may be called. 0; or -1 with *failure:
 * the journal cannot be written (io). */
NODISCARD int logbook_begin(struct logbook *logbook, const struct simulation_state *state,
                            const struct logbook_origin *origin, struct failure *failure);
/** A request took effect: one with REQUEST_TRAIT_CHANGES but load. */
void logbook_note_request(struct logbook *logbook, const struct simulation_state *state,
                          const struct request *request, struct recorder_session session);
/** Another world is about to replace the state's. */
void logbook_note_leave(struct logbook *logbook, const struct simulation_state *state);
/** Another world has replaced the former one. is_saved: it was a saved world, whose checkpoint follows at once. */
void logbook_note_load(struct logbook *logbook, const struct simulation_state *state, uint64_t hash,
                       bool is_saved, struct recorder_session session);
/** A tick was done; between ticks. */
void logbook_note_tick(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns);
/** Whether something is to be done without a tick: logbook_look is to be called now and then. */
bool logbook_is_waiting(struct logbook *logbook);
/** While there are no ticks: tries to begin a journal that has ended again, and sees to a hash behind requests. */
void logbook_look(struct logbook *logbook, const struct simulation_state *state, uint64_t now_ns);
/** How far the state got: at the end of a step. */
void logbook_note_at(struct logbook *logbook, const struct simulation_state *state);
/** Whether a request `record` of this session can be served: its file is open, or none is needed. Any thread. */
bool logbook_is_ready(struct logbook *logbook, uint32_t session, const struct request_record *record);
/** Serves it: begins or ends the recording, and adds the reply's members. *change says which, for an event. 0, or -1 with
 * *failure (exists, io, full). */
NODISCARD int logbook_record(struct logbook *logbook, const struct simulation_state *state,
                             const struct request_record *record, struct json_writer *json,
                             struct logbook_change *change, struct failure *failure);
/** The last lines: the journal's last one is a checkpoint, unless the state is spoiled. Waits for the disk, but not for
 * ever. */
void logbook_end(struct logbook *logbook, const struct simulation_state *state);
/** Whether the journal ended before the world did. After logbook_end. */
bool logbook_has_lost_end(const struct logbook *logbook);

/** The position of the journal behind the last line; 0: replies wait for nothing. */
uint64_t logbook_position(struct logbook *logbook);
/** Whether the journal is on disk up to this position. Any thread, no lock. */
bool logbook_is_safe(const struct logbook *logbook, uint64_t position);
/** Whether what leads to this position will never be on disk, and why. Any thread. */
bool logbook_is_lost(struct logbook *logbook, uint64_t position, struct failure *failure);
/** Whether requests that change the world are to be refused: replies wait for a journal that has failed. Any
 * thread. */
bool logbook_refuses(struct logbook *logbook, struct failure *failure);
/** Any thread. */
void logbook_read_statistics(struct logbook *logbook, struct logbook_statistics *out);
/** Whether a file ended since the last call, or the journal began again (it is_on then): *file is how. Any one thread. */
bool logbook_take_file_event(struct logbook *logbook, struct logbook_file_statistics *file);

#endif
