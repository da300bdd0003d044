/* See recording.h; the parts of a checkpoint (state_directory.h) come first. */
#include "server/storage/recording.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/regular_file.h"
#include "server/recording/recording_line.h"
#include "server/storage/recording_internal.h"
#include "server/storage/state_directory.h"

static void part_files_fini(struct part_files *files);

#define PART_SUFFIX ".part-"
#define HEAD_SUFFIX ".drover"

/* ---- names ---- */

void part_file_path(const char *checkpoint, uint32_t number, char path[PART_FILES_PATH]) {
    const size_t length = strlen(checkpoint), suffix = strlen(HEAD_SUFFIX);
    const bool has_suffix = length > suffix && strcmp(checkpoint + length - suffix, HEAD_SUFFIX) == 0;
    (void)snprintf(path, PART_FILES_PATH, "%.*s" PART_SUFFIX "%04" PRIu32,
                   (int)(has_suffix ? length - suffix : length), checkpoint, number);
}

bool part_file_read_name(const char *name, uint32_t *number, char head[64]) {
    const char *suffix = strstr(name, PART_SUFFIX);
    char expected[PART_FILES_PATH];
    if (suffix == NULL || suffix - name > 40) {
        return false;
    }
    const unsigned long value = strtoul(suffix + strlen(PART_SUFFIX), NULL, 10);
    if (value >= CHECKPOINT_PARTS_MAX) {
        return false;
    }
    *number = (uint32_t)value;
    (void)snprintf(head, 64, "%.*s" HEAD_SUFFIX, (int)(suffix - name), name);
    part_file_path(head, *number, expected);
    return strcmp(name, expected) == 0;
}

/* ---- reading ---- */

static int fail(uint32_t number, const char *path, enum failure_code code, const char *reason,
                struct failure *failure) {
    return failure_set(failure, code, "parts", "part %" PRIu32 ": %.200s: %s", number, path, reason);
}

static int open_part(void *context, uint32_t number, uint64_t *length, struct failure *failure) {
    struct part_files *files = context;
    char path[PART_FILES_PATH], reason[REGULAR_FILE_REASON] = "";
    struct stat status = {0};
    part_files_fini(files);
    part_file_path(files->checkpoint, number, path);
    const enum regular_file_result result = regular_file_open(path, &files->file, reason);
    if (result != REGULAR_FILE_OK) {
        files->file = -1;
        return fail(number, path, result == REGULAR_FILE_SHORT ? FAILURE_BUSY : FAILURE_BAD_SAVE,
                    result == REGULAR_FILE_MISSING ? "there is no such file" : reason, failure);
    }
    if (fstat(files->file, &status) != 0) {
        return fail(number, path, FAILURE_BAD_SAVE, strerror(errno), failure);
    }
    files->number = number;
    files->was_read = true;
    *length = (uint64_t)status.st_size;
    return 0;
}

