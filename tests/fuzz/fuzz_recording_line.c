/* Any text as a line of a recording: refused with a reason; or what was read can be written, and reads back equal. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/recording/recording_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 64 * 1024 * 1024 };

static void check(bool is_right) {
    if (!is_right) {
        abort();
    }
}

static void compare(const struct recording_line *a, const struct recording_line *b) {
    check(a->op == b->op && a->tick == b->tick && a->seq == b->seq && a->by == b->by && a->hash == b->hash);
    check(a->format == b->format && a->core == b->core && a->world == b->world && a->seed == b->seed);
    check(a->is_paused == b->is_paused && strcmp(a->name, b->name) == 0 && strcmp(a->reason, b->reason) == 0);
    check(strcmp(a->server, b->server) == 0 && strcmp(a->scenario, b->scenario) == 0);
    check(a->request_length == b->request_length &&
          (a->request_length == 0 || memcmp(a->request, b->request, a->request_length) == 0));
}

static void write_and_read(const struct recording_line *line) {
    struct recording_line plain = *line, back;
    struct buffer out;
    struct failure failure;
    char *text = NULL;
    if (line->op == RECORDING_WORLD) {
        text = recording_line_text(line, &plain.text_length);
        check(text != NULL);
        plain.text = text;
    }
    buffer_init(&out, MOST_BYTES);
    recording_line_write(&plain, &out);
    check(!out.failed && recording_line_read(out.data, out.length - 1, &back, &failure) == 0);
    compare(line, &back);
    buffer_fini(&out);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct recording_line line;
    struct failure failure = {0};
    if (recording_line_read((const char *)data, size, &line, &failure) != 0) {
        check(failure.code != FAILURE_NONE && failure.message[0] != '\0');
    } else if (line.op != RECORDING_OTHER && line.op != RECORDING_CHECKPOINT) {
        write_and_read(&line);
    }
    return 0;
}
