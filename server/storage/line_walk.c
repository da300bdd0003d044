/* See line_walk.h.
 *
 * Invariants: data[begin .. end) is text that is read and not given out; place is that of data[begin]. */
#include "server/storage/line_walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_BYTES = 64 * 1024 };

void line_walk_init(struct line_walk *walk, struct text_file *const *files, int file_count, size_t limit) {
    *walk = (struct line_walk){.files = files, .file_count = file_count, .limit = limit};
}

void line_walk_fini(struct line_walk *walk) {
    text_stream_free(walk->stream);
    free(walk->data);
    walk->stream = NULL;
    walk->data = NULL;
    walk->begin = walk->end = walk->room = 0;
}

static void leave_file(struct line_walk *walk) {
    if (walk->stream != NULL) {
        walk->torn += text_stream_breaks(walk->stream);
        text_stream_free(walk->stream);
        walk->stream = NULL;
    }
    walk->begin = walk->end = 0;
}

void line_walk_go(struct line_walk *walk, struct line_place place) {
    assert(place.file >= 0 && place.file < walk->file_count);
    leave_file(walk);
    walk->place = place;
}

static int fail_memory(const struct line_walk *walk, struct failure *failure) {
    return failure_set(failure, FAILURE_BUSY, NULL, "%.200s: out of memory",
                       text_file_path(walk->files[walk->place.file]));
}

static int open_stream(struct line_walk *walk, struct failure *failure) {
    walk->stream = text_stream_new(walk->files[walk->place.file]);
    return walk->stream == NULL ? fail_memory(walk, failure)
                                : text_stream_seek(walk->stream, walk->place.offset, failure);
}

/* Room behind data[end): a line that is longer than the room makes it grow, up to the limit and its newline. */
static int make_room(struct line_walk *walk, struct failure *failure) {
    const size_t used = walk->end - walk->begin;
    if (walk->begin > 0 && walk->data != NULL) {
        memmove(walk->data, walk->data + walk->begin, used);
        walk->begin = 0;
        walk->end = used;
    }
    if (used < walk->room) {
        return 0;
    }
    if (used > walk->limit) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL,
                           "%.200s: byte %llu: a line is too long; at most %zu bytes are allowed",
                           text_file_path(walk->files[walk->place.file]),
                           (unsigned long long)walk->place.offset + 1, walk->limit);
    }
    const size_t twice = walk->room > 0 ? 2 * walk->room : ROOM_BYTES;
    const size_t room = twice < walk->limit + 1 ? twice : walk->limit + 1;
    char *data = realloc(walk->data, room);
    if (data == NULL) {
        return fail_memory(walk, failure);
    }
    walk->data = data;
    walk->room = room;
    return 0;
}

static void take(struct line_walk *walk, size_t bytes) {
    walk->begin += bytes;
    walk->place.offset += bytes;
}

/* 1: a whole line is at data[begin); *length is without its newline. 0: the end of the file. -1. */
static int find_line(struct line_walk *walk, size_t *length, struct failure *failure) {
    size_t looked = 0; /* bytes without a newline */
    for (;;) {
        const char *from = walk->data == NULL ? NULL : walk->data + walk->begin;
        const size_t left = walk->end - walk->begin;
        const char *newline =
            from != NULL && left > looked ? memchr(from + looked, '\n', left - looked) : NULL;
        if (newline != NULL) {
            *length = (size_t)(newline - from);
            return 1;
        }
        looked = left;
        if (make_room(walk, failure) != 0) {
            return -1;
        }
        const ptrdiff_t count =
            text_stream_read(walk->stream, walk->data + walk->end, walk->room - walk->end, failure);
        if (count <= 0) {
            return (int)count;
        }
        walk->end += (size_t)count;
    }
}

static bool is_at_end(const struct line_walk *walk) {
    return walk->ends != NULL && walk->place.offset >= walk->ends[walk->place.file];
}

/* The file is over: what is left of it is torn. */
static void finish_file(struct line_walk *walk) {
    walk->torn += walk->end > walk->begin && text_stream_breaks(walk->stream) == 0;
    leave_file(walk);
    walk->place.file++;
    walk->place.offset = 0;
}

int line_walk_next(struct line_walk *walk, const char **line, size_t *length, struct line_place *place,
                   struct failure *failure) {
    while (walk->place.file < walk->file_count) {
        if (is_at_end(walk)) {
            leave_file(walk);
            walk->place.file++;
            walk->place.offset = 0;
            continue;
        }
        if (walk->stream == NULL && open_stream(walk, failure) != 0) {
            return -1;
        }
        const int found = find_line(walk, length, failure);
        if (found < 0) {
            return -1;
        }
        if (found == 0) {
            finish_file(walk);
            continue;
        }
        *line = walk->data + walk->begin;
        if (place != NULL) {
            *place = walk->place;
        }
        take(walk, *length + 1);
        if (*length > 0) {
            return 1;
        }
    }
    return 0;
}