static int read_part(void *context, uint64_t at, void *bytes, size_t size, struct failure *failure) {
    const struct part_files *files = context;
    char path[PART_FILES_PATH];
    for (size_t done = 0; done < size;) {
        const ssize_t count = pread(files->file, (char *)bytes + done, size - done, (off_t)(at + done));
        if (count == 0 || (count < 0 && errno != EINTR)) {
            part_file_path(files->checkpoint, files->number, path);
            return fail(files->number, path, FAILURE_BAD_SAVE,
                        count < 0 ? strerror(errno) : "it became shorter while it was being read", failure);
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return 0;
}

static struct checkpoint_parts part_files_of(struct part_files *files, const char *checkpoint) {
    *files = (struct part_files){.file = -1};
    (void)snprintf(files->checkpoint, sizeof files->checkpoint, "%s", checkpoint);
    return (struct checkpoint_parts){files, open_part, read_part};
}

/* Where checkpoint_read_parts finds the parts of this checkpoint; valid as long as *files. part_files_fini closes. */
static void part_files_fini(struct part_files *files) {
    if (files->file >= 0) {
        (void)close(files->file);
    }
    files->file = -1;
}

/* ---- recording ---- */

/* A recording owns its files, its index and the walk of its source.
 * Invariant: the index was made from exactly the bytes that the files had when they were opened, so a place of it
 * is the beginning of a line (or reading says that the file changed). */

struct recording {
    struct text_file **files;
    int file_count;
    uint64_t
        *ends; /* of each file: where its lines are damaged, or need others that are; UINT64_MAX: nowhere */
    struct recording_index index;
    struct line_walk walk; /* of the source */
    int world;             /* index of the world that the last seek put in */
    struct world_overrides overrides;
    const atomic_bool *given_up;
    char passed_over[sizeof((struct failure *)0)->message];
};

/* ---- opening ---- */

static int fail_memory(struct failure *failure) {
    return failure_set(failure, FAILURE_BUSY, NULL, "out of memory for the recording");
}

static int open_files(struct recording *recording, const char *const *paths, int count,
                      struct failure *failure) {
    recording->files = calloc((size_t)count, sizeof *recording->files);
    recording->ends = malloc((size_t)count * sizeof *recording->ends);
    if (recording->files == NULL || recording->ends == NULL) {
        return fail_memory(failure);
    }
    for (; recording->file_count < count; recording->file_count++) {
        struct text_file *file = text_file_open(paths[recording->file_count], failure);
        if (file == NULL) {
            return -1;
        }
        recording->files[recording->file_count] = file;
        recording->ends[recording->file_count] = UINT64_MAX;
        recording->index.facts.bytes += text_file_bytes(file);
    }
    return 0;
}

/* Says which file a failure is about. */
static int name_file(const struct recording *recording, int file, struct failure *failure) {
    const struct failure inner = *failure;
    const char *path = text_file_path(recording->files[file]);
    return failure_set(failure, inner.code, inner.field, "%.200s: %s", path, inner.message);
}

/* At the first line. */
static void begin_walk(const struct recording *recording, struct line_walk *walk) {
    line_walk_init(walk, recording->files, recording->file_count, LIMIT_CHECKPOINT_BYTES);
    walk->ends = recording->ends;
}

/* The file that is being read. */
struct reading {
    struct line_sum_check sums;
    int file;
};

static void end_file(struct recording *recording, const struct reading *reading, struct line_place place,
                     const char *line, size_t length, const char *why) {
    struct recording_damage *damage = &recording->index.facts.damage;
    const bool is_first = !damage->is_there;
    recording->ends[place.file] = place.offset;
    index_break(&recording->index, line, length, why);
    if (is_first) {
        damage->path = text_file_path(recording->files[place.file]);
        damage->line = reading->sums.lines;
        damage->byte = place.offset + 1;
    }
}

/* 0, or -1 with *failure. */
static int read_line(struct recording *recording, struct reading *reading, const char *line, size_t length,
                     struct line_place place, struct failure *failure) {
    if (reading->file != place.file) {
        *reading = (struct reading){.file = place.file};
    }
    const char *wrong = line_sum_wrong(&reading->sums, line, length);
    recording->index.has_sums = reading->sums.has_sums;
    recording->index.facts.files_without_sums += reading->sums.lines == 1 && !reading->sums.has_sums;
    if (recording->ends[place.file] != UINT64_MAX) {
        if (wrong == NULL) {
            index_note_lost(&recording->index, line, length);
        }
        return 0;
    }
    const int result = wrong != NULL ? 1 : index_add(&recording->index, line, length, place, failure);
    if (result < 0) {
        return name_file(recording, place.file, failure);
    }
    if (result > 0) {
        end_file(recording, reading, place, line, length, wrong != NULL ? wrong : failure->message);
    }
    return 0;
}

static int read_all(struct recording *recording, struct failure *failure) {
    struct line_walk walk;
    struct reading reading = {.file = -1};
    const char *line = NULL;
    size_t length = 0;
    struct line_place place;
    line_walk_init(&walk, recording->files, recording->file_count, LIMIT_CHECKPOINT_BYTES);
    int result = 0;
    while ((result = line_walk_next(&walk, &line, &length, &place, failure)) > 0) {
        if (read_line(recording, &reading, line, length, place, failure) != 0) {
            result = -1;
            break;
        }
    }
    recording->index.facts.torn_lines += walk.torn;
    recording->index.facts.files = recording->file_count;
    line_walk_fini(&walk);
    if (result == 0 && index_finish(&recording->index, failure) != 0) {
        result = name_file(recording, recording->file_count - 1, failure);
    }
    return result;
}

struct recording *recording_open(const char *const *paths, int count, struct failure *failure) {
    assert(count > 0);
    struct recording *recording = calloc(1, sizeof *recording);
    if (recording == NULL) {
        (void)fail_memory(failure);
        return NULL;
    }
    index_init(&recording->index);
    recording->overrides.max_agents = LIMIT_AGENTS;
    if (open_files(recording, paths, count, failure) != 0 || read_all(recording, failure) != 0) {
        recording_close(recording);
        return NULL;
    }
    begin_walk(recording, &recording->walk);
    return recording;
}

void recording_close(struct recording *recording) {
    if (recording == NULL) {
        return;
    }
    line_walk_fini(&recording->walk);
    for (int i = 0; i < recording->file_count; i++) {
        text_file_close(recording->files[i]);
    }
    free(recording->files);
    free(recording->ends);
    index_fini(&recording->index);
    free(recording);
}

const struct recording_facts *recording_facts(const struct recording *recording) {
    return &recording->index.facts;
}

int recording_visit(struct recording *recording,
                    bool (*visit)(void *context, const char *line, size_t length), void *context,
                    struct failure *failure) {
    struct line_walk walk;
    const char *line = NULL;
    size_t length = 0;
    begin_walk(recording, &walk);
    int result = 0;
    while ((result = line_walk_next(&walk, &line, &length, NULL, failure)) > 0) {
        if (!visit(context, line, length)) {
            result = 0;
            break;
        }
    }
    line_walk_fini(&walk);
    return result;
}

/* ---- reading at a place ---- */

/* The line of the index that is at this place; it must still be of that op. */
static int read_at(struct recording *recording, struct line_place place, enum recording_op op,
                   const char **text, size_t *length, struct recording_line *line, struct failure *failure) {
    line_walk_go(&recording->walk, place);
    const int result = line_walk_next(&recording->walk, text, length, NULL, failure);
    if (result < 0) {
        return -1;
    }
    if (result == 0 || recording_line_read(*text, *length, line, failure) != 0 || line->op != op) {
        (void)failure_set(failure, FAILURE_IO, NULL, "the file was changed while it was being read");
        return name_file(recording, place.file, failure);
    }
    return 0;
}

static int read_scenario(struct recording *recording, int world, struct recording_line *line,
                         struct scenario *out, struct failure *failure) {
    const char *text = NULL;
    size_t length = 0;
    scenario_init(out);
    if (read_at(recording, index_world(&recording->index, world)->place, RECORDING_WORLD, &text, &length,
                line, failure) != 0) {
        return -1;
    }
    return recording_scenario_read(line, out, failure);
}

int recording_read_scenario(struct recording *recording, uint32_t world, struct scenario *out,
                            struct failure *failure) {
    struct recording_line line;
    const int index = index_find_world(&recording->index, world);
    scenario_init(out);
    if (index < 0) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "world", "the recording has no world %u", world);
    }
    const struct line_place place = recording->walk.place;
    const int result = read_scenario(recording, index, &line, out, failure);
    if (place.file < recording->file_count) {
        line_walk_go(&recording->walk, place);
    }
    return result;
}

