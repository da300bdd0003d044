/* See run.h. */
#include "clients/drover/run/run.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/json/json_writer.h"
#include "server/recording/checkpoint.h"
#include "server/recording/recording_line.h"
#include "server/storage/disk_file.h"

enum { AT_ONCE = 1 << 18, BUFFER_LIMIT = 1 << 28 };

static int fail_file(const struct run_file *file, int error, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "%.250s: %s", file->path, strerror(error));
}

int run_file_begin(struct run_file *file, const char *folder, const char *name, struct failure *failure) {
    file->error = 0;
    const int length = snprintf(file->path, sizeof file->path, "%s/%s", folder, name);
    (void)snprintf(file->part, sizeof file->part, "%s.part", file->path);
    if (length < 0 || length >= (int)sizeof file->path) {
        return fail_file(file, ENAMETOOLONG, failure);
    }
    file->descriptor = open(file->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor < 0) {
        return fail_file(file, errno, failure);
    }
    file->is_open = true;
    buffer_init(&file->buffer, BUFFER_LIMIT);
    return 0;
}

static void write_buffer(struct run_file *file) {
    if (file->buffer.failed && file->error == 0) {
        file->error = ENOMEM;
    }
    if (file->error == 0 && file->buffer.length > 0) {
        file->error = disk_file_write(file->descriptor, file->buffer.data, file->buffer.length);
    }
    buffer_clear(&file->buffer);
}

void run_file_flush(struct run_file *file) {
    if (file->buffer.length >= AT_ONCE || file->buffer.failed) {
        write_buffer(file);
    }
}

int run_file_finish(struct run_file *file, struct failure *failure) {
    write_buffer(file);
    int error = file->error != 0 ? file->error : disk_file_sync(file->descriptor);
    if (error == 0 && rename(file->part, file->path) != 0) {
        error = errno;
    }
    if (error != 0) {
        run_file_abandon(file);
        return fail_file(file, error, failure);
    }
    (void)close(file->descriptor);
    file->is_open = false;
    buffer_fini(&file->buffer);
    error = disk_file_sync_folder(file->path);
    return error == 0 ? 0 : fail_file(file, error, failure);
}

void run_file_abandon(struct run_file *file) {
    if (file->is_open) {
        (void)close(file->descriptor);
        (void)unlink(file->part);
        buffer_fini(&file->buffer);
        file->is_open = false;
    }
}

/* ---- record ---- */

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

/* ---- parts ---- */

enum { PARTS_MOST = 1000000 };

static int fail(const char *path, int error, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "%.250s: %s", path, strerror(error));
}

static bool part_path(const char *folder, int part, char path[RUN_FILE_PATH]) {
    const int length = snprintf(path, RUN_FILE_PATH, "%s/part-%d.ndjson", folder, part);
    return length > 0 && length < RUN_FILE_PATH;
}

/* ---- lines ---- */

void run_row_write(uint32_t run, uint64_t tick, const double *values, int count, struct buffer *out) {
    buffer_printf(out, "{\"op\":\"row\",\"run\":%" PRIu32 ",\"tick\":%" PRIu64 ",\"values\":[", run, tick);
    for (int i = 0; i < count; i++) {
        char text[JSON_NUMBER_TEXT] = "null";
        if (!isnan(values[i])) {
            /* Counts are whole; a mean has the digits of a float, since its agents are no more exact. */
            const bool is_whole = fabs(values[i]) < 9e15 && values[i] - floor(values[i]) <= 0.0;
            (void)(is_whole ? json_number_text(text, values[i]) : json_float_text(text, (float)values[i]));
        }
        buffer_printf(out, "%s%s", i == 0 ? "" : ",", text);
    }
    buffer_append_text(out, "]}\n");
}

/* A row of a run: its tick, and the text of its values. */
static bool read_row(const char *line, size_t length, int column_count, uint32_t *run, uint64_t *tick,
                     const char **values, size_t *values_length) {
    int at = 0, commas = 0;
    if (sscanf(line, "{\"op\":\"row\",\"run\":%" SCNu32 ",\"tick\":%" SCNu64 ",\"values\":[%n", run, tick,
               &at) < 2 ||
        at == 0 || length < (size_t)at + 3 || strcmp(line + length - 3, "]}\n") != 0) {
        return false;
    }
    *values = line + at;
    *values_length = length - (size_t)at - 3;
    for (size_t i = 0; i < *values_length; i++) {
        commas += (*values)[i] == ',' ? 1 : 0;
    }
    return commas + 1 == column_count;
}

