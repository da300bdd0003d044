/* See recording_internal.h. A file owns its descriptor and the table of its frames, a stream its buffer and its decompressor.
 *
 * Invariant: frames[i] says where the text at `text` begins among the bytes on disk; both ascend. The table grows
 * with what streams have read.
 */
#include "server/storage/recording_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "common/system/regular_file.h"

static void text_stream_free(struct text_stream *stream);

enum {
    INPUT_BYTES = 128 * 1024,
    FRAME_DISTANCE = 64 * 1024, /* of text between two entries of the table, at least */
    MAGIC_BYTES = 4
};

static const unsigned char zstd_magic[MAGIC_BYTES] = {0x28, 0xB5, 0x2F, 0xFD};

struct frame {
    uint64_t text, disk;
};

struct text_file {
    char *path;
    int descriptor;
    uint64_t bytes;
    bool is_zstd;
    struct frame *frames;
    size_t frame_count, frame_room;
};

struct text_stream {
    struct text_file *file;
    uint64_t offset; /* of the text */
    uint64_t disk;   /* the next byte to read from disk */
    uint64_t breaks;
    /* zstd */
    ZSTD_DCtx *decompressor;
    char *input;
    size_t input_begin, input_end; /* what is read and not decompressed */
    bool is_inside;                /* of a frame */
    bool is_lost;                  /* looks for the next frame */
    bool is_after_break;           /* the next frame is the first one after a place that cannot be read */
    const char *mark;              /* what is left of that of the break */
};

static int fail_system(const struct text_file *file, int error, struct failure *failure) {
    return failure_set(failure, error == ENOMEM ? FAILURE_BUSY : FAILURE_IO, NULL, "%.200s: %s", file->path,
                       strerror(error));
}

/* Up to `size` bytes at `offset`; fewer at the end of what the file had. -1 with *failure. */
static ptrdiff_t read_disk(const struct text_file *file, uint64_t offset, char *out, size_t size,
                           struct failure *failure) {
    const uint64_t left = file->bytes - offset;
    size = size < left ? size : (size_t)left;
    while (size > 0) {
        const ssize_t count = pread(file->descriptor, out, size, (off_t)offset);
        if (count > 0) {
            return count;
        }
        if (count == 0) {
            return failure_set(failure, FAILURE_IO, NULL,
                               "%.200s: the file became shorter while it was being read", file->path);
        }
        if (errno != EINTR) {
            return fail_system(file, errno, failure);
        }
    }
    return 0;
}

/* ---- files ---- */

static int fail_open(const char *path, enum regular_file_result result, const char *reason,
                     struct failure *failure) {
    const enum failure_code code = result == REGULAR_FILE_MISSING ? FAILURE_NO_SAVE
                                   : result == REGULAR_FILE_SHORT ? FAILURE_BUSY
                                                                  : FAILURE_IO;
    if (strncmp(reason, "a directory", 11) == 0) {
        return failure_set(failure, code, NULL,
                           "%.200s: a directory; allowed: a file (.drover, .drover.zst), of a state folder "
                           "one of its journals or checkpoints",
                           path);
    }
    return failure_set(failure, code, NULL, "%.200s: %s", path, reason);
}

static int look_at(struct text_file *file, struct failure *failure) {
    struct stat status;
    char magic[MAGIC_BYTES] = {0};
    if (fstat(file->descriptor, &status) != 0) {
        return fail_system(file, errno, failure);
    }
    file->bytes = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    const ptrdiff_t count = read_disk(file, 0, magic, sizeof magic, failure);
    file->is_zstd = count == MAGIC_BYTES && memcmp(magic, zstd_magic, MAGIC_BYTES) == 0;
    return count < 0 ? -1 : 0;
}

struct text_file *text_file_open(const char *path, struct failure *failure) {
    struct text_file *file = calloc(1, sizeof *file);
    char *copy = strdup(path);
    if (file == NULL || copy == NULL) {
        free(file);
        free(copy);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "%.200s: out of memory", path);
        return NULL;
    }
    *file = (struct text_file){.path = copy, .descriptor = -1};
    char reason[REGULAR_FILE_REASON];
    const enum regular_file_result result = regular_file_open(path, &file->descriptor, reason);
    if (result != REGULAR_FILE_OK) {
        file->descriptor = -1;
        (void)fail_open(path, result, reason, failure);
    }
    if (result != REGULAR_FILE_OK || look_at(file, failure) != 0) {
        text_file_close(file);
        return NULL;
    }
    return file;
}

