/* Opening recordings and simulating them again. See player.h. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/drover/command.h"
#include "clients/drover/player.h"
#include "server/recording/checkpoint.h"
#include "server/recording/core_changes.h"
#include "server/recording/recording_line.h"
#include "server/sim/core.h"
#include "server/storage/state_directory.h"

/* ---- opening recordings ---- */

enum { PIECE = 1 << 16, FILE_NAME_ROOM = 64 /* of a file of a state folder */ };

static int fail(const char *what, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "%s: %s", what, strerror(errno));
}

static int write_whole(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

static int copy_input(int descriptor, struct interrupt *interrupt, struct failure *failure) {
    char piece[PIECE];
    for (;;) {
        if (!interrupt_wait(interrupt, STDIN_FILENO, POLLIN)) {
            return failure_set(failure, FAILURE_IO, NULL, "interrupted");
        }
        const ssize_t length = read(STDIN_FILENO, piece, sizeof piece);
        if (length == 0) {
            return 0;
        }
        if (length < 0 && errno != EINTR && errno != EAGAIN) {
            return fail("standard input", failure);
        }
        if (length > 0 && write_whole(descriptor, piece, (size_t)length) != 0) {
            return fail("a temporary file", failure);
        }
    }
}

int input_find(const char *argument, struct interrupt *interrupt, char path[INPUT_PATH],
               struct failure *failure) {
    if (strcmp(argument, "-") != 0) {
        const int length = snprintf(path, INPUT_PATH, "%s", argument);
        return length >= 0 && length < INPUT_PATH
                   ? 0
                   : failure_set(failure, FAILURE_NO_SAVE, NULL, "the name of a file is too long");
    }
    const char *folder = getenv("TMPDIR");
    const int length =
        snprintf(path, INPUT_PATH, "%s/drover-XXXXXX", folder == NULL || folder[0] == '\0' ? "/tmp" : folder);
    const int descriptor = length >= 0 && length < INPUT_PATH ? mkstemp(path) : -1;
    if (descriptor < 0) {
        return fail("a temporary file", failure);
    }
    (void)unlink(path);
    (void)snprintf(path, INPUT_PATH, "/dev/fd/%d", descriptor);
    return copy_input(descriptor, interrupt, failure);
}

/* The files of a recording, in order. */
struct paths {
    char **rows; /* malloc'd, as each of them */
    int count;
};

static void free_paths(struct paths *paths) {
    for (int i = 0; i < paths->count; i++) {
        free(paths->rows[i]);
    }
    free(paths->rows);
}

static int add_path(struct paths *paths, const char *path, struct failure *failure) {
    char **rows = realloc(paths->rows, ((size_t)paths->count + 1) * sizeof *rows);
    paths->rows = rows != NULL ? rows : paths->rows;
    char *copy = rows != NULL ? strdup(path) : NULL;
    if (copy == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    paths->rows[paths->count++] = copy;
    return 0;
}

static int add_folder(struct paths *paths, const char *folder, struct failure *failure) {
    struct state_files files;
    char path[INPUT_PATH];
    if (state_files_scan(&files, folder, failure) != 0) {
        return -1;
    }
    int result = state_files_check_whole(&files, failure);
    for (int i = 0; i < files.count && result == 0; i++) {
        state_file_path(folder, files.rows[i].kind, files.rows[i].number, path);
        result = add_path(paths, path, failure);
    }
    state_files_fini(&files);
    return result;
}

static int add_argument(struct paths *paths, const char *argument, struct failure *failure) {
    struct stat status;
    char folder[INPUT_PATH];
    size_t length = strlen(argument);
    if (stat(argument, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return add_path(paths, argument, failure);
    }
    while (length > 1 && argument[length - 1] == '/') {
        length--;
    }
    if (length + FILE_NAME_ROOM > sizeof folder) {
        return failure_set(failure, FAILURE_NO_SAVE, NULL, "the name of a folder is too long");
    }
    memcpy(folder, argument, length);
    folder[length] = '\0';
    return add_folder(paths, folder, failure);
}

static int list_paths(const char *path, char *const *more, struct paths *paths, struct failure *failure) {
    int result = add_argument(paths, path, failure);
    for (int i = 0; more != NULL && more[i] != NULL && result == 0; i++) {
        result = add_argument(paths, more[i], failure);
    }
    return result;
}

/* The failure with the argument before it, in place of the path that stands for it. */
static void name_argument(const char *argument, const char *path, const struct failure *inner,
                          struct failure *failure) {
    const size_t length = strlen(path);
    const char *message = inner->message; /* that of a file names it already */
    if (strncmp(message, path, length) == 0 && strncmp(message + length, ": ", 2) == 0) {
        message += length + 2;
    }
    (void)failure_set(failure, inner->code, inner->field, "%.250s: %s",
                      strcmp(argument, "-") == 0 ? "standard input" : argument, message);
}

struct recording *input_open(const char *argument, const char *path, char *const *more,
                             struct failure *failure) {
    struct paths paths = {.rows = NULL};
    struct failure inner = {0};
    struct recording *recording = NULL;
    if (list_paths(path, more, &paths, &inner) == 0) {
        recording = recording_open((const char *const *)paths.rows, paths.count, &inner);
    }
    if (recording == NULL) {
        name_argument(argument, path, &inner, failure);
    }
    free_paths(&paths);
    return recording;
}

bool input_print_damage(const char *argument, const struct recording_facts *facts, FILE *out) {
    const struct recording_damage *damage = &facts->damage;
    if (damage->is_there) {
        (void)fprintf(out,
                      "%s%s: line %" PRIu64 " (byte %" PRIu64 ") is damaged: %s; request %" PRIu64
                      " and what followed is left out, after tick %" PRIu64 "\n",
                      out == stderr ? "drover: " : "",
                      strcmp(argument, "-") == 0 ? "standard input" : damage->path, damage->line,
                      damage->byte, damage->what, damage->before.seq + 1, damage->before.tick);
    }
    return damage->is_there;
}

void input_print_gaps(const char *argument, const struct recording_facts *facts, FILE *out) {
    for (int i = 0; i < facts->gap_count; i++) {
        const struct recording_gap *gap = &facts->gaps[i];
        (void)fprintf(out, "%s%s: gap %" PRIu64 "..%" PRIu64, out == stderr ? "drover: " : "", argument,
                      gap->before.tick, gap->after.tick);
        if (facts->world_count > 1) {
            (void)fprintf(out, " of world %" PRIu32, gap->before.world);
        }
        (void)fprintf(out,
                      ": what happened between these ticks, request %" PRIu64 " to %" PRIu64
                      ", is in no file; the world goes on from the checkpoint behind it\n",
                      gap->before.seq + 1, gap->after.seq);
    }
}

void input_write_damage(const struct recording_facts *facts, struct json_writer *json) {
    const struct recording_damage *damage = &facts->damage;
    if (damage->is_there) {
        json_key(json, "damage");
        json_object(json);
        json_key_string(json, "file", damage->path);
        json_key_unsigned(json, "line", damage->line);
        json_key_unsigned(json, "byte", damage->byte);
        json_key_string(json, "reason", damage->what);
        json_key_unsigned(json, "request", damage->before.seq + 1);
        json_key_unsigned(json, "after_tick", damage->before.tick);
        json_end(json);
    }
}

void input_write_gaps(const struct recording_facts *facts, struct json_writer *json) {
    json_key(json, "gaps");
    json_array(json);
    for (int i = 0; i < facts->gap_count; i++) {
        json_object(json);
        json_key_unsigned(json, "world", facts->gaps[i].before.world);
        json_key_unsigned(json, "after_tick", facts->gaps[i].before.tick);
        json_key_unsigned(json, "tick", facts->gaps[i].after.tick);
        json_key_unsigned(json, "requests", facts->gaps[i].after.seq - facts->gaps[i].before.seq);
        json_end(json);
    }
    json_end(json);
}

void input_write_checkpoint(const char *argument, const struct recording_facts *facts, int index,
                            const char *reason, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "file", argument);
    json_key_unsigned(json, "world", facts->checkpoints[index].world);
    json_key_unsigned(json, "tick", facts->checkpoints[index].tick);
    json_key_string(json, "reason", reason);
    json_end(json);
}

/* ---- what continues what ---- */

/* What a file says of its beginning and its end. */
struct ends {
    bool is_known;
    char started[RECORDING_VALUE_BYTES]; /* of its server */
    struct recording_line begun;         /* its first world line; no spans */
    struct recording_world world;        /* its last world */
    struct recording_moment last;
};

static bool take_world(void *context, const char *text, size_t length) {
    struct ends *ends = context;
    struct failure failure;
    const bool is_world =
        recording_line_read(text, length, &ends->begun, &failure) == 0 && ends->begun.op == RECORDING_WORLD;
    ends->begun.text = ends->begun.request = NULL;
    ends->is_known = is_world;
    return !is_world;
}

static bool is_file(const char *argument) {
    struct stat status;
    return strcmp(argument, "-") != 0 && stat(argument, &status) == 0 && S_ISREG(status.st_mode);
}

static struct ends read_ends(const char *argument) {
    struct ends ends = {.is_known = false};
    struct failure failure = {0};
    struct recording *recording = is_file(argument) ? input_open(argument, argument, NULL, &failure) : NULL;
    if (recording == NULL) {
        return ends;
    }
    const struct recording_facts *facts = recording_facts(recording);
    memcpy(ends.started, facts->header.started, sizeof ends.started);
    ends.world = facts->worlds[facts->world_count - 1];
    ends.last = facts->last;
    if (recording_visit(recording, take_world, &ends, &failure) != 0) {
        ends.is_known = false;
    }
    recording_close(recording);
    return ends;
}

/* A saved world knows neither the number of its world in the run nor the hash with which that began. */
static bool is_same_world(const struct ends *before, const struct recording_line *begun) {
    const struct recording_world *world = &before->world;
    const bool is_save = before->started[0] == '\0';
    return strcmp(world->scenario, begun->scenario) == 0 && world->seed == begun->seed &&
           is_same_double(world->tick_hz, begun->tick_hz) &&
           (is_save || (world->number == begun->world && world->hash == begun->hash));
}

static bool continues(const struct ends *before, const struct ends *after) {
    const struct recording_line *begun = &after->begun;
    const bool is_same_run = strcmp(before->started, after->started) == 0;
    return before->is_known && after->is_known && is_same_world(before, begun) &&
           begun->from_seq == before->last.seq &&
           (begun->from_tick == before->last.tick || (is_same_run && begun->from_tick > before->last.tick));
}

int input_group(char *const *arguments, int count) {
    int joined = 1;
    if (count < 2) {
        return joined;
    }
    for (struct ends before = read_ends(arguments[0]); joined < count; joined++) {
        const struct ends after = read_ends(arguments[joined]);
        if (!continues(&before, &after)) {
            break;
        }
        before = after;
    }
    return joined;
}

/* ---- player ---- */

const char *const player_simd_choices[] = {"widest", "plain", "sse2", "avx2", "avx512", NULL};

static int read_means(const struct player_means *means, struct player *player,
                      struct world_overrides *overrides, struct failure *failure) {
    if (means->simd > 0) {
        overrides->has_simd = true;
        overrides->simd = (enum simd)(means->simd - 1);
        if (!simd_is_supported(overrides->simd)) {
            return failure_set(failure, FAILURE_OUT_OF_RANGE, "--simd", "--simd: this machine has no %s",
                               player_simd_choices[means->simd]);
        }
    }
    if (means->threads > 1) {
        player->pool = worker_pool_create((int)means->threads);
        if (player->pool == NULL) {
            return failure_set(failure, FAILURE_BUSY, "--threads", "--threads: %u threads cannot be started",
                               means->threads);
        }
        player->state.parallel = worker_pool_parallel(player->pool);
    }
    return 0;
}

/* ---- hashes: the recording's, counted on their way to the replay ---- */

static int source_next(void *context, const char **line, size_t *length, struct failure *failure) {
    struct player *player = context;
    return player->source.next(player->source.context, line, length, failure);
}

static bool is_same_moment(const struct recording_moment *a, const struct recording_moment *b) {
    return a->world == b->world && a->tick == b->tick && a->seq == b->seq;
}

/* A replay asks more than once about a moment whose hash it does not get. */
static bool source_find_hash(void *context, const struct recording_moment *moment, uint64_t last_seq,
                             uint64_t *hash) {
    struct player *player = context;
    struct player_hashes *hashes = &player->hashes;
    if (is_same_moment(moment, &hashes->skipped) ||
        !player->source.find_hash(player->source.context, moment, last_seq, hash)) {
        return false;
    }
    if (hashes->found++ % hashes->every != 0) {
        hashes->skipped = *moment;
        return false;
    }
    hashes->compared++;
    hashes->previous = hashes->last;
    hashes->last = *moment;
    return true;
}

static int source_seek(void *context, const struct recording_moment *moment, struct simulation_state *state,
                       struct failure *failure) {
    struct player *player = context;
    return player->source.seek(player->source.context, moment, state, failure);
}

static uint32_t source_world(void *context) {
    struct player *player = context;
    return player->source.world(player->source.context);
}

/* ---- opening a player ---- */

/* A failure of the recording, with its name before it. */
static int name_failure(const struct player *player, const struct failure *inner, struct failure *failure) {
    return failure_set(failure, inner->code, inner->field, "%.200s: %s", player->argument, inner->message);
}

static int check_worlds(const struct player *player, const struct player_means *means,
                        struct failure *failure) {
    struct failure inner = {0};
    if (player->facts->world_count == 0) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL, "%.200s: the recording has no world",
                           player->argument);
    }
    return means->is_anyway ||
                   recording_check_core(player->recording, NULL, core_changes, CORE_NUMBER, &inner) == 0
               ? 0
               : name_failure(player, &inner, failure);
}