static bool read_done(const char *line, size_t length, uint32_t *run, uint64_t *tick, bool *is_well) {
    char next = '\0';
    if (length < 3 || strcmp(line + length - 2, "}\n") != 0 ||
        sscanf(line, "{\"op\":\"done\",\"run\":%" SCNu32 ",\"%c", run, &next) != 2) {
        return false;
    }
    *is_well = sscanf(line, "{\"op\":\"done\",\"run\":%" SCNu32 ",\"tick\":%" SCNu64 ",", run, tick) == 2;
    return *is_well || next == 'e';
}

static void write_done(uint32_t run, const struct run_end *end, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", "done");
    json_key_unsigned(&json, "run", run);
    if (end->error != NULL) {
        json_key_string(&json, "error", end->error);
    } else {
        json_key_unsigned(&json, "tick", end->tick);
        json_key(&json, "hash");
        json_hex64(&json, end->hash);
        json_key_number(&json, "seconds", end->seconds);
    }
    json_end(&json);
    buffer_append_text(out, "\n");
}

/* ---- reading ---- */

/* Where reading a part has got: the rows since `begin` are of one run, unless is_odd. */
struct scan {
    struct run_parts *parts;
    int part;
    uint64_t begin, end;
    uint32_t run; /* 0: no row yet */
    bool is_odd;
};

static void take_done(struct scan *scan, uint32_t run, uint64_t tick, bool is_well) {
    if (run >= 1 && run <= scan->parts->plan->count) {
        struct run_result *result = &scan->parts->results[run - 1];
        const bool is_whole = !scan->is_odd && scan->run == run;
        if (is_well && is_whole) {
            *result = (struct run_result){.state = RUN_DONE,
                                          .part = scan->part,
                                          .offset = scan->begin,
                                          .bytes = scan->end - scan->begin,
                                          .ticks = tick};
        } else if (result->state == RUN_WAITS && !is_well) {
            result->state = RUN_FAILED;
        }
    }
}

static void take_line(struct scan *scan, const char *line, size_t length) {
    uint32_t run = 0;
    uint64_t tick = 0;
    const char *values = NULL;
    size_t values_length = 0;
    bool is_well = false;
    if (read_done(line, length, &run, &tick, &is_well)) {
        take_done(scan, run, tick, is_well);
        scan->end += length;
        scan->begin = scan->end;
        scan->run = 0;
        scan->is_odd = false;
        return;
    }
    if (!read_row(line, length, scan->parts->column_count, &run, &tick, &values, &values_length) ||
        (scan->run != 0 && scan->run != run)) {
        scan->is_odd = true;
    }
    scan->run = run;
    scan->end += length;
}

static int read_part(struct run_parts *parts, int part, struct failure *failure) {
    char path[RUN_FILE_PATH];
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    struct scan scan = {.parts = parts, .part = part};
    FILE *file = part_path(parts->folder, part, path) ? fopen(path, "re") : NULL;
    if (file == NULL) {
        return fail(path, errno, failure);
    }
    while ((length = getline(&line, &room, file)) > 0) {
        take_line(&scan, line, (size_t)length);
    }
    int error = ferror(file) != 0 ? EIO : 0;
    free(line);
    (void)fclose(file);
    if (error == 0 && scan.begin < scan.end && truncate(path, (off_t)scan.begin) != 0) {
        error = errno;
    }
    return error == 0 ? 0 : fail(path, error, failure);
}

static int read_parts(struct run_parts *parts, struct failure *failure) {
    DIR *folder = opendir(parts->folder);
    int result = 0;
    if (folder == NULL) {
        return fail(parts->folder, errno, failure);
    }
    for (const struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;) {
        char name[64];
        int part = 0;
        if (sscanf(entry->d_name, "part-%7d.ndjson", &part) == 1 && part >= 1) {
            (void)snprintf(name, sizeof name, "part-%d.ndjson", part);
            result = strcmp(name, entry->d_name) == 0 ? read_part(parts, part, failure) : 0;
        }
    }
    (void)closedir(folder);
    return result;
}

static int open_part(struct run_parts *parts, int part, struct failure *failure) {
    char path[RUN_FILE_PATH];
    struct stat status;
    if (!part_path(parts->folder, part, path)) {
        return fail(parts->folder, ENAMETOOLONG, failure);
    }
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        return fail(path, errno, failure);
    }
    parts->descriptors[part - 1] = descriptor;
    parts->lengths[part - 1] = (uint64_t)status.st_size;
    parts->count = part;
    const int error = disk_file_sync_folder(path);
    return error == 0 ? 0 : fail(path, error, failure);
}

