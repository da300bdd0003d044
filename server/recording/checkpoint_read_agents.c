/* See checkpoint_read_agents.h. */
#include "server/recording/checkpoint_read_agents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/base64.h"
#include "server/recording/checkpoint_form.h"

/* ---- columns ---- */

/* A text in base64, in the line itself. */
struct span {
    const char *text;
    size_t length, bytes; /* that it stands for */
};

static bool find_span(const struct checkpoint_reading *reading, const cJSON *item, struct span *out) {
    if (!cJSON_IsString(item)) {
        return false;
    }
    out->text = json_lift_text(&reading->lift, item->valuestring, &out->length);
    return base64_decoded_length(out->text, out->length, &out->bytes);
}

/* Decodes numbers from the front of the span. */
static bool decode_next(struct span *span, void *numbers, size_t count, size_t width) {
    const size_t length = base64_length(count * width);
    if (length > span->length || !base64_decode_integers(span->text, length, numbers, count, width)) {
        return false;
    }
    span->text += length;
    span->length -= length;
    return true;
}

/* Memory for a whole column; the caller's. NULL with a failure. */
static void *decode_all(const struct checkpoint_reading *reading, struct span *span, const char *place,
                        size_t width) {
    void *numbers = malloc(span->bytes > 0 ? span->bytes : 1);
    if (numbers == NULL) {
        (void)checkpoint_run_out(reading);
    } else if (!decode_next(span, numbers, span->bytes / width, width)) {
        (void)checkpoint_refuse(reading, place, "not base64; allowed: RFC 4648 with padding");
        free(numbers);
        numbers = NULL;
    }
    return numbers;
}

static int refuse_length(const struct checkpoint_reading *reading, const char *place, const struct span *span,
                         size_t wanted) {
    return failure_set(reading->failure, FAILURE_BAD_SAVE, place, "%s: %zu bytes; allowed: %zu in base64",
                       place, span->bytes, wanted);
}

int checkpoint_read_ids(struct checkpoint_reading *reading) {
    struct span span = {NULL, 0, 0};
    struct image_fault fault;
    const size_t width = sizeof(uint32_t), run = 2 * width, most = run * (size_t)reading->image.agent_count;
    if (!find_span(reading, checkpoint_member(reading->root, "id"), &span) || span.bytes % run != 0 ||
        span.bytes > most) {
        return refuse_length(reading, "id", &span, most);
    }
    uint32_t(*runs)[2] = decode_all(reading, &span, "id", width);
    if (runs == NULL) {
        return -1;
    }
    const bool is_right =
        world_restore_ids(reading->world, (const uint32_t(*)[2])runs, (int32_t)(span.bytes / run), &fault);
    free(runs);
    return is_right ? 0 : checkpoint_refuse_entry(reading, "", "id", &fault);
}

static int put_column(struct checkpoint_reading *reading, int index, const struct image_column *column,
                      struct span *span, int32_t count) {
    struct image_cursor cursor = {.column = index};
    struct image_fault fault;
    unsigned char entries[CHECKPOINT_CHUNK * WORLD_ENTRY_BYTES];
    while (cursor.entry < count) {
        const int32_t left = count - cursor.entry, chunk = left < CHECKPOINT_CHUNK ? left : CHECKPOINT_CHUNK;
        if (!decode_next(span, entries, (size_t)chunk * column->count, column->width)) {
            fault = (struct image_fault){"base64, RFC 4648 with padding", cursor.entry};
            return checkpoint_refuse_entry(reading, "columns.", column->name, &fault);
        }
        if (!world_image_put(reading->world, &cursor, entries, chunk, &fault)) {
            return checkpoint_refuse_entry(reading, "columns.", column->name, &fault);
        }
    }
    return checkpoint_check_given_up(reading);
}

