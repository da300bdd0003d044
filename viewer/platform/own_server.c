/* See own_server.h. Between fork and exec the child only makes system calls: other threads of the viewer may hold
 * locks at that moment. The server writes its log into a file without a name, whose last line says why it ended. */
#include "viewer/platform/own_server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "common/system/clock.h"

enum { LINE_BYTES = 512, LOG_TAIL_BYTES = 2048, STOP_PATIENCE_MS = 3000 };

struct own_server {
    pid_t process;
    int out;    /* the reading end of its stdout */
    int signal; /* that ended it; 0 for none */
    FILE *log;  /* what it writes to stderr */
};

/* ---- which file, which program ---- */

static bool ends_in(const char *text, const char *ending) {
    const size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0;
}

bool recording_is_named(const char *argument) {
    static const char text[] = "{\"op\":\"drover\"", packed[] = "\x28\xb5\x2f\xfd";
    char begin[sizeof text] = "";
    struct stat about;
    if (ends_in(argument, ".drover") || ends_in(argument, ".drover.zst")) {
        return true;
    }
    if (stat(argument, &about) != 0 || !S_ISREG(about.st_mode)) {
        return false;
    }
    const int file = open(argument, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t count = file >= 0 ? read(file, begin, sizeof text - 1) : -1;
    if (file >= 0) {
        close(file);
    }
    return (count == (ssize_t)(sizeof text - 1) && memcmp(begin, text, sizeof text - 1) == 0) ||
           (count >= 4 && memcmp(begin, packed, 4) == 0);
}

bool file_is_meant(const char *argument) {
    struct stat about;
    const char *dot = strrchr(argument, '.');
    const bool has_ending = dot != NULL && (strncmp(dot, ".dro", 4) == 0 || strcmp(dot, ".zst") == 0);
    return strchr(argument, '/') != NULL || has_ending ||
           (stat(argument, &about) == 0 && S_ISREG(about.st_mode));
}

bool file_is_there(const char *name) {
    return access(name, F_OK) == 0;
}

const char *own_folder(char *out, size_t size) {
    if (getcwd(out, size) == NULL) {
        out[0] = '\0';
    }
    return out;
}

/* Whether DIRECTORY/drover-server can be run; its path then is in `path`. */
static bool is_in(const char *directory, size_t length, char *path, size_t size) {
    struct stat about;
    const int written = snprintf(path, size, "%.*s/drover-server", (int)length, directory);
    return length > 0 && written > 0 && (size_t)written < size && stat(path, &about) == 0 &&
           S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

int own_server_find(char *path, size_t size, struct failure *failure) {
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length > 0) {
        own[length] = '\0';
        const char *slash = strrchr(own, '/');
        if (slash != NULL && is_in(own, (size_t)(slash - own), path, size)) {
            return 0;
        }
    }
    const char *rest = getenv("PATH");
    while (rest != NULL && *rest != '\0') {
        const size_t part = strcspn(rest, ":");
        if (is_in(rest, part, path, size)) {
            return 0;
        }
        rest += part + (rest[part] == ':' ? 1 : 0);
    }
    return failure_set(
        failure, FAILURE_INTERNAL, NULL,
        "a recording is played by drover-server, which is neither beside drover-viewer nor in PATH");
}

/* ---- the process ---- */

/* The child: never returns. */
static void run(const char *program, const char *recording, pid_t parent, int out, int log) {
    const int nothing = open("/dev/null", O_RDONLY);
    /* the viewer may have ended before prctl: then the process has another parent */
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent && nothing >= 0 &&
        dup2(nothing, 0) == 0 && dup2(out, 1) == 1 && dup2(log, 2) == 2) {
        execl(program, program, "--replay", recording, "--port", "0", "--listen", "127.0.0.1", (char *)NULL);
    }
    _exit(127);
}

/* The last line of the server's log, without the program's name before it; "" when there is none. */
static void read_last_line(FILE *file, char *line, size_t size) {
    char text[LOG_TAIL_BYTES + 1];
    const int log = fileno(file);
    const off_t end = lseek(log, 0, SEEK_END);
    const off_t begin = end > LOG_TAIL_BYTES ? end - LOG_TAIL_BYTES : 0;
    ssize_t count = end > 0 ? pread(log, text, LOG_TAIL_BYTES, begin) : 0;
    while (count > 0 && text[count - 1] == '\n') {
        count--;
    }
    text[count > 0 ? count : 0] = '\0';
    const char *last = strrchr(text, '\n');
    last = last != NULL ? last + 1 : text;
    static const char name[] = "drover-server: ";
    last += strncmp(last, name, sizeof name - 1) == 0 ? sizeof name - 1 : 0;
    (void)snprintf(line, size, "%.*s", (int)size - 1, last);
}