int run_parts_open(struct run_parts *parts, const char *folder, const struct run_plan *plan, int column_count,
                   int count, struct failure *failure) {
    *parts = (struct run_parts){.folder = folder, .plan = plan, .column_count = column_count};
    assert(count >= 1 && count <= PARTS_MOST);
    parts->results = calloc(plan->count, sizeof *parts->results);
    parts->descriptors = calloc((size_t)count, sizeof *parts->descriptors);
    parts->lengths = calloc((size_t)count, sizeof *parts->lengths);
    if (parts->results == NULL || parts->descriptors == NULL || parts->lengths == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    int result = read_parts(parts, failure);
    for (int part = 1; part <= count && result == 0; part++) {
        result = open_part(parts, part, failure);
    }
    return result;
}

void run_parts_close(struct run_parts *parts) {
    for (int i = 0; i < parts->count; i++) {
        (void)close(parts->descriptors[i]);
    }
    free(parts->results);
    free(parts->descriptors);
    free(parts->lengths);
    *parts = (struct run_parts){0};
}

/* ---- ends of runs ---- */

void run_parts_cut(struct run_parts *parts, int part) {
    assert(part >= 1 && part <= parts->count);
    (void)!ftruncate(parts->descriptors[part - 1], (off_t)parts->lengths[part - 1]);
}

static int fail_part(const struct run_parts *parts, int part, int error, struct failure *failure) {
    char path[RUN_FILE_PATH] = "";
    (void)part_path(parts->folder, part, path);
    return fail(path, error, failure);
}

static uint64_t length_of(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? (uint64_t)status.st_size : 0;
}

int run_parts_end(struct run_parts *parts, int part, uint32_t run, const struct run_end *end,
                  struct failure *failure) {
    enum { DONE_BYTES = 4096 };
    const int descriptor = parts->descriptors[part - 1];
    struct run_result *result = &parts->results[run - 1];
    struct buffer line;
    assert(run >= 1 && run <= parts->plan->count && part >= 1 && part <= parts->count);
    if (end->error != NULL) {
        run_parts_cut(parts, part);
    }
    *result = (struct run_result){.state = end->error == NULL ? RUN_DONE : RUN_FAILED,
                                  .part = part,
                                  .offset = parts->lengths[part - 1],
                                  .bytes = length_of(descriptor) - parts->lengths[part - 1],
                                  .ticks = end->tick};
    buffer_init(&line, DONE_BYTES);
    write_done(run, end, &line);
    const int error = line.failed ? ENOMEM : disk_file_write(descriptor, line.data, line.length);
    buffer_fini(&line);
    parts->lengths[part - 1] = length_of(descriptor);
    return error == 0 ? 0 : fail_part(parts, part, error, failure);
}

int run_parts_sync(const struct run_parts *parts, int part, struct failure *failure) {
    const int error = disk_file_sync(parts->descriptors[part - 1]);
    return error == 0 ? 0 : fail_part(parts, part, error, failure);
}

uint32_t run_parts_count(const struct run_parts *parts, enum run_state state) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < parts->plan->count; i++) {
        count += parts->results[i].state == state ? 1 : 0;
    }
    return count;
}

/* ---- the results ---- */

struct merge {
    const struct run_parts *parts;
    const struct run_columns *columns;
    struct run_file csv, ndjson;
    FILE *file; /* the part that is open; NULL: none */
    int part;
    char path[RUN_FILE_PATH];
    char *line;
    size_t room;
    double tick_hz;
    uint64_t rows;
};

static void write_head(struct merge *merge) {
    const struct run_plan *plan = merge->parts->plan;
    buffer_append_text(&merge->csv.buffer, "run,seed");
    for (int i = 0; i < plan->parameter_count; i++) {
        buffer_printf(&merge->csv.buffer, ",%s", plan->parameters[i].name);
    }
    buffer_append_text(&merge->csv.buffer, ",tick");
    for (int i = 0; i < merge->columns->count; i++) {
        buffer_printf(&merge->csv.buffer, ",%s", merge->columns->rows[i].name);
    }
    buffer_append_text(&merge->csv.buffer, ",time\n");
}

static void write_parameters(struct merge *merge, uint32_t run) {
    const struct run_plan *plan = merge->parts->plan;
    const double *values = run_plan_values(plan, run);
    for (int i = 0; i < plan->parameter_count; i++) {
        char text[JSON_NUMBER_TEXT] = "";
        if (!isnan(values[i])) {
            (void)json_number_text(text, values[i]);
        }
        buffer_printf(&merge->csv.buffer, ",%s", text);
        buffer_printf(&merge->ndjson.buffer, ",\"%s\":%s", plan->parameters[i].name,
                      isnan(values[i]) ? "null" : text);
    }
}

