/* See clip.h. The writer takes pictures from a ring and writes them to a pipe that never blocks. It holds off all signals, so
 * SIGPIPE too: an ffmpeg that ended is an error, not our end. */
#include "viewer/platform/clip.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/system/duty.h"

enum { PICTURES = 4, LOOK_MS = 20, PATIENCE_MS = 5000, LONG_PATIENCE_MS = 60000, END_MS = 30000 };

struct clip {
    pid_t process;
    int pipe;
    int32_t width, height;
    size_t bytes; /* of a picture */
    bool waits;
    double next_ms; /* < 0: before the first frame */
    pthread_t writer;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    struct {
        void *pixels; /* owned */
        int times;    /* how many frames of the clip it is */
    } pictures[PICTURES];
    int first, count; /* a ring; the first one is being written */
    bool is_ending, has_ended;
    const char *reason; /* why no more is written; NULL for nothing */
    int status;         /* has_ended: that of ffmpeg */
};

/* 0xAARRGGBB as it lies in memory. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PIXELS "argb"
#else
#define PIXELS "bgra"
#endif

static bool is_gif(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".gif") == 0;
}

static int spawn(const char *path, const char *size, int input, int other, pid_t *process) {
    /* a palette for each frame: one for all would hold every frame back, in memory, until the last */
    const char *const picture =
        is_gif(path) ? "fps=15,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1"
                     : "crop=trunc(iw/2)*2:trunc(ih/2)*2";
    char file[1100]; /* "file:": a name may begin as an option or a protocol does */
    (void)snprintf(file, sizeof file, "file:%s", path);
    const char *const words[] = {"ffmpeg",   "-hide_banner", "-loglevel",
                                 "error",    "-nostdin",     "-xerror",
                                 "-y",       "-f",           "rawvideo",
                                 "-pix_fmt", PIXELS,         "-video_size",
                                 size,       "-framerate",   "30",
                                 "-i",       "pipe:0",       "-vf",
                                 picture,    "-pix_fmt",     is_gif(path) ? "pal8" : "yuv420p",
                                 "-preset",  "veryfast",     file,
                                 NULL};
    const char *const settings[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL};
    char *argv[sizeof words / sizeof words[0]], *environment[sizeof settings / sizeof settings[0]];
    memcpy(argv, words, sizeof words); /* they are only read: the type of exec is older than const */
    memcpy(environment, settings, sizeof settings);
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return ENOMEM;
    }
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_addclose(&actions, input);
    posix_spawn_file_actions_addclose(&actions, other);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    const int result = posix_spawnp(process, "ffmpeg", &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

/* ---- the writer ---- */

/* NULL, or why not. An ffmpeg that takes nothing is given up, later when nothing waits but the clip: on a busy machine it may
 * take seconds to start. */
static const char *write_all(const struct clip *clip, const void *bytes) {
    const char *at = bytes;
    size_t length = clip->bytes;
    for (int waited_ms = 0; length > 0;) {
        const ssize_t written = write(clip->pipe, at, length);
        if (written > 0) {
            at += written;
            length -= (size_t)written;
            waited_ms = 0;
        } else if (errno == EAGAIN) {
            struct pollfd out = {.fd = clip->pipe, .events = POLLOUT};
            waited_ms += poll(&out, 1, LOOK_MS) == 0 ? LOOK_MS : 0;
        } else if (errno != EINTR) {
            return "ffmpeg ended too early (its reason is on stderr)";
        }
        if (waited_ms >= (clip->waits ? LONG_PATIENCE_MS : PATIENCE_MS)) {
            return clip->waits ? "ffmpeg took nothing of the clip for 60 s: it is given up"
                               : "ffmpeg took nothing of the clip for 5 s: it is given up";
        }
    }
    return NULL;
}

/* Waits for the next picture. NULL when there is none any more. */
static const void *next_picture(struct clip *clip, int *written) {
    pthread_mutex_lock(&clip->mutex);
    while (clip->count > 0 ? *written == clip->pictures[clip->first].times : !clip->is_ending) {
        if (clip->count > 0) {
            *written = 0;
            clip->first = (clip->first + 1) % PICTURES;
            clip->count--;
            pthread_cond_broadcast(&clip->changed);
        } else {
            pthread_cond_wait(&clip->changed, &clip->mutex);
        }
    }
    const void *pixels = clip->count > 0 ? clip->pictures[clip->first].pixels : NULL;
    pthread_mutex_unlock(&clip->mutex);
    return pixels;
}

/* Waits for ffmpeg; one that does not end is killed. */
static int end_process(pid_t process, bool has_failed) {
    const struct timespec look = {0, LOOK_MS * 1000000L};
    int status = 0;
    for (int waited_ms = 0; !has_failed && waited_ms < END_MS; waited_ms += LOOK_MS) {
        if (waitpid(process, &status, WNOHANG) == process) {
            return status;
        }
        (void)nanosleep(&look, NULL);
    }
    (void)kill(process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

static void *write_clip(void *context) {
    struct clip *clip = context;
    const char *reason = NULL;
    const void *pixels = NULL;
    for (int written = 0; reason == NULL && (pixels = next_picture(clip, &written)) != NULL; written++) {
        reason = write_all(clip, pixels);
    }
    pthread_mutex_lock(&clip->mutex);
    clip->reason = reason;
    pthread_cond_broadcast(&clip->changed);
    pthread_mutex_unlock(&clip->mutex);
    close(clip->pipe);
    const int status = end_process(clip->process, reason != NULL);
    pthread_mutex_lock(&clip->mutex);
    clip->status = status;
    clip->has_ended = true;
    pthread_mutex_unlock(&clip->mutex);
    return NULL;
}

static int start_writer(struct clip *clip) {
    pthread_mutex_init(&clip->mutex, NULL);
    pthread_cond_init(&clip->changed, NULL);
    return thread_start(&clip->writer, write_clip, clip);
}

/* ---- the drawing thread ---- */

static void destroy(struct clip *clip) {
    for (int i = 0; i < PICTURES; i++) {
        free(clip->pictures[i].pixels);
    }
    free(clip);
}

/* NULL when memory is short. */
static struct clip *create(int32_t width, int32_t height, bool waits) {
    struct clip *clip = calloc(1, sizeof *clip);
    bool has_room = clip != NULL;
    for (int i = 0; has_room && i < PICTURES; i++) {
        clip->bytes = (size_t)width * (size_t)height * sizeof(uint32_t);
        clip->pictures[i].pixels = malloc(clip->bytes);
        has_room = clip->pictures[i].pixels != NULL;
    }
    if (!has_room && clip != NULL) {
        destroy(clip);
        return NULL;
    }
    if (clip != NULL) {
        clip->width = width;
        clip->height = height;
        clip->waits = waits;
        clip->next_ms = -1.0;
    }
    return clip;
}

/* ffmpeg, its pipe and the writer. -1 with *failure. */
static int start(struct clip *clip, const char *path, struct failure *failure) {
    int ends[2];
    char size[32];
    if (pipe(ends) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of files");
    }
    clip->pipe = ends[1];
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
    (void)snprintf(size, sizeof size, "%dx%d", clip->width, clip->height);
    int result = spawn(path, size, ends[0], ends[1], &clip->process);
    close(ends[0]);
    if (result == ENOENT) {
        close(ends[1]);
        return failure_set(failure, FAILURE_INTERNAL, NULL,
                           "a clip needs ffmpeg, which is not installed (apt-get install ffmpeg)");
    }
    if (result == 0 && (result = start_writer(clip)) != 0) {
        (void)end_process(clip->process, true);
    }
    if (result != 0) {
        close(ends[1]);
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start ffmpeg: %s", strerror(result));
    }
    return 0;
}

struct clip *clip_start(const char *path, int32_t width, int32_t height, bool waits,
                        struct failure *failure) {
    struct clip *clip = create(width, height, waits);
    if (clip == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    if (start(clip, path, failure) != 0) {
        destroy(clip);
        return NULL;
    }
    return clip;
}

bool clip_wants_frame(const struct clip *clip, double now_ms) {
    assert(clip != NULL);
    return clip->next_ms < 0.0 || now_ms >= clip->next_ms;
}

int clip_add(struct clip *clip, const struct raster *raster, double now_ms) {
    assert(clip != NULL && raster != NULL);
    const double step_ms = 1000.0 / CLIP_FPS;
    int times = 0;
    if (raster->width != clip->width || raster->height != clip->height) {
        return -1;
    }
    if (clip->next_ms < 0.0 || now_ms - clip->next_ms > 1000.0) {
        clip->next_ms = now_ms; /* after a stall of the viewer the clip goes on, it does not stand */
    }
    for (; clip->next_ms <= now_ms; clip->next_ms += step_ms) {
        times++;
    }
    pthread_mutex_lock(&clip->mutex);
    while (clip->waits && clip->count == PICTURES && clip->reason == NULL) {
        pthread_cond_wait(&clip->changed, &clip->mutex);
    }
    if (clip->count == PICTURES) { /* ffmpeg is behind: the picture before stays as long */
        clip->pictures[(clip->first + PICTURES - 1) % PICTURES].times += times;
    } else if (times > 0) {
        const int at = (clip->first + clip->count++) % PICTURES;
        memcpy(clip->pictures[at].pixels, raster->pixels, clip->bytes);
        clip->pictures[at].times = times;
        pthread_cond_broadcast(&clip->changed);
    }
    const bool has_failed = clip->reason != NULL;
    pthread_mutex_unlock(&clip->mutex);
    return has_failed ? -1 : 0;
}

void clip_end(struct clip *clip) {
    pthread_mutex_lock(&clip->mutex);
    clip->is_ending = true;
    pthread_cond_broadcast(&clip->changed);
    pthread_mutex_unlock(&clip->mutex);
}

bool clip_has_ended(struct clip *clip) {
    pthread_mutex_lock(&clip->mutex);
    const bool has_ended = clip->has_ended;
    pthread_mutex_unlock(&clip->mutex);
    return has_ended;
}

int clip_stop(struct clip *clip, struct failure *failure) {
    if (clip == NULL) {
        return 0;
    }
    clip_end(clip);
    (void)pthread_join(clip->writer, NULL);
    const char *const reason = clip->reason;
    const bool is_good = reason == NULL && WIFEXITED(clip->status) && WEXITSTATUS(clip->status) == 0;
    pthread_cond_destroy(&clip->changed);
    pthread_mutex_destroy(&clip->mutex);
    destroy(clip);
    return is_good ? 0
                   : failure_set(failure, FAILURE_INTERNAL, NULL, "%s",
                                 reason != NULL ? reason
                                                : "ffmpeg could not make the clip (its reason is on stderr)");
}