/* ---- the source ---- */

static int source_next(void *context, const char **line, size_t *length, struct failure *failure) {
    struct recording *recording = context;
    return line_walk_next(&recording->walk, line, length, NULL, failure);
}

static bool source_find_hash(void *context, const struct recording_moment *moment, uint64_t last_seq,
                             uint64_t *hash) {
    const struct recording *recording = context;
    const int world = index_find_world(&recording->index, moment->world);
    return world >= 0 && index_find_hash(&recording->index, world, moment->tick, moment->seq, last_seq, hash);
}

/* Reads the world of a checkpoint line of this file, and its parts where it has some. */
static int read_world(const struct recording *recording, const char *text, size_t length, int file,
                      const struct scenario *scenario, struct built_world *out, struct checkpoint_rest *rest,
                      struct failure *failure) {
    struct part_files files;
    const struct checkpoint_parts parts = part_files_of(&files, text_file_path(recording->files[file]));
    int result = checkpoint_read_parts(text, length, scenario, &parts, &recording->overrides,
                                       recording->given_up, out, rest, failure);
    if (result == 0 && files.was_read && (out->head = strdup(files.checkpoint)) == NULL) {
        built_world_fini(out);
        result = fail_memory(failure);
    }
    part_files_fini(&files);
    return result;
}