static int open_recording(struct player *player, const char *path, const struct player_means *means,
                          const struct world_overrides *overrides, struct failure *failure) {
    player->recording = input_open(player->argument, path, player->more, failure);
    if (player->recording == NULL) {
        return -1;
    }
    player->facts = recording_facts(player->recording);
    player->source = recording_source(player->recording, overrides);
    recording_allow_giving_up(player->recording, &player->interrupt->is_set);
    if (check_worlds(player, means, failure) != 0) {
        return -1;
    }
    const struct recording_source source = {.context = player,
                                            .next = source_next,
                                            .find_hash = source_find_hash,
                                            .seek = source_seek,
                                            .world = source_world,
                                            .gaps = player->source.gaps,
                                            .gap_count = player->source.gap_count,
                                            .last = player->source.last,
                                            .is_paused_at_end = player->source.is_paused_at_end};
    player->replay = replay_create(&source, overrides, &player->interrupt->is_set);
    return player->replay != NULL ? 0 : failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
}

int player_open(struct player *player, const char *argument, const char *path,
                const struct player_means *means, struct interrupt *interrupt, struct failure *failure) {
    struct world_overrides overrides = {.max_agents = LIMIT_AGENTS};
    *player = (struct player){
        .argument = argument, .more = means->more, .interrupt = interrupt, .hashes = {.every = 1}};
    simulation_state_init(&player->state);
    player->state.is_urgent = &interrupt->is_set;
    if (read_means(means, player, &overrides, failure) != 0 ||
        open_recording(player, path, means, &overrides, failure) != 0) {
        player_close(player);
        return -1;
    }
    return 0;
}