static int read_column(struct checkpoint_reading *reading, const cJSON *item, int index,
                       const struct image_column *column) {
    char place[64];
    struct span span = {NULL, 0, 0};
    const int32_t count = world_image_entries(reading->world, index);
    const size_t wanted = (size_t)column->width * column->count * (size_t)count;
    (void)snprintf(place, sizeof place, "columns.%s", column->name);
    if (item == NULL) {
        return world_image_may_be_initial(reading->world, index)
                   ? 0
                   : checkpoint_refuse(reading, place,
                                       "missing; allowed: to be left out where agents are as new ones");
    }
    if (!find_span(reading, item, &span) || span.bytes != wanted) {
        return refuse_length(reading, place, &span, wanted);
    }
    return put_column(reading, index, column, &span, count);
}

static int check_column_names(const struct checkpoint_reading *reading, const cJSON *columns) {
    for (const cJSON *item = columns->child; item != NULL; item = item->next) {
        struct image_column column;
        bool is_known = false;
        for (int i = 0; !is_known && world_image_column(i, &column); i++) {
            is_known = strcmp(column.name, item->string) == 0;
        }
        if (!is_known) {
            return failure_set(reading->failure, FAILURE_BAD_SAVE, "columns",
                               "columns: no column is called \"%.64s\"; allowed: those of this version",
                               item->string);
        }
    }
    return 0;
}

int checkpoint_check_columns(const struct checkpoint_reading *reading) {
    const cJSON *columns = checkpoint_member(reading->root, "columns");
    struct image_column column;
    if (!cJSON_IsObject(columns)) {
        return checkpoint_refuse(reading, "columns", "missing; allowed: an object");
    }
    for (int i = 0; world_image_column(i, &column); i++) {
        char place[64];
        struct span span = {NULL, 0, 0};
        const cJSON *item = checkpoint_member(columns, column.name);
        const size_t size = (size_t)column.width * column.count;
        const size_t most = size * (size_t)reading->image.agent_count;
        (void)snprintf(place, sizeof place, "columns.%s", column.name);
        if (item != NULL && (!find_span(reading, item, &span) || span.bytes > most ||
                             (span.bytes != most && !column.is_partial))) {
            return refuse_length(reading, place, &span, most);
        }
    }
    return check_column_names(reading, columns);
}

