/* See clip.h. SIGPIPE is held off while a frame is written: an ffmpeg that ended is an error, not our end. */
#include "viewer/platform/clip.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct clip {
    pid_t process;
    int pipe;
    int32_t width, height;
    double next_ms; /* < 0: before the first frame */
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
    const char *const words[] = {
        "ffmpeg",      "-hide_banner", "-loglevel",  "error",    "-nostdin",
        "-y",          "-f",           "rawvideo",   "-pix_fmt", PIXELS,
        "-video_size", size,           "-framerate", "30",       "-i",
        "pipe:0",      "-vf",          picture,      "-pix_fmt", is_gif(path) ? "pal8" : "yuv420p",
        "-preset",     "veryfast",     file,         NULL};
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

struct clip *clip_start(const char *path, int32_t width, int32_t height, struct failure *failure) {
    int ends[2];
    char size[32];
    struct clip *clip = calloc(1, sizeof *clip);
    if (clip == NULL || pipe(ends) != 0) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory or files");
        free(clip);
        return NULL;
    }
    *clip = (struct clip){.pipe = ends[1], .width = width, .height = height, .next_ms = -1.0};
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    (void)snprintf(size, sizeof size, "%dx%d", width, height);
    const int result = spawn(path, size, ends[0], ends[1], &clip->process);
    close(ends[0]);
    if (result != 0) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL,
                          result == ENOENT
                              ? "a clip needs ffmpeg, which is not installed (apt-get install ffmpeg)"
                              : "cannot start ffmpeg: %s",
                          strerror(result));
        close(ends[1]);
        free(clip);
        return NULL;
    }
    return clip;
}

bool clip_wants_frame(const struct clip *clip, double now_ms) {
    assert(clip != NULL);
    return clip->next_ms < 0.0 || now_ms >= clip->next_ms;
}

static int write_all(int pipe, const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0) {
        const ssize_t written = write(pipe, at, length);
        if (written > 0) {
            at += written;
            length -= (size_t)written;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

static int write_frame(int pipe, const struct raster *raster) {
    const struct timespec at_once = {0, 0};
    sigset_t broken, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    const int result = write_all(pipe, raster->pixels,
                                 (size_t)raster->width * (size_t)raster->height * sizeof *raster->pixels);
    while (result != 0 && sigtimedwait(&broken, NULL, &at_once) < 0 && errno == EINTR) {}
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

int clip_add(struct clip *clip, const struct raster *raster, double now_ms) {
    assert(clip != NULL && raster != NULL);
    const double step_ms = 1000.0 / CLIP_FPS;
    if (raster->width != clip->width || raster->height != clip->height) {
        return -1;
    }
    if (clip->next_ms < 0.0 || now_ms - clip->next_ms > 1000.0) {
        clip->next_ms = now_ms; /* after a stall of the viewer the clip goes on, it does not stand */
    }
    for (; clip->next_ms <= now_ms; clip->next_ms += step_ms) {
        if (write_frame(clip->pipe, raster) != 0) {
            return -1;
        }
    }
    return 0;
}

int clip_stop(struct clip *clip, struct failure *failure) {
    int status = 0;
    if (clip == NULL) {
        return 0;
    }
    close(clip->pipe);
    while (waitpid(clip->process, &status, 0) < 0 && errno == EINTR) {}
    free(clip);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL,
                           "ffmpeg could not make the clip (its reason is on stderr)");
    }
    return 0;
}
