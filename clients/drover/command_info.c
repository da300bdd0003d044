/* drover info: what recordings and saves hold. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/drover/command.h"
#include "clients/drover/live/live.h"
#include "clients/drover/player.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/json/json_check.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "server/recording/recording_line.h"
#include "server/storage/recording.h"

enum { CENSUS_SESSIONS = 1000 };

struct census_session {
    uint32_t by;
    char name[LIMIT_PERSON_BYTES + 1];
    uint64_t requests;
};

struct census {
    uint64_t lines; /* all whole lines */
    uint64_t ops[REQUEST_OP_COUNT];
    uint64_t unknown; /* requests that this version does not know */
    int session_count;
    struct census_session sessions[CENSUS_SESSIONS]; /* in the order in which they came */
    uint64_t more;                                   /* requests of further sessions */
};

/* ---- census: the requests of a recording by what they ask and by session ---- */

static void count_session(struct census *census, const struct recording_line *line) {
    for (int i = census->session_count - 1; i >= 0; i--) {
        struct census_session *session = &census->sessions[i];
        if (session->by == line->by && strcmp(session->name, line->name) == 0) {
            session->requests++;
            return;
        }
    }
    if (census->session_count == CENSUS_SESSIONS) {
        census->more++;
        return;
    }
    struct census_session *session = &census->sessions[census->session_count++];
    *session = (struct census_session){.by = line->by, .requests = 1};
    memcpy(session->name, line->name, sizeof session->name);
}

static bool count_line(void *context, const char *text, size_t length) {
    struct census *census = context;
    struct recording_line line;
    struct request request;
    struct failure failure;
    census->lines++;
    if (recording_line_read(text, length, &line, &failure) != 0 || line.op != RECORDING_DO) {
        return true;
    }
    const struct json_limits limits = json_limits_admin();
    if (request_decode_within(line.request, line.request_length, &limits, &request, &failure) == 0) {
        census->ops[request.op]++;
        request_fini(&request);
    } else {
        census->unknown++;
    }
    count_session(census, &line);
    return true;
}