int checkpoint_read_columns(struct checkpoint_reading *reading) {
    const cJSON *columns = checkpoint_member(reading->root, "columns");
    const bool is_whole = checkpoint_member(reading->root, "parts") == NULL;
    struct image_column column;
    for (int i = 0; world_image_column(i, &column); i++) {
        if ((is_whole || !column.is_by_slot) &&
            read_column(reading, checkpoint_member(columns, column.name), i, &column) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- parts ---- */

static int read_facts(const struct checkpoint_reading *reading, const cJSON *item, int number,
                      struct checkpoint_part_facts *out) {
    const struct image_fault fault = {"agents, bytes and sum of each part", number};
    const bool is_right = cJSON_IsObject(item) &&
                          checkpoint_read_whole(reading, item, "agents", (double)reading->image.agent_count,
                                                &out->agents) == 0 &&
                          checkpoint_read_whole(reading, item, "bytes", LIMIT_ID_INTEGER, &out->bytes) == 0 &&
                          checkpoint_read_hex64(checkpoint_member(item, "sum"), &out->sum);
    return is_right ? 0 : checkpoint_refuse_entry(reading, "", "parts", &fault);
}

static int read_part(struct checkpoint_reading *reading, const cJSON *item, int number, int count) {
    const struct checkpoint_part part = {.number = (uint32_t)number,
                                         .count = (uint32_t)count,
                                         .tick = reading->image.tick,
                                         .seq = reading->seq,
                                         .hash = reading->stated};
    struct checkpoint_part_facts facts;
    const char *bytes = NULL;
    size_t length = 0;
    if (read_facts(reading, item, number, &facts) != 0 || checkpoint_check_given_up(reading) != 0 ||
        reading->parts->read(reading->parts->context, part.number, &bytes, &length, reading->failure) != 0) {
        return -1;
    }
    return checkpoint_part_read(reading->world, bytes, length, &part, &facts, &reading->assembly,
                                reading->failure);
}

int checkpoint_read_agent_parts(struct checkpoint_reading *reading) {
    const cJSON *parts = checkpoint_member(reading->root, "parts");
    const int count = cJSON_GetArraySize(parts);
    int number = 0;
    if (parts == NULL) {
        return 0;
    }
    if (!cJSON_IsArray(parts) || count < 1 || count > CHECKPOINT_PARTS_MAX) {
        return checkpoint_refuse(reading, "parts",
                                 "no list of parts; allowed: 1 to CHECKPOINT_PARTS_MAX of them");
    }
    if (reading->parts == NULL) {
        return checkpoint_refuse(
            reading, "parts",
            "the checkpoint is in parts, which ranks have written; allowed: --state with its folder");
    }
    if (checkpoint_assembly_init(&reading->assembly, reading->image.agent_count) != 0) {
        return checkpoint_run_out(reading);
    }
    for (const cJSON *item = parts->child; item != NULL; item = item->next, number++) {
        if (read_part(reading, item, number, count) != 0) {
            return -1;
        }
    }
    return reading->assembly.slots == reading->image.agent_count
               ? 0
               : checkpoint_refuse(reading, "parts", "agents are missing; allowed: each agent in one part");
}

/* The same for the order of slots. */
static int read_order_of_parts(struct checkpoint_reading *reading, int32_t cells) {
    const struct checkpoint_assembly *assembly = &reading->assembly;
    struct image_fault fault;
    const char *place = "";
    if (assembly->cells != (size_t)cells) {
        return failure_set(reading->failure, FAILURE_BAD_SAVE, "parts",
                           "parts: %zu cells; allowed: %ld, as the world has", assembly->cells, (long)cells);
    }
    return world_restore_order(reading->world, reading->image.drift, assembly->row, assembly->counts, &place,
                               &fault)
               ? 0
               : checkpoint_refuse_entry(reading, "order.", place, &fault);
}

/* ---- the order of slots ---- */

/* By cell how many agents it has; the caller's. NULL with a failure. */
static int32_t *read_cells(const struct checkpoint_reading *reading, const cJSON *item, int32_t cells) {
    struct span span = {NULL, 0, 0};
    const size_t count = (size_t)cells, wide = sizeof(int32_t) * count;
    if (!find_span(reading, item, &span) || (span.bytes != count && span.bytes != wide)) {
        (void)refuse_length(reading, "order.cells", &span, count);
        return NULL;
    }
    if (span.bytes == wide) {
        return decode_all(reading, &span, "order.cells", sizeof(int32_t));
    }
    unsigned char *bytes = decode_all(reading, &span, "order.cells", 1);
    int32_t *counts = bytes == NULL ? NULL : malloc(wide);
    for (size_t cell = 0; counts != NULL && cell < count; cell++) {
        counts[cell] = bytes[cell];
    }
    if (bytes != NULL && counts == NULL) {
        (void)checkpoint_run_out(reading);
    }
    free(bytes);
    return counts;
}

int checkpoint_read_order(struct checkpoint_reading *reading, const cJSON *order, int32_t cells) {
    struct span span = {NULL, 0, 0};
    struct image_fault fault;
    const char *place = "";
    const size_t wanted = sizeof(int32_t) * (size_t)reading->image.agent_count;
    if (reading->assembly.row != NULL) {
        return read_order_of_parts(reading, cells);
    }
    if (!find_span(reading, checkpoint_member(order, "row"), &span) || span.bytes != wanted) {
        return refuse_length(reading, "order.row", &span, wanted);
    }
    int32_t *row = decode_all(reading, &span, "order.row", sizeof *row);
    int32_t *counts = row == NULL ? NULL : read_cells(reading, checkpoint_member(order, "cells"), cells);
    int result = -1;
    if (counts != NULL) {
        result = world_restore_order(reading->world, reading->image.drift, row, counts, &place, &fault)
                     ? 0
                     : checkpoint_refuse_entry(reading, "order.", place, &fault);
    }
    free(row);
    free(counts);
    return result;
}
