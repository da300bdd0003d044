/* See run_record.h. */
#include "clients/drover/run/run_record.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "server/recording/checkpoint.h"
#include "server/recording/recording_line.h"

static const struct recorder_session no_session = {.by = 0, .name = ""};

static void move_lines(struct run_record *record) {
    struct buffer *lines = &record->recorder.out;
    record->file.buffer.failed = record->file.buffer.failed || lines->failed;
    if (!lines->failed) {
        line_sum_append(&record->file.buffer, lines->data, lines->length, &record->sum);
    }
    buffer_clear(lines);
    run_file_flush(&record->file);
}

static void write_header(struct run_record *record) {
    char started[RECORDING_VALUE_BYTES] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL ||
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        started[0] = '\0';
    }
    recorder_write_header(&record->recorder, started, "drover run");
}

int run_record_begin(struct run_record *record, const char *folder, const char *name,
                     const struct simulation_state *state, bool with_checkpoint, struct failure *failure) {
    if (run_file_begin(&record->file, folder, name, failure) != 0) {
        return -1;
    }
    if (recorder_init(&record->recorder) != 0) {
        run_file_abandon(&record->file);
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    record->sum = 0;
    write_header(record);
    recorder_set_world(&record->recorder, state, world_hash(state->world), no_session);
    recorder_write_world(&record->recorder, state);
    move_lines(record);
    if (with_checkpoint) {
        const struct checkpoint_rest rest = checkpoint_rest_of(state);
        const size_t begin = record->file.buffer.length;
        checkpoint_write(state->world, &rest, &record->file.buffer, NULL);
        line_sum_seal(&record->file.buffer, begin, &record->sum);
    }
    run_file_flush(&record->file);
    return 0;
}

void run_record_request(struct run_record *record, const struct simulation_state *state,
                        const struct request *request) {
    recorder_write_do(&record->recorder, state, request, no_session);
    move_lines(record);
}

/* Each second. */
static bool is_hashed(const struct simulation_state *state) {
    const double rate = rint(world_tick_hz(state->world));
    return rate < 1.0 || world_tick(state->world) % (uint64_t)rate == 0;
}

static void write_hash(struct run_record *record, const struct simulation_state *state) {
    recorder_write_hash(&record->recorder, world_tick(state->world), state->seq, world_hash(state->world));
}

void run_record_tick(struct run_record *record, const struct simulation_state *state) {
    if (is_hashed(state)) {
        write_hash(record, state);
        move_lines(record);
    }
}

int run_record_finish(struct run_record *record, const struct simulation_state *state,
                      struct failure *failure) {
    if (!is_hashed(state)) {
        write_hash(record, state);
    }
    recorder_write_at(&record->recorder, state, no_session);
    recorder_write_end(&record->recorder, state, "");
    move_lines(record);
    const int result = run_file_finish(&record->file, failure);
    recorder_fini(&record->recorder);
    return result;
}

void run_record_abandon(struct run_record *record) {
    if (record->file.is_open) {
        run_file_abandon(&record->file);
        recorder_fini(&record->recorder);
    }
}