/* Reads the first line of the server's stdout. False when the server ended or was too slow. */
static bool read_line(int out, int patience_ms, char *line, size_t size) {
    const uint64_t deadline = clock_now_ns() + (uint64_t)patience_ms * 1000000u;
    size_t used = 0;
    while (used + 1 < size) {
        const uint64_t now = clock_now_ns();
        struct pollfd wait = {.fd = out, .events = POLLIN};
        const int ready = now < deadline ? poll(&wait, 1, (int)((deadline - now) / 1000000u) + 1) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        const ssize_t count = ready > 0 ? read(out, line + used, 1) : 0;
        if (count <= 0) {
            return false;
        }
        if (line[used] == '\n') {
            line[used] = '\0';
            return true;
        }
        used++;
    }
    return false;
}

static int take_address(const char *line, struct address *address, struct failure *failure) {
    static const char start[] = "drover-server listening on ";
    if (strncmp(line, start, sizeof start - 1) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "drover-server named no address, but said: %s",
                           line);
    }
    return address_parse(line + sizeof start - 1, address, failure);
}

/* Waits for the address. -1 with *failure. */
static int await(const struct own_server *server, const char *recording, int patience_ms,
                 struct address *address, struct failure *failure) {
    char line[LINE_BYTES], reason[LINE_BYTES];
    if (read_line(server->out, patience_ms, line, sizeof line)) {
        return take_address(line, address, failure);
    }
    read_last_line(server->log, reason, sizeof reason);
    const bool names_it = strstr(reason, recording) != NULL;
    return failure_set(failure, FAILURE_INTERNAL, NULL, "%s%s%s", names_it ? "" : recording,
                       names_it ? "" : ": ",
                       reason[0] != '\0' ? reason : "drover-server did not begin to play it");
}

static int open_ends(int ends[2], FILE **log) {
    *log = tmpfile();
    if (*log == NULL || pipe(ends) != 0) {
        if (*log != NULL) {
            (void)fclose(*log);
        }
        return -1;
    }
    (void)fcntl(fileno(*log), F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

struct own_server *own_server_start(const char *program, const char *recording, int patience_ms,
                                    struct address *address, struct failure *failure) {
    int ends[2];
    FILE *log = NULL;
    char path[PATH_MAX + 2]; /* a name may begin as an option does */
    (void)snprintf(path, sizeof path, "%s%s", recording[0] == '-' ? "./" : "", recording);
    if (access(path, R_OK) != 0) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "%s: %s", recording, strerror(errno));
        return NULL;
    }
    struct own_server *server = calloc(1, sizeof *server);
    if (server == NULL || open_ends(ends, &log) != 0) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory or files");
        free(server);
        return NULL;
    }
    const pid_t parent = getpid();
    *server = (struct own_server){.process = fork(), .out = ends[0], .log = log};
    if (server->process == 0) {
        run(program, path, parent, ends[1], fileno(log));
    }
    close(ends[1]);
    if (server->process < 0) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start %s: %s", program, strerror(errno));
    } else if (await(server, recording, patience_ms, address, failure) == 0) {
        return server;
    }
    own_server_stop(server);
    return NULL;
}

/* Whether the process ended within this time. */
static bool ends_within(pid_t process, int patience_ms) {
    const struct timespec pause = {0, 10 * 1000000};
    for (int waited = 0; waited <= patience_ms; waited += 10) {
        const pid_t ended = waitpid(process, NULL, WNOHANG);
        if (ended == process || (ended < 0 && errno != EINTR)) {
            return true;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

bool own_server_has_ended(struct own_server *server, char *reason, size_t size) {
    int status = 0;
    if (server->process > 0 && waitpid(server->process, &status, WNOHANG) == server->process) {
        server->process = 0;
        server->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    if (server->process > 0) {
        return false;
    }
    char line[LINE_BYTES];
    read_last_line(server->log, line, sizeof line);
    if (server->signal != 0) {
        (void)snprintf(reason, size, "signal %d ended it%s%.300s", server->signal,
                       line[0] != '\0' ? " after: " : "", line);
    } else {
        (void)snprintf(reason, size, "%s", line);
    }
    return true;
}

void own_server_stop(struct own_server *server) {
    if (server == NULL) {
        return;
    }
    if (server->process > 0) {
        (void)kill(server->process, SIGTERM);
        if (!ends_within(server->process, STOP_PATIENCE_MS)) {
            (void)kill(server->process, SIGKILL);
            while (waitpid(server->process, NULL, 0) < 0 && errno == EINTR) {}
        }
    }
    close(server->out);
    (void)fclose(server->log);
    free(server);
}