static int read_recorded(struct recording *recording, const struct index_checkpoint *entry,
                         struct built_world *out, struct failure *failure) {
    const char *text = NULL;
    size_t length = 0;
    struct recording_line line;
    struct scenario scenario;
    struct checkpoint_rest rest;
    if (read_scenario(recording, entry->world, &line, &scenario, failure) != 0) {
        return -1;
    }
    int result = read_at(recording, entry->place, RECORDING_CHECKPOINT, &text, &length, &line, failure);
    if (result == 0) {
        result = read_world(recording, text, length, entry->place.file, &scenario, out, &rest, failure);
    }
    scenario_fini(&scenario);
    return result;
}

/* The same; the lines of the source and its place stay. */
static int read_aside(struct recording *recording, const struct index_checkpoint *entry,
                      struct built_world *out, struct failure *failure) {
    const struct line_walk walk = recording->walk;
    const int stripes = recording->overrides.stripes;
    begin_walk(recording, &recording->walk);
    recording->overrides.stripes = 0; /* nothing joins it */
    const int result = read_recorded(recording, entry, out, failure);
    recording->overrides.stripes = stripes;
    line_walk_fini(&recording->walk);
    recording->walk = walk;
    return result;
}

/* Of the checkpoints of the moment's tick the one that was taken before the next request; NULL: there is none. */
static const struct index_checkpoint *find_checkpoint_of(const struct recording *recording,
                                                         const struct recording_moment *moment,
                                                         uint64_t last_seq) {
    const int world = index_find_world(&recording->index, moment->world);
    int number = world < 0 ? -1 : index_find_checkpoint(&recording->index, world, moment->tick);
    for (; number >= 0; number--) {
        const struct index_checkpoint *entry = index_checkpoint(&recording->index, number);
        if (entry->world != world || entry->tick != moment->tick || entry->seq < moment->seq) {
            return NULL;
        }
        if (entry->seq <= last_seq) {
            return entry;
        }
    }
    return NULL;
}

static bool source_read_checkpoint(void *context, const struct recording_moment *moment, uint64_t last_seq,
                                   struct built_world *out) {
    struct recording *recording = context;
    struct failure failure = {0};
    const struct index_checkpoint *entry = find_checkpoint_of(recording, moment, last_seq);
    return entry != NULL && read_aside(recording, entry, out, &failure) == 0;
}

static uint32_t source_world(void *context) {
    const struct recording *recording = context;
    return recording->index.facts.worlds[recording->world].number;
}

/* The place from which a world is read on; the next line is one that is not after the moment. */
static void go_on(struct recording *recording, int world, uint64_t tick, uint64_t seq) {
    recording->world = world;
    line_walk_go(&recording->walk, index_find_mark(&recording->index, world, tick, seq));
}

static int restore_checkpoint(struct recording *recording, int number, const struct scenario *scenario,
                              struct simulation_state *state, struct failure *failure) {
    const struct index_checkpoint *entry = index_checkpoint(&recording->index, number);
    const char *text = NULL;
    size_t length = 0;
    struct recording_line line;
    if (read_at(recording, entry->place, RECORDING_CHECKPOINT, &text, &length, &line, failure) != 0) {
        return -1;
    }
    struct built_world built = {0};
    struct checkpoint_rest rest;
    if (read_world(recording, text, length, entry->place.file, scenario, &built, &rest, failure) != 0) {
        return -1;
    }
    if (world_tick(built.world) != entry->tick || rest.seq != entry->seq) {
        built_world_fini(&built);
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "the checkpoint says another tick or seq than its line");
    }
    if (simulation_state_check(state, &built, "scenario", failure) != 0) {
        built_world_fini(&built);
        return -1;
    }
    const bool is_paused = state->is_paused; /* that of the replay, not of the recording */
    checkpoint_restore(state, &built, &rest);
    state->is_paused = is_paused;
    const uint64_t hash = built.hash; /* of a deferred world, what all ranks have together */
    built_world_fini(&built);
    if (hash != entry->hash && (state->exchange == NULL || state->exchange->rank == 0)) {
        return failure_set(
            failure, FAILURE_BAD_SAVE, "hash",
            "hash: the world has %016llx, not %016llx; allowed: a checkpoint as it was written",
            (unsigned long long)hash, (unsigned long long)entry->hash);
    }
    assert(state->seq == entry->seq && world_tick(state->world) == entry->tick);
    go_on(recording, entry->world, entry->tick, entry->seq);
    return 0;
}