/* malloc'd, the caller's; NULL with *failure. */
static struct census *census_take(struct recording *recording, struct failure *failure) {
    struct census *census = calloc(1, sizeof *census);
    if (census == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    if (recording_visit(recording, count_line, census, failure) != 0) {
        free(census);
        return NULL;
    }
    return census;
}

/* ---- info ---- */

struct info_options {
    bool is_json;
};

static const struct field info_table[] = {
    OPTION_FLAG(struct info_options, is_json, "json", "Prints a JSON object for each file, one a line."),
    OPTIONS_END,
};

const struct options_def command_info_options = {
    .program = "drover info",
    .summary = "Says what recordings and saves hold.",
    .positional = "FILE...",
    .positional_help = "Recordings, saved worlds or state folders; - is standard input.",
    .takes_several = true,
    .table = info_table,
};

/* What is said about one file. */
struct info {
    const char *argument;
    const struct recording_facts *facts;
    const struct census *census;
    bool is_save;
};

/* A saved world is three lines: drover, world, checkpoint. */
static bool is_save(const struct recording_facts *facts) {
    return facts->lines == 3 && facts->world_count == 1 && facts->checkpoint_count == 1 &&
           facts->torn_lines == 0;
}

static double seconds_of(const struct recording_world *world) {
    return world->tick_hz > 0.0 ? (double)(world->last_tick - world->first_tick) / world->tick_hz : 0.0;
}

/* ---- for people ---- */

/* A text of the file, which may be empty: then nothing. */
static void print_text(const char *before, const char *text, const char *after) {
    if (text[0] != '\0') {
        shown_text_print(stdout, before, text, after);
    }
}

static void print_worlds(const struct info *info) {
    for (int i = 0; i < info->facts->world_count; i++) {
        const struct recording_world *world = &info->facts->worlds[i];
        char name[32];
        char rate[JSON_NUMBER_TEXT];
        char length[160];
        (void)json_number_text(rate, world->tick_hz);
        (void)snprintf(name, sizeof name, "world %" PRIu32, world->number);
        if (info->is_save) {
            (void)snprintf(length, sizeof length, "tick %" PRIu64, world->last_tick);
        } else {
            (void)snprintf(length, sizeof length, "ticks %" PRIu64 " to %" PRIu64 ", %.1f s",
                           world->first_tick, world->last_tick, seconds_of(world));
        }
        (void)printf("  %-13s %s, seed %" PRIu64 ", %s ticks a second: %s\n", info->is_save ? "world" : name,
                     world->scenario, world->seed, rate, length);
    }
}

static void print_sessions(const struct census *census) {
    for (int i = 0; i < census->session_count; i++) {
        const struct census_session *session = &census->sessions[i];
        (void)printf("  %-13s session %" PRIu32 "%s%s%s: %" PRIu64 "\n", "", session->by,
                     session->name[0] == '\0' ? "" : " (", session->name, session->name[0] == '\0' ? "" : ")",
                     session->requests);
    }
    if (census->more > 0) {
        (void)printf("  %-13s further sessions: %" PRIu64 "\n", "", census->more);
    }
}

static void print_requests(const struct info *info) {
    (void)printf("  %-13s %" PRIu64, "requests", info->facts->requests);
    const char *before = ": ";
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        if (info->census->ops[op] > 0) {
            (void)printf("%s%s %" PRIu64, before, request_op_name((enum request_op)op),
                         info->census->ops[op]);
            before = ", ";
        }
    }
    if (info->census->unknown > 0) {
        (void)printf("%sof other versions %" PRIu64, before, info->census->unknown);
    }
    (void)putchar('\n');
    print_sessions(info->census);
}

static void print_checkpoints(const struct recording_facts *facts) {
    enum { SHOWN = 8 };
    (void)printf("  %-13s %d", "checkpoints", facts->checkpoint_count);
    for (int i = 0; i < facts->checkpoint_count && i < SHOWN; i++) {
        const struct recording_moment *moment = &facts->checkpoints[i];
        (void)printf("%s%s%" PRIu64, i == 0 ? ": " : ", ", i == 0 ? "ticks " : "", moment->tick);
        if (facts->world_count > 1) {
            (void)printf(" (world %" PRIu32 ")", moment->world);
        }
    }
    (void)printf("%s\n", facts->checkpoint_count > SHOWN ? ", ..." : "");
}

/* Whether nothing happened after the last checkpoint. */
static bool is_at_checkpoint(const struct recording_facts *facts) {
    const struct recording_moment *last =
        facts->checkpoint_count > 0 ? &facts->checkpoints[facts->checkpoint_count - 1] : NULL;
    return last != NULL && last->world == facts->last.world && last->tick == facts->last.tick &&
           last->seq == facts->last.seq;
}

static void print_end(const struct recording_facts *facts) {
    const char *paused = facts->is_paused_at_end ? ", paused" : "";
    (void)printf("  %-13s tick %" PRIu64, "end", facts->last.tick);
    if (!facts->has_end) {
        (void)printf("%s; %s", paused,
                     is_at_checkpoint(facts) ? "ended in order: with a checkpoint, as a journal is"
                                             : "not ended in order: its server was killed, still writes, or "
                                               "went on in a further file");
    } else if (facts->end_reason[0] != '\0') {
        print_text("; broken off: ", facts->end_reason, "");
    } else {
        (void)printf("%s; ended in order", paused);
    }
    (void)putchar('\n');
}

static void print_writer(const struct recording_line *header) {
    if (header->server[0] != '\0') {
        (void)printf("  %-13s ", "written by");
        print_text("", header->server, "");
        print_text(" (", header->build, ")");
        print_text(", started ", header->started, "");
        (void)putchar('\n');
    }
}