void text_file_close(struct text_file *file) {
    if (file != NULL) {
        if (file->descriptor >= 0) {
            close(file->descriptor);
        }
        free(file->path);
        free(file->frames);
        free(file);
    }
}

const char *text_file_path(const struct text_file *file) {
    return file->path;
}

uint64_t text_file_bytes(const struct text_file *file) {
    return file->bytes;
}

/* Without memory the table has a hole: going there takes longer. */
static void note_frame(struct text_file *file, struct frame frame, bool is_wanted) {
    const struct frame *last = file->frame_count > 0 ? &file->frames[file->frame_count - 1] : NULL;
    if (last != NULL &&
        (frame.disk <= last->disk || (!is_wanted && frame.text < last->text + FRAME_DISTANCE))) {
        return;
    }
    if (file->frame_count == file->frame_room) {
        const size_t room = file->frame_room > 0 ? 2 * file->frame_room : 64;
        struct frame *frames = realloc(file->frames, room * sizeof *frames);
        if (frames == NULL) {
            return;
        }
        file->frames = frames;
        file->frame_room = room;
    }
    assert(file->frames != NULL);
    file->frames[file->frame_count++] = frame;
}

/* The last known frame that begins at or before the offset; the start of the file when none is. */
static struct frame find_frame(const struct text_file *file, uint64_t offset) {
    size_t low = 0, high = file->frame_count; /* frames[low - 1].text <= offset */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (file->frames[middle].text <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? file->frames[low - 1] : (struct frame){0, 0};
}

/* ---- streams ---- */

static struct text_stream *text_stream_new(struct text_file *file) {
    struct text_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    stream->file = file;
    if (file->is_zstd) {
        stream->decompressor = ZSTD_createDCtx();
        stream->input = malloc(INPUT_BYTES);
        if (stream->decompressor == NULL || stream->input == NULL) {
            text_stream_free(stream);
            return NULL;
        }
    }
    return stream;
}

/* A stream at the start of the file. NULL without memory. */
static void text_stream_free(struct text_stream *stream) {
    if (stream != NULL) {
        (void)ZSTD_freeDCtx(stream->decompressor);
        free(stream->input);
        free(stream);
    }
}

/* The places where compressed text could not be read, so far. */
static uint64_t text_stream_breaks(const struct text_stream *stream) {
    return stream->breaks;
}

/* Moves what is left of the input to its front and reads more behind it. Bytes read, 0 at the end, -1. */
static ptrdiff_t fill_input(struct text_stream *stream, struct failure *failure) {
    const size_t left = stream->input_end - stream->input_begin;
    memmove(stream->input, stream->input + stream->input_begin, left);
    stream->input_begin = 0;
    stream->input_end = left;
    const ptrdiff_t count =
        read_disk(stream->file, stream->disk, stream->input + left, INPUT_BYTES - left, failure);
    if (count > 0) {
        stream->input_end += (size_t)count;
        stream->disk += (uint64_t)count;
    }
    return count;
}

/* After a place that cannot be read: the next frame's first bytes, or the end of the input but for three. */
static void look_for_frame(struct text_stream *stream) {
    while (stream->input_end - stream->input_begin >= MAGIC_BYTES) {
        if (memcmp(stream->input + stream->input_begin, zstd_magic, MAGIC_BYTES) == 0) {
            stream->is_lost = false;
            return;
        }
        stream->input_begin++;
    }
}

static void note_break(struct text_stream *stream) {
    stream->breaks++;
    stream->is_lost = true;
    stream->is_inside = false;
    stream->is_after_break = true;
    (void)ZSTD_DCtx_reset(stream->decompressor, ZSTD_reset_session_only);
}

/* How much text a broken frame gave may differ from stream to stream: the table says where the text goes on. */
static void begin_frame(struct text_stream *stream) {
    const uint64_t disk = stream->disk - (uint64_t)(stream->input_end - stream->input_begin);
    for (size_t i = stream->file->frame_count; stream->is_after_break && i > 0; i--) {
        if (stream->file->frames[i - 1].disk == disk) {
            stream->offset = stream->file->frames[i - 1].text;
        }
    }
    note_frame(stream->file, (struct frame){stream->offset, disk}, stream->is_after_break);
    stream->is_after_break = false;
}

/* Decompresses what the input has, at most `size` bytes. */
static size_t decompress(struct text_stream *stream, char *out, size_t size) {
    if (!stream->is_inside) {
        begin_frame(stream);
    }
    ZSTD_inBuffer input = {stream->input + stream->input_begin, stream->input_end - stream->input_begin, 0};
    ZSTD_outBuffer output = {.size = size};
    output.dst = out;
    const size_t result = ZSTD_decompressStream(stream->decompressor, &output, &input);
    if (ZSTD_isError(result)) {
        stream->input_begin += input.pos > 0 ? input.pos : input.size > 0;
        note_break(stream);
        stream->mark = TEXT_FILE_BREAK;
    } else {
        stream->input_begin += input.pos;
        stream->is_inside = result != 0;
    }
    stream->offset += output.pos;
    return output.pos;
}

static size_t read_mark(struct text_stream *stream, char *out) {
    out[0] = *stream->mark++;
    stream->mark = *stream->mark == '\0' ? NULL : stream->mark;
    stream->offset++;
    return 1;
}

static ptrdiff_t read_zstd(struct text_stream *stream, char *out, size_t size, struct failure *failure) {
    for (;;) {
        const bool has_input = stream->input_begin < stream->input_end;
        size_t count = 0;
        if (stream->mark != NULL) {
            return (ptrdiff_t)read_mark(stream, out);
        }
        if (stream->is_lost) {
            look_for_frame(stream);
        }
        if (!stream->is_lost && (has_input || stream->is_inside)) {
            count = decompress(stream, out, size);
            if (count == 0 && (stream->is_lost || stream->input_begin < stream->input_end)) {
                continue;
            }
        }
        if (count > 0) {
            return (ptrdiff_t)count;
        }
        const ptrdiff_t more = fill_input(stream, failure);
        if (more < 0) {
            return -1;
        }
        if (more == 0) {
            if (stream->is_inside) { /* the last frame is torn */
                note_break(stream);
            }
            return 0;
        }
    }
}

/* The next bytes of the text, at most `size`. 0 at the end; -1 with *failure (io). */
static ptrdiff_t text_stream_read(struct text_stream *stream, char *out, size_t size,
                                  struct failure *failure) {
    assert(size > 0);
    if (stream->file->is_zstd) {
        return read_zstd(stream, out, size, failure);
    }
    const ptrdiff_t count = read_disk(stream->file, stream->offset, out, size, failure);
    stream->offset += count > 0 ? (uint64_t)count : 0;
    return count;
}

static int skip_to(struct text_stream *stream, uint64_t offset, struct failure *failure) {
    char unused[16 * 1024];
    while (stream->offset < offset) {
        const uint64_t left = offset - stream->offset;
        const ptrdiff_t count =
            text_stream_read(stream, unused, left < sizeof unused ? (size_t)left : sizeof unused, failure);
        if (count < 0) {
            return -1;
        }
        if (count == 0) {
            return failure_set(failure, FAILURE_IO, NULL,
                               "%.200s: the file became shorter while it was being read", stream->file->path);
        }
    }
    return 0;
}

/* Goes to a place that a stream of this file has been at. 0, or -1 with *failure. */
static int text_stream_seek(struct text_stream *stream, uint64_t offset, struct failure *failure) {
    if (!stream->file->is_zstd) {
        if (offset > stream->file->bytes) {
            return failure_set(failure, FAILURE_INTERNAL, NULL, "%.200s: no such place", stream->file->path);
        }
        stream->offset = offset;
        return 0;
    }
    const struct frame frame = find_frame(stream->file, offset);
    if (offset < stream->offset || frame.text > stream->offset) {
        (void)ZSTD_DCtx_reset(stream->decompressor, ZSTD_reset_session_only);
        stream->input_begin = stream->input_end = 0;
        stream->is_inside = stream->is_lost = stream->is_after_break = false;
        stream->mark = NULL;
        stream->offset = frame.text;
        stream->disk = frame.disk;
    }
    return skip_to(stream, offset, failure);
}

/* ---- line walk ---- */

/* Invariants: data[begin .. end) is text that is read and not given out; place is that of data[begin]. */

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