void player_close(struct player *player) {
    replay_destroy(player->replay);
    recording_close(player->recording);
    simulation_state_fini(&player->state);
    worker_pool_destroy(player->pool);
    player->replay = NULL;
    player->recording = NULL;
    player->pool = NULL;
}

static bool look(struct player *player) {
    return player->look == NULL || player->look(player->context, player);
}

int player_begin(struct player *player, const struct recording_moment *moment, struct failure *failure) {
    struct failure inner = {0};
    player->hashes = (struct player_hashes){.every = player->hashes.every};
    player->asked.moment.seq = 0;
    player->is_at_gap = false;
    if (replay_begin(player->replay, &player->state, moment, &inner) != 0) {
        return name_failure(player, &inner, failure);
    }
    return 0;
}

static enum player_result interrupted(struct failure *failure) {
    (void)failure_set(failure, FAILURE_BUSY, NULL, "interrupted");
    return PLAYER_FAILED;
}

/* A hash is compared by the replay_next that follows: a request that comes with a divergence stands behind that hash. */
static void note_request(struct player *player) {
    if (!player_divergence(player)->has_diverged) {
        player->asked.moment = player_moment(player);
        player->asked.change = player->change;
        if (player->change.op ==
            REQUEST_LOAD) { /* another world: nothing that was asked before is part of it */
            player->asked.moment.seq = 0;
        }
    }
}