static void write_values(struct merge *merge, const char *values, size_t length) {
    for (int i = 0; i < merge->columns->count; i++) {
        const char *comma = memchr(values, ',', length);
        const size_t bytes = comma == NULL ? length : (size_t)(comma - values);
        buffer_append_text(&merge->csv.buffer, ",");
        if (bytes != 4 || memcmp(values, "null", 4) != 0) {
            buffer_append(&merge->csv.buffer, values, bytes);
        }
        buffer_printf(&merge->ndjson.buffer, ",\"%s\":", merge->columns->rows[i].name);
        buffer_append(&merge->ndjson.buffer, values, bytes);
        values += bytes + (comma == NULL ? 0 : 1);
        length -= bytes + (comma == NULL ? 0 : 1);
    }
}

/* The end of a line: the seconds of its tick. */
static void write_time(struct merge *merge, uint64_t tick) {
    char text[JSON_NUMBER_TEXT];
    (void)json_number_text(text, (double)tick / merge->tick_hz);
    buffer_printf(&merge->csv.buffer, ",%s\n", text);
    buffer_printf(&merge->ndjson.buffer, ",\"time\":%s}\n", text);
}

static int merge_row(struct merge *merge, uint32_t index, size_t length, struct failure *failure) {
    const uint64_t seed = merge->parts->plan->seeds[index];
    uint32_t run = 0;
    uint64_t tick = 0;
    const char *values = NULL;
    size_t values_length = 0;
    if (!read_row(merge->line, length, merge->columns->count, &run, &tick, &values, &values_length) ||
        run != index + 1) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "%.200s: the rows of run %" PRIu32 " changed while they were read", merge->path,
                           index + 1);
    }
    buffer_printf(&merge->csv.buffer, "%" PRIu32 ",%" PRIu64, run, seed);
    buffer_printf(&merge->ndjson.buffer, "{\"run\":%" PRIu32 ",\"seed\":%" PRIu64, run, seed);
    write_parameters(merge, index);
    buffer_printf(&merge->csv.buffer, ",%" PRIu64, tick);
    buffer_printf(&merge->ndjson.buffer, ",\"tick\":%" PRIu64, tick);
    write_values(merge, values, values_length);
    write_time(merge, tick);
    run_file_flush(&merge->csv);
    run_file_flush(&merge->ndjson);
    merge->rows++;
    return 0;
}

static int go_to(struct merge *merge, const struct run_result *result, struct failure *failure) {
    if (merge->file == NULL || merge->part != result->part) {
        if (merge->file != NULL) {
            (void)fclose(merge->file);
        }
        merge->part = result->part;
        (void)part_path(merge->parts->folder, result->part, merge->path);
        merge->file = fopen(merge->path, "re");
    }
    if (merge->file == NULL || fseeko(merge->file, (off_t)result->offset, SEEK_SET) != 0) {
        return fail(merge->path, errno, failure);
    }
    return 0;
}

static int merge_run(struct merge *merge, uint32_t index, struct failure *failure) {
    const struct run_result *result = &merge->parts->results[index];
    uint64_t left = result->bytes;
    if (result->state != RUN_DONE) {
        return 0;
    }
    if (go_to(merge, result, failure) != 0) {
        return -1;
    }
    while (left > 0) {
        const ssize_t length = getline(&merge->line, &merge->room, merge->file);
        if (length <= 0 || (uint64_t)length > left) {
            return fail(merge->path, EIO, failure);
        }
        if (merge_row(merge, index, (size_t)length, failure) != 0) {
            return -1;
        }
        left -= (uint64_t)length;
    }
    return 0;
}

static int merge_all(struct merge *merge, struct failure *failure) {
    const char *folder = merge->parts->folder;
    if (run_file_begin(&merge->csv, folder, "runs.csv", failure) != 0 ||
        run_file_begin(&merge->ndjson, folder, "runs.ndjson", failure) != 0) {
        return -1;
    }
    write_head(merge);
    for (uint32_t index = 0; index < merge->parts->plan->count; index++) {
        if (merge_run(merge, index, failure) != 0) {
            return -1;
        }
    }
    return run_file_finish(&merge->csv, failure) == 0 ? run_file_finish(&merge->ndjson, failure) : -1;
}

int run_parts_merge(const struct run_parts *parts, const struct run_columns *columns, double tick_hz,
                    uint64_t *rows, struct failure *failure) {
    struct merge *merge = calloc(1, sizeof *merge);
    if (merge == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    merge->parts = parts;
    merge->columns = columns;
    merge->tick_hz = tick_hz;
    const int result = merge_all(merge, failure);
    run_file_abandon(&merge->csv);
    run_file_abandon(&merge->ndjson);
    if (merge->file != NULL) {
        (void)fclose(merge->file);
    }
    free(merge->line);
    *rows = merge->rows;
    free(merge);
    return result;
}