static void print_info(const struct info *info) {
    const struct recording_facts *facts = info->facts;
    const struct recording_line *header = &facts->header;
    (void)printf("%s: %s, format %" PRIu32 ", core %" PRIu32 "\n", info->argument,
                 info->is_save ? "saved world" : "recording", header->format, header->core);
    print_writer(header);
    (void)printf("  %-13s %" PRIu64 " bytes, %" PRIu64 " lines, %" PRIu64 " of them torn\n", "size",
                 facts->bytes, facts->lines, facts->torn_lines);
    (void)printf("  %-13s %s\n", "sums",
                 facts->files_without_sums == 0             ? "of all lines"
                 : facts->files_without_sums < facts->files ? "of some of its files"
                                                            : "no sums in this file");
    if (facts->damage.is_there) {
        (void)printf("  %-13s ", "damaged");
        (void)input_print_damage(info->argument, facts, stdout);
    }
    for (int i = 0; i < facts->gap_count; i++) {
        (void)printf("  %-13s ticks %" PRIu64 "..%" PRIu64 " of world %" PRIu32 ": in no file\n", "gap",
                     facts->gaps[i].before.tick, facts->gaps[i].after.tick, facts->gaps[i].before.world);
    }
    print_worlds(info);
    if (!info->is_save) {
        print_requests(info);
        (void)printf("  %-13s of %d moments\n", "hashes", facts->hash_count);
        print_checkpoints(facts);
        print_end(facts);
    }
}

/* ---- for programs ---- */

static void write_worlds(const struct recording_facts *facts, struct json_writer *json) {
    json_key(json, "worlds");
    json_array(json);
    for (int i = 0; i < facts->world_count; i++) {
        const struct recording_world *world = &facts->worlds[i];
        json_object(json);
        json_key_unsigned(json, "world", world->number);
        json_key_string(json, "scenario", world->scenario);
        json_key_unsigned(json, "seed", world->seed);
        json_key_number(json, "tick_hz", world->tick_hz);
        json_key_unsigned(json, "first_tick", world->first_tick);
        json_key_unsigned(json, "last_tick", world->last_tick);
        json_key_number(json, "seconds", seconds_of(world));
        json_key_unsigned(json, "by", world->by);
        json_end(json);
    }
    json_end(json);
}

static void write_requests(const struct info *info, struct json_writer *json) {
    json_key_unsigned(json, "requests", info->facts->requests);
    json_key(json, "ops");
    json_object(json);
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        if (info->census->ops[op] > 0) {
            json_key_unsigned(json, request_op_name((enum request_op)op), info->census->ops[op]);
        }
    }
    json_end(json);
    json_key(json, "sessions");
    json_array(json);
    for (int i = 0; i < info->census->session_count; i++) {
        json_object(json);
        json_key_unsigned(json, "by", info->census->sessions[i].by);
        json_key_string(json, "name", info->census->sessions[i].name);
        json_key_unsigned(json, "requests", info->census->sessions[i].requests);
        json_end(json);
    }
    json_end(json);
}

static void write_checkpoints(const struct recording_facts *facts, struct json_writer *json) {
    json_key_unsigned(json, "hashes", (uint64_t)facts->hash_count);
    json_key(json, "checkpoints");
    json_array(json);
    for (int i = 0; i < facts->checkpoint_count; i++) {
        json_object(json);
        json_key_unsigned(json, "world", facts->checkpoints[i].world);
        json_key_unsigned(json, "tick", facts->checkpoints[i].tick);
        json_key_unsigned(json, "seq", facts->checkpoints[i].seq);
        json_end(json);
    }
    json_end(json);
}