enum player_result player_settle(struct player *player, struct failure *failure) {
    struct failure inner = {0};
    for (;;) {
        if (interrupt_is_set(player->interrupt)) {
            return interrupted(failure);
        }
        switch (replay_next(player->replay, &player->state, &player->change, &inner)) {
        case REPLAY_TICK:
            return PLAYER_SETTLED;
        case REPLAY_CHANGED:
            note_request(player);
            if (!look(player)) {
                return PLAYER_STOPPED;
            }
            break;
        case REPLAY_GAP:
            player->is_at_gap = true;
            return PLAYER_SETTLED;
        case REPLAY_END:
            return PLAYER_END;
        case REPLAY_FAILED:
            (void)name_failure(player, &inner, failure);
            return PLAYER_FAILED;
        }
    }
}

enum player_result player_tick(struct player *player, struct failure *failure) {
    if (player->is_at_gap) {
        player->is_at_gap = false;
        return PLAYER_SETTLED;
    }
    simulation_state_step(&player->state);
    if (player->state.is_spoiled) {
        return interrupted(failure);
    }
    return look(player) ? PLAYER_SETTLED : PLAYER_STOPPED;
}

static int fail_gap(const struct player *player, const struct recording_moment *moment,
                    struct failure *failure) {
    return failure_set(failure, FAILURE_OUT_OF_RANGE, NULL,
                       "%.200s: tick %llu of world %lu is in a gap of the recording; drover info names them",
                       player->argument, (unsigned long long)moment->tick, (unsigned long)moment->world);
}