static int build_world(struct recording *recording, int world, const struct scenario *scenario, uint64_t seq,
                       struct simulation_state *state, struct failure *failure) {
    struct built_world built = {0};
    if (built_world_make(scenario, &recording->overrides, NULL, recording->given_up, &built, failure) != 0) {
        return -1;
    }
    if (simulation_state_check(state, &built, "scenario", failure) != 0) {
        built_world_fini(&built);
        return -1;
    }
    simulation_state_change(state, &built);
    built_world_fini(&built);
    state->seq = seq;
    go_on(recording, world, 0, seq);
    return 0;
}

static bool is_buildable(const struct recording *recording, int world) {
    return !index_world(&recording->index, world)->begins_later;
}

/* After a checkpoint that cannot be read: whether one before it is tried. Ranks that refuse a world refuse the journal after
 * an older one, too. */
static bool is_worth_another(const struct failure *failure) {
    return failure->code != FAILURE_BUSY && failure->code != FAILURE_UNSUPPORTED;
}

static int fail_begin(const struct recording *recording, int world, struct failure *failure) {
    const struct recording_world *begun = &recording->index.facts.worlds[world];
    if (recording->passed_over[0] != '\0') {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "world %u cannot be played from tick %llu: no checkpoint can be read (%.200s)",
                           begun->number, (unsigned long long)begun->first_tick, recording->passed_over);
    }
    return failure_set(
        failure, FAILURE_BAD_SAVE, NULL,
        "begins in the middle of world %u, at tick %llu, and has no checkpoint; the files before "
        "it are needed, too: of a state folder, the checkpoint of its number or the whole folder",
        begun->number, (unsigned long long)begun->first_tick);
}

static int put_in(struct recording *recording, int world, uint64_t tick, const struct scenario *scenario,
                  uint64_t seq, struct simulation_state *state, struct failure *failure) {
    int checkpoint = index_find_checkpoint(&recording->index, world, tick);
    for (; checkpoint >= 0 && index_checkpoint(&recording->index, checkpoint)->world == world; checkpoint--) {
        if (restore_checkpoint(recording, checkpoint, scenario, state, failure) == 0) {
            return 0;
        }
        if (!is_worth_another(failure)) {
            return -1;
        }
        if (recording->passed_over[0] == '\0') {
            memcpy(recording->passed_over, failure->message, sizeof failure->message);
        }
    }
    return is_buildable(recording, world) ? build_world(recording, world, scenario, seq, state, failure)
                                          : fail_begin(recording, world, failure);
}

/* overrides has neither seed nor rate: those are the scenario's, which has the effective ones. */
static int seek(struct recording *recording, const struct recording_moment *moment,
                struct simulation_state *state, struct failure *failure) {
    const struct recording_facts *facts = &recording->index.facts;
    const int world = index_find_world(&recording->index, moment->world);
    recording->passed_over[0] = '\0';
    if (world < 0) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "world", "no world %u; the recording has %u to %u",
                           moment->world, facts->worlds[0].number, facts->last.world);
    }
    if (moment->tick < facts->worlds[world].first_tick) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "tick", "world %u begins at tick %llu",
                           moment->world, (unsigned long long)facts->worlds[world].first_tick);
    }
    struct recording_line line;
    struct scenario scenario;
    if (read_scenario(recording, world, &line, &scenario, failure) != 0) {
        return -1;
    }
    const int result = put_in(recording, world, moment->tick, &scenario,
                              index_world(&recording->index, world)->seq, state, failure);
    scenario_fini(&scenario);
    return result;
}

/* A seek that fails leaves the source where it was, with the line that it handed out last. */
static int source_seek(void *context, const struct recording_moment *moment, struct simulation_state *state,
                       struct failure *failure) {
    struct recording *recording = context;
    struct line_walk former = recording->walk;
    const int world = recording->world;
    begin_walk(recording, &recording->walk);
    const int result = seek(recording, moment, state, failure);
    if (result != 0) {
        line_walk_fini(&recording->walk);
        recording->walk = former;
        recording->world = world;
    } else {
        line_walk_fini(&former);
    }
    return result;
}

struct recording_source recording_source(struct recording *recording,
                                         const struct world_overrides *overrides) {
    recording->overrides = *overrides;
    recording->overrides.has_seed = false;
    recording->overrides.tick_hz = 0.0;
    return (struct recording_source){.context = recording,
                                     .next = source_next,
                                     .find_hash = source_find_hash,
                                     .read_checkpoint = source_read_checkpoint,
                                     .seek = source_seek,
                                     .world = source_world,
                                     .gaps = recording->index.facts.gaps,
                                     .gap_count = recording->index.facts.gap_count,
                                     .last = recording->index.facts.last,
                                     .is_paused_at_end = recording->index.facts.is_paused_at_end};
}

