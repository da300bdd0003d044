/* See save_head.h. Owns nothing. */
#include "server/storage/save_head.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/regular_file.h"
#include "server/recording/recording_line.h"

/* The two lines before the checkpoint, and what is there of its line. */
struct lines {
    const char *begin[3];
    size_t length[3];
};

static bool split(const char *text, size_t length, struct lines *lines) {
    for (int i = 0; i < 2; i++) {
        const char *end = memchr(text, '\n', length);
        if (end == NULL) {
            return false;
        }
        lines->begin[i] = text;
        lines->length[i] = (size_t)(end - text);
        length -= lines->length[i] + 1;
        text = end + 1;
    }
    lines->begin[2] = text;
    lines->length[2] = length;
    return true;
}

bool save_head_is_whole(const char *text, size_t length) {
    struct lines lines;
    return split(text, length, &lines) &&
           (lines.length[2] >= SAVE_HEAD_CHECKPOINT || memchr(lines.begin[2], '\n', lines.length[2]) != NULL);
}

/* The line of this op at this place. */
static int read_line(const struct lines *lines, int index, enum recording_op op, struct recording_line *line,
                     struct failure *failure) {
    if (recording_line_read(lines->begin[index], lines->length[index], line, failure) != 0) {
        return -1;
    }
    return line->op == op
               ? 0
               : failure_set(
                     failure, FAILURE_BAD_SAVE, "op",
                     "line %d is not what a saved world has there; the lines are drover, world, checkpoint",
                     index + 1);
}

/* The members of a checkpoint line before the first that is an array or an object, as a line of their own:
 * {"op":"checkpoint","tick":600,...,"n":250}. Returns its length, 0 when there are none. */
static size_t cut_head(const char *line, size_t length, char head[SAVE_HEAD_CHECKPOINT + 2]) {
    length = length < SAVE_HEAD_CHECKPOINT ? length : SAVE_HEAD_CHECKPOINT;
    size_t end = 0;
    for (size_t i = 1; i < length && memchr("[{}\n", line[i], 4) == NULL; i++) {
        end = line[i] == ',' ? i : end;
    }
    memcpy(head, line, end);
    head[end] = '}';
    head[end + 1] = '\0';
    return end == 0 ? 0 : end + 1;
}

static int read_checkpoint(const struct lines *lines, struct save_head *head, struct failure *failure) {
    char text[SAVE_HEAD_CHECKPOINT + 2];
    struct recording_line line;
    const size_t length = cut_head(lines->begin[2], lines->length[2], text);
    const struct lines cut = {.begin = {NULL, NULL, text}, .length = {0, 0, length}};
    if (read_line(&cut, 2, RECORDING_CHECKPOINT, &line, failure) != 0) {
        return -1;
    }
    const char *agents = strstr(text, "\"n\":");
    if (agents == NULL) {
        return failure_set(failure, FAILURE_BAD_SAVE, "n", "\"n\": missing; expected the count of agents");
    }
    head->tick = line.tick;
    head->hash = line.hash;
    head->agents = strtoull(agents + 4, NULL, 10);
    return 0;
}

int save_head_read(const char *text, size_t length, struct save_head *head, struct failure *failure) {
    struct lines lines;
    struct recording_line line;
    *head = (struct save_head){0};
    if (!split(text, length, &lines)) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "it ends early; a saved world has the lines drover, world, checkpoint");
    }
    if (read_line(&lines, 0, RECORDING_DROVER, &line, failure) != 0 ||
        read_line(&lines, 1, RECORDING_WORLD, &line, failure) != 0) {
        return -1;
    }
    memcpy(head->scenario, line.scenario, sizeof head->scenario);
    return read_checkpoint(&lines, head, failure);
}

/* ---- files ---- */

static int fail_long(struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                       "its first lines have more than %d bytes; at most that", SAVE_HEAD_LINES);
}

static int read_on(int descriptor, bool (*is_enough)(const char *text, size_t length), struct buffer *text,
                   struct failure *failure) {
    enum { PIECE = 65536 };
    while (text->length == 0 || !is_enough(text->data, text->length)) {
        char *room = buffer_reserve(text, PIECE);
        if (room == NULL) {
            return fail_long(failure);
        }
        const ssize_t count = read(descriptor, room, PIECE);
        if (count == 0) {
            return 0;
        }
        if (count > 0) {
            buffer_commit(text, (size_t)count);
        } else if (errno != EINTR) {
            return failure_set(failure, FAILURE_BAD_SAVE, NULL, "%s", strerror(errno));
        }
    }
    return 0;
}

int save_head_read_beginning(const char *path, bool (*is_enough)(const char *text, size_t length),
                             struct buffer *text, struct failure *failure) {
    char reason[REGULAR_FILE_REASON];
    int descriptor = -1;
    const enum regular_file_result opened = regular_file_open(path, &descriptor, reason);
    if (opened != REGULAR_FILE_OK) {
        return failure_set(failure, opened == REGULAR_FILE_SHORT ? FAILURE_BUSY : FAILURE_BAD_SAVE, NULL,
                           "%s", reason);
    }
    const int result = read_on(descriptor, is_enough, text, failure);
    (void)close(descriptor);
    return result;
}

int save_head_read_file(const char *path, struct save_head *head, struct failure *failure) {
    struct buffer text;
    buffer_init(&text, SAVE_HEAD_LINES);
    int result = save_head_read_beginning(path, save_head_is_whole, &text, failure);
    if (result == 0) {
        result = save_head_read(text.data == NULL ? "" : text.data, text.length, head, failure);
    }
    buffer_fini(&text);
    return result;
}