static int fail_tick(const struct player *player, const struct recording_moment *moment,
                     const struct recording_moment *at, struct failure *failure) {
    if (at->world == moment->world) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, NULL,
                           "%.200s: world %lu has no tick %llu; it ends at tick %llu", player->argument,
                           (unsigned long)moment->world, (unsigned long long)moment->tick,
                           (unsigned long long)at->tick);
    }
    return failure_set(failure, FAILURE_OUT_OF_RANGE, NULL, "%.200s: world %lu has no tick %llu",
                       player->argument, (unsigned long)moment->world, (unsigned long long)moment->tick);
}

int player_go(struct player *player, const struct recording_moment *moment, struct failure *failure) {
    for (;;) {
        enum player_result result = player_settle(player, failure);
        const struct recording_moment at = player_moment(player);
        const bool is_there = at.world == moment->world && at.tick >= moment->tick;
        if (result != PLAYER_FAILED && !is_there && (result == PLAYER_END || at.world > moment->world)) {
            return fail_tick(player, moment, &at, failure);
        }
        if (result == PLAYER_SETTLED && !is_there) {
            result = player_tick(player, failure);
        }
        if (result == PLAYER_FAILED) {
            return -1;
        }
        if (is_there && player_find_gap(player, moment, moment) != NULL) {
            return fail_gap(player, moment, failure);
        }
        if (is_there || result == PLAYER_STOPPED) {
            return 0;
        }
    }
}

const struct replay_divergence *player_divergence(const struct player *player) {
    return replay_divergence(player->replay);
}

const struct recording_world *player_find_world(const struct player *player, uint32_t number) {
    for (int i = 0; i < player->facts->world_count; i++) {
        if (player->facts->worlds[i].number == number) {
            return &player->facts->worlds[i];
        }
    }
    return NULL;
}

const struct recording_gap *player_find_gap(const struct player *player, const struct recording_moment *from,
                                            const struct recording_moment *to) {
    for (int i = 0; i < player->facts->gap_count; i++) {
        const struct recording_gap *gap = &player->facts->gaps[i];
        if (gap->before.world == from->world && gap->before.tick < to->tick && gap->after.tick > from->tick) {
            return gap;
        }
    }
    return NULL;
}

struct recording_moment player_first(const struct player *player) {
    const struct recording_world *world = &player->facts->worlds[0];
    return (struct recording_moment){.world = world->number, .tick = world->first_tick};
}

struct recording_moment player_moment(const struct player *player) {
    return replay_moment(player->replay, &player->state);
}

uint64_t player_ticks(const struct player *player, const struct recording_moment *from) {
    uint64_t ticks = 0;
    for (int i = 0; i < player->facts->world_count; i++) {
        const struct recording_world *world = &player->facts->worlds[i];
        const bool is_first = from != NULL && world->number == from->world;
        const uint64_t first = is_first ? from->tick : world->first_tick;
        if (from == NULL || world->number >= from->world) {
            ticks += world->last_tick > first ? world->last_tick - first : 0;
        }
    }
    return ticks;
}