void recording_allow_giving_up(struct recording *recording, const atomic_bool *given_up) {
    recording->given_up = given_up;
}

const char *recording_passed_over(const struct recording *recording) {
    return recording->passed_over;
}

int recording_check_checkpoint(struct recording *recording, int checkpoint, struct failure *failure) {
    const struct index_checkpoint *entry = index_checkpoint(&recording->index, checkpoint);
    struct built_world built = {0};
    uint64_t other = 0;
    if (index_find_other_hash(&recording->index, entry, &other)) {
        return failure_set(failure, FAILURE_BAD_SAVE, "hash",
                           "hash: the checkpoint has %016llx, another line about the same moment %016llx",
                           (unsigned long long)entry->hash, (unsigned long long)other);
    }
    if (read_aside(recording, entry, &built, failure) != 0) {
        return -1;
    }
    const bool is_there = world_tick(built.world) == entry->tick;
    built_world_fini(&built);
    return is_there ? 0
                    : failure_set(failure, FAILURE_BAD_SAVE, "tick",
                                  "the checkpoint says another tick than its line");
}

static bool can_begin(struct recording *recording, int world) {
    const struct recording_index *index = &recording->index;
    int i = index_find_checkpoint(index, world, UINT64_MAX);
    for (; i >= 0 && index_checkpoint(index, i)->world == world; i--) {
        struct failure unused = {0};
        if (index_checkpoint(index, i)->has_sum || recording_check_checkpoint(recording, i, &unused) == 0 ||
            unused.code == FAILURE_BUSY) { /* playing it fails with the reason */
            return true;
        }
    }
    return is_buildable(recording, world);
}

bool recording_can_begin(struct recording *recording) {
    int world = recording->index.facts.world_count - 1;
    while (world >= 0 && !can_begin(recording, world)) {
        world--;
    }
    return world >= 0;
}

const char *recording_path(const struct recording *recording, int file) {
    return file < recording->file_count ? text_file_path(recording->files[file]) : NULL;
}

/* The core that the lines need which are played from the checkpoint or world on that a seek takes for this moment; 0:
 * there is none. */
static uint32_t core_at(const struct recording *recording, const struct recording_moment *moment) {
    const int world = index_find_world(&recording->index, moment->world);
    if (world < 0) {
        return 0;
    }
    const int checkpoint = index_find_checkpoint(&recording->index, world, moment->tick);
    if (checkpoint >= 0) {
        return index_checkpoint(&recording->index, checkpoint)->core;
    }
    return is_buildable(recording, world) ? recording->index.facts.worlds[world].core : 0;
}

/* One world, that was played by core `recorded`. */
static int check_world_core(struct recording *recording, const struct recording_world *world,
                            uint32_t recorded, const struct core_change *changes, uint32_t newest,
                            struct failure *failure) {
    char list[160];
    struct scenario scenario;
    struct failure unread;
    const struct recording_facts *facts = &recording->index.facts;
    if (recorded == newest || recording_read_scenario(recording, world->number, &scenario, &unread) != 0) {
        return 0;
    }
    const bool is_affected =
        core_affects(changes, recorded, newest, &scenario, facts->request_ops, list, sizeof list);
    scenario_fini(&scenario);
    if (!is_affected) {
        return 0;
    }
    return failure_set(failure, FAILURE_VERSION, "core",
                       "recorded by core %" PRIu32 "; this is core %" PRIu32
                       ". Changed since for world %" PRIu32 ": %s. --anyway plays it all the same: exact at "
                       "its %d checkpoints, from there on it may differ",
                       recorded, newest, world->number, list[0] == '\0' ? "unknown here" : list,
                       facts->checkpoint_count);
}

int recording_check_core(struct recording *recording, const struct recording_moment *from,
                         const struct core_change *changes, uint32_t newest, struct failure *failure) {
    const struct recording_facts *facts = &recording->index.facts;
    for (int i = 0; i < facts->world_count; i++) {
        const struct recording_world *world = &facts->worlds[i];
        const uint32_t begun = from != NULL && world->number == from->world ? core_at(recording, from) : 0;
        const uint32_t recorded = begun != 0 ? begun : world->core;
        if ((from == NULL || world->number >= from->world) &&
            check_world_core(recording, world, recorded, changes, newest, failure) != 0) {
            return -1;
        }
    }
    return 0;
}