static void write_info(const struct info *info, struct json_writer *json) {
    const struct recording_facts *facts = info->facts;
    json_object(json);
    json_key_string(json, "file", info->argument);
    json_key_string(json, "is", info->is_save ? "save" : "recording");
    json_key_unsigned(json, "format", facts->header.format);
    json_key_unsigned(json, "core", facts->header.core);
    json_key_string(json, "server", facts->header.server);
    json_key_string(json, "started", facts->header.started);
    json_key_string(json, "build", facts->header.build);
    json_key_unsigned(json, "bytes", facts->bytes);
    json_key_unsigned(json, "lines", facts->lines);
    json_key_unsigned(json, "torn_lines", facts->torn_lines);
    json_key_bool(json, "sums", facts->files_without_sums == 0);
    input_write_damage(facts, json);
    write_worlds(facts, json);
    write_requests(info, json);
    write_checkpoints(facts, json);
    input_write_gaps(facts, json);
    json_key_unsigned(json, "last_tick", facts->last.tick);
    json_key_unsigned(json, "seq", facts->last.seq);
    json_key_bool(json, "paused", facts->is_paused_at_end);
    json_key_bool(json, "ended", facts->has_end ? facts->end_reason[0] == '\0' : is_at_checkpoint(facts));
    if (facts->end_reason[0] != '\0') {
        json_key_string(json, "reason", facts->end_reason);
    }
    json_end(json);
}

static int print_json(const struct info *info, struct failure *failure) {
    struct buffer line;
    buffer_init(&line, COMMAND_LINE_BYTES);
    struct json_writer json = json_writer_begin(&line);
    write_info(info, &json);
    return command_print_line(&line, failure);
}

/* ---- the command ---- */

/* A saved world is restored, so that its agents are known and its hash is right. */
static int print_agents(const struct command_context *context, const char *argument, const char *path,
                        struct failure *failure) {
    const struct player_means means = {.threads = 1, .is_anyway = true};
    struct player player;
    if (player_open(&player, argument, path, &means, context->interrupt, failure) != 0) {
        return -1;
    }
    const struct recording_moment moment = player.facts->last;
    int result = player_begin(&player, &moment, failure);
    if (result == 0) {
        const struct world *world = player.state.world;
        (void)printf("  %-13s %" PRId32, "agents", world_agent_count(world));
        for (int kind = 0; kind < world_kind_count(world); kind++) {
            (void)printf("%s%s %" PRId32, kind == 0 ? ": " : ", ", world_kind(world, kind)->name,
                         world_kind_population(world, kind));
        }
        (void)putchar('\n');
    }
    player_close(&player);
    return result;
}

static int inform(const struct command_context *context, const char *argument, bool is_json,
                  struct failure *failure) {
    char path[INPUT_PATH];
    if (input_find(argument, context->interrupt, path, failure) != 0) {
        return -1;
    }
    struct recording *recording = input_open(argument, path, NULL, failure);
    if (recording == NULL) {
        return -1;
    }
    struct census *census = census_take(recording, failure);
    int result = -1;
    if (census != NULL) {
        const struct recording_facts *facts = recording_facts(recording);
        const struct info info = {
            .argument = argument, .facts = facts, .census = census, .is_save = is_save(facts)};
        if (is_json) {
            result = print_json(&info, failure);
        } else {
            print_info(&info);
            result = info.is_save ? print_agents(context, argument, path, failure) : 0;
        }
    }
    free(census);
    recording_close(recording);
    return result;
}

enum exit_code command_info(const struct command_context *context, int argc, char **argv) {
    struct info_options options = {0};
    struct failure failure = {0};
    enum exit_code code = EXIT_WELL;
    int count = 0;
    if (!command_options(&command_info_options, argc, argv, &options, 1, argc, &count, &code)) {
        return code;
    }
    code = EXIT_WELL;
    for (int i = 1; i <= count && !interrupt_is_set(context->interrupt); i++) {
        if (inform(context, argv[i], options.is_json, &failure) != 0) {
            code = command_complain(context, &failure, EXIT_DIFFERS);
        }
    }
    return code;
}
