/* See seconds_writer.h. */
#include "server/storage/seconds_writer.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/protocol/message_seconds.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/storage/disk_file.h"

enum {
    READ_BYTES = 256 * 1024,
    LINE_BYTES = 256 * 1024 * 1024,
    INDEX_BYTES = 1024 * 1024,
    NAME_BYTES = 64,
    GRACE =
        10, /* files stay for so many seconds after the index left them out: somebody may have an old one */
    POLL_MS = 100,
    AGAIN_MS = 1000,
};

static const double second_ms = 1000.0;

/* The second that is being written. */
struct part {
    int descriptor; /* -1: there is none */
    int error;      /* errno of the first write that failed; 0 */
    bool has_key, has_scenario;
    double clock_ms;   /* of its first frame; < 0 before that */
    uint64_t begun_ns; /* since when it is open */
};

struct seconds_writer {
    char folder[DISK_FILE_PATH - NAME_BYTES];
    int lock; /* the folder's descriptor */
    uint32_t keep;
    enum seconds_layout layout;
    pthread_t thread;
    atomic_bool is_stopping;
    atomic_int offered; /* the server's end of a socket pair, to be taken; -1 */
    atomic_uint_least64_t latest, written, left_out;
    atomic_bool has_failed;
    /* the thread's own */
    int socket;
    struct buffer input;         /* of which no line is whole */
    struct buffer key, scenario; /* the last key line; the members of the last scenario, as text */
    bool is_new_world;           /* the next second begins with the scenario line, */
    bool is_new_scenario;        /* and gets a file of the scenario */
    bool wants_scenario,
        is_described; /* something in it has changed; the next scenario line is the answer to that */
    bool is_density;
    struct part part;
    struct message_seconds index;
    uint64_t oldest; /* second of the folder */
};

/* ---- files ---- */

static void path_of(const struct seconds_writer *writer, const char *prefix, uint64_t number,
                    const char *ending, char path[DISK_FILE_PATH]) {
    (void)snprintf(path, DISK_FILE_PATH, "%s/%s%" PRIu64 "%s", writer->folder, prefix, number, ending);
}

/* 0, or an errno. */
static int open_new(const char *path, int *descriptor) {
    *descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (*descriptor < 0) {
        return errno;
    }
    (void)fchmod(*descriptor, 0644); /* whatever the umask is: they are there to be served */
    return 0;
}

/* Closes the file and, when nothing went wrong, gives it its name; otherwise it is removed. 0, or an errno. */
static int close_file(int descriptor, int error, const char *part, const char *path) {
    error = error != 0 ? error : disk_file_sync(descriptor);
    if (close(descriptor) != 0 && error == 0 && errno != EINTR) {
        error = errno;
    }
    if (error == 0 && rename(part, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        (void)unlink(part);
    }
    return error;
}

static int write_file(const struct buffer *bytes, const char *part, const char *path) {
    int descriptor = -1;
    int error = bytes->failed ? ENOMEM : open_new(part, &descriptor);
    return error != 0
               ? error
               : close_file(descriptor, disk_file_write(descriptor, bytes->data, bytes->length), part, path);
}

static void remove_number(const struct seconds_writer *writer, uint64_t number) {
    char path[DISK_FILE_PATH];
    path_of(writer, "", number, ".ndjson", path);
    (void)unlink(path);
}

static void remove_scenario(struct seconds_writer *writer, uint64_t number) {
    char path[DISK_FILE_PATH];
    path_of(writer, "scenario-", number, ".json", path);
    (void)unlink(path);
}

/* ---- the index ---- */

static int write_index(struct seconds_writer *writer, bool has_ended) {
    char part[DISK_FILE_PATH], path[DISK_FILE_PATH];
    struct buffer out;
    buffer_init(&out, INDEX_BYTES);
    writer->index.latest = atomic_load(&writer->latest);
    writer->index.layout = writer->is_density ? 1 : 0;
    writer->index.has_ended = has_ended;
    writer->index.written = (uint64_t)time(NULL);
    message_seconds_write(&writer->index, &out);
    (void)snprintf(part, sizeof part, "%s/index.json" WHOLE_FILE_PART, writer->folder);
    (void)snprintf(path, sizeof path, "%s/index.json", writer->folder);
    const int error = write_file(&out, part, path);
    buffer_fini(&out);
    return error;
}

/* What is older than the index says, and was for a while. */
static void prune(struct seconds_writer *writer) {
    int gone = 0;
    for (; writer->oldest + GRACE < writer->index.first; writer->oldest++) {
        remove_number(writer, writer->oldest);
    }
    while (gone + 1 < writer->index.scenario_count && writer->index.scenarios[gone + 1] <= writer->oldest) {
        remove_scenario(writer, writer->index.scenarios[gone++]);
    }
    writer->index.scenario_count -= gone;
    memmove(writer->index.scenarios, writer->index.scenarios + gone,
            (size_t)writer->index.scenario_count * sizeof *writer->index.scenarios);
}

/* What a server before left: it goes on behind the newest second, named or not. */
static void read_index(struct seconds_writer *writer, uint64_t newest) {
    char path[DISK_FILE_PATH], *text = calloc(1, INDEX_BYTES + 1);
    struct message_seconds left;
    struct failure failure = {0};
    (void)snprintf(path, sizeof path, "%s/index.json", writer->folder);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (text != NULL && descriptor >= 0 && read(descriptor, text, INDEX_BYTES) > 0 &&
        message_seconds_read(text, &left, &failure) == 0) {
        newest = left.latest > newest ? left.latest : newest;
        writer->index.first = left.first;
        writer->index.scenario_count = left.scenario_count;
        memcpy(writer->index.scenarios, left.scenarios, sizeof left.scenarios);
    }
    if (writer->index.scenario_count == 0 || writer->index.first > newest) {
        writer->index.first = newest + 1; /* nothing can be joined */
    }
    atomic_store(&writer->latest, newest);
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    free(text);
}

/* "1764370000.ndjson" */
static bool is_second(const char *name, uint64_t *number) {
    char *end = NULL;
    *number = strtoull(name, &end, 10);
    return name[0] >= '1' && name[0] <= '9' && strcmp(end, ".ndjson") == 0;
}

/* Numbers, the index, and what a crash or an older index has left. 0, or an errno. */
static int read_folder(struct seconds_writer *writer) {
    uint64_t newest = 0, number = 0;
    DIR *folder = opendir(writer->folder);
    if (folder == NULL) {
        return errno;
    }
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        newest = is_second(entry->d_name, &number) && number > newest ? number : newest;
    }
    read_index(writer, newest);
    if (atomic_load(&writer->latest) == 0) {
        atomic_store(&writer->latest,
                     (uint64_t)time(NULL) - 1); /* no name is used twice, whatever was removed */
        writer->index.first = atomic_load(&writer->latest) + 1;
    }
    rewinddir(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (is_second(entry->d_name, &number) && number < writer->index.first) {
            remove_number(writer, number);
        }
    }
    writer->oldest = writer->index.first;
    (void)closedir(folder);
    return 0;
}

/* ---- a second ---- */

static void put(struct seconds_writer *writer, const char *bytes, size_t length) {
    if (writer->part.error == 0) {
        writer->part.error = disk_file_write(writer->part.descriptor, bytes, length);
    }
}

static void put_line(struct seconds_writer *writer, const char *line, size_t length) {
    put(writer, line, length);
    put(writer, "\n", 1);
}

static void part_path(const struct seconds_writer *writer, char path[DISK_FILE_PATH]) {
    (void)snprintf(path, DISK_FILE_PATH, "%s/second" WHOLE_FILE_PART, writer->folder);
}

static void begin(struct seconds_writer *writer) {
    char path[DISK_FILE_PATH];
    if (writer->part.descriptor >= 0) {
        return;
    }
    writer->part = (struct part){.descriptor = -1, .clock_ms = -1.0, .begun_ns = clock_now_ns()};
    part_path(writer, path);
    writer->part.error = open_new(path, &writer->part.descriptor);
    if (writer->part.error != 0) { /* the second takes place, and is left out */
        writer->part.descriptor = writer->lock;
    }
    if (writer->is_new_world) {
        put(writer, "{\"op\":\"scenario\",", 17);
        put(writer, writer->scenario.data, writer->scenario.length);
        put(writer, "}\n", 2);
        writer->part.has_scenario = true;
        writer->is_new_world = false;
    }
}

static int write_scenario(struct seconds_writer *writer, uint64_t number) {
    char part[DISK_FILE_PATH], path[DISK_FILE_PATH];
    struct buffer out;
    buffer_init(&out, LINE_BYTES);
    buffer_append_text(
        &out, "{\"op\":\"hello\",\"protocol\":1,\"server\":\"static seconds\",\"session\":1,\"tick\":0,"
              "\"time\":0,\"paused\":false,\"role\":\"viewer\",\"scenario\":{");
    buffer_append(&out, writer->scenario.data, writer->scenario.length);
    buffer_append_text(&out, "}}\n");
    (void)snprintf(part, sizeof part, "%s/scenario" WHOLE_FILE_PART, writer->folder);
    path_of(writer, "scenario-", number, ".json", path);
    const int error = write_file(&out, part, path);
    buffer_fini(&out);
    return error;
}

static void leave_out(struct seconds_writer *writer, int error) {
    writer->is_new_world = writer->is_new_world || writer->part.has_scenario;
    atomic_fetch_add(&writer->left_out, 1);
    if (!atomic_exchange(&writer->has_failed, true)) {
        log_write(LOG_ERROR, "seconds", "%s: %s: seconds are left out until it can be written again",
                  writer->folder, strerror(error));
    }
}

static void note_success(struct seconds_writer *writer) {
    atomic_fetch_add(&writer->written, 1);
    if (atomic_exchange(&writer->has_failed, false)) {
        log_write(LOG_INFO, "seconds", "%s: can be written again; %" PRIu64 " seconds were left out",
                  writer->folder, atomic_load(&writer->left_out));
    }
}

static void add_scenario(struct seconds_writer *writer, uint64_t number) {
    if (writer->index.scenario_count ==
        MESSAGE_SECONDS_SCENARIOS) { /* those who begin so far back do without its changes */
        remove_scenario(writer, writer->index.scenarios[1]);
        memmove(writer->index.scenarios + 1, writer->index.scenarios + 2,
                (MESSAGE_SECONDS_SCENARIOS - 2) * sizeof *writer->index.scenarios);
        writer->index.scenario_count--;
    }
    writer->index.scenarios[writer->index.scenario_count++] = number;
    writer->is_new_scenario = false;
}

static void subscribe(struct seconds_writer *writer);

/* The second has its name, and then the index has it. */
static void finish(struct seconds_writer *writer) {
    char part[DISK_FILE_PATH], path[DISK_FILE_PATH];
    const uint64_t number = atomic_load(&writer->latest) + 1;
    const int descriptor = writer->part.descriptor;
    if (descriptor < 0) {
        return;
    }
    writer->part.descriptor = -1;
    part_path(writer, part);
    path_of(writer, "", number, ".ndjson", path);
    int error = descriptor == writer->lock ? writer->part.error : 0;
    error = error != 0 ? error : close_file(descriptor, writer->part.error, part, path);
    if (error == 0 && writer->is_new_scenario) {
        error = write_scenario(writer, number);
        if (error != 0) {
            remove_number(writer, number); /* no index has named it */
        }
    }
    if (error != 0) {
        leave_out(writer, error);
        return;
    }
    if (writer->is_new_scenario) {
        add_scenario(writer, number);
    }
    atomic_store(&writer->latest, number);
    writer->index.first =
        number - writer->index.first >= writer->keep ? number - writer->keep + 1 : writer->index.first;
    error = write_index(writer, false);
    if (error != 0) { /* the next one names this second as well */
        leave_out(writer, error);
        return;
    }
    note_success(writer);
    prune(writer);
    if (writer->wants_scenario) {
        subscribe(writer);
    }
}

/* ---- lines ---- */

static bool begins(const char *line, size_t length, const char *with) {
    return length >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* The number after the last such word of a line, which is near its end; -1 when there is none. line: ends with a NUL. */
static double last_number(const char *line, size_t length, const char *word) {
    const char *from = line + (length > 128 ? length - 128 : 0);
    double value = -1.0;
    for (const char *next = strstr(from, word); next != NULL; next = strstr(next + 1, word)) {
        value = message_seconds_decimal(next + strlen(word));
    }
    return value;
}

static void take_frame(struct seconds_writer *writer, const char *line, size_t length) {
    const double clock_ms = last_number(line, length, "\"clock\":");
    struct part *part = &writer->part;
    if (part->descriptor >= 0 && part->clock_ms >= 0.0 && clock_ms - part->clock_ms >= second_ms) {
        finish(writer);
    }
    begin(writer);
    part->clock_ms = part->clock_ms < 0.0 ? clock_ms : part->clock_ms;
    if (!writer->is_density && !part->has_key) {
        put(writer, writer->key.data, writer->key.length);
        part->has_key = true;
    }
    put_line(writer, line, length);
    writer->index.clock_ms = clock_ms < 0.0 ? 0.0 : clock_ms;
}

/* How many agents the scenario says there are. */
static double count_agents(const struct buffer *scenario) {
    static const char word[] = "\"count\":";
    const char *kinds = scenario->data != NULL ? strstr(scenario->data, "\"kinds\":[") : NULL;
    const char *end = kinds != NULL ? strchr(kinds, ']') : NULL;
    double agents = 0.0;
    for (const char *at = kinds; at != NULL && end != NULL && at < end; at = strstr(at + 1, word)) {
        agents += at == kinds ? 0.0 : message_seconds_decimal(at + strlen(word));
    }
    return agents;
}

static void subscribe(struct seconds_writer *writer) {
    char line[160];
    const double agents = count_agents(&writer->scenario);
    const int hz = agents > SECONDS_BRISK_AGENTS ? 10 : 30;
    writer->wants_scenario = false;
    writer->is_density = writer->is_density || writer->layout == SECONDS_DENSITY ||
                         (writer->layout == SECONDS_AUTO && agents > SECONDS_MOST_AGENTS);
    (void)snprintf(line, sizeof line,
                   writer->is_density ? "{\"op\":\"subscribe\",\"id\":1,\"layout\":\"density\",\"grid\":[128,"
                                        "72],\"by_kind\":true,\"hz\":%d}\n"
                                      : "{\"op\":\"subscribe\",\"id\":1,\"layout\":\"packed\",\"hz\":%d}\n",
                   hz);
    (void)send(writer->socket, line, strlen(line),
               MSG_NOSIGNAL); /* an end of the connection is noticed by reading */
}

/* text: the members of a scenario, with their last brace. */
static void take_scenario(struct seconds_writer *writer, const char *text, size_t length, bool is_new_world) {
    buffer_clear(&writer->scenario);
    buffer_append(&writer->scenario, text, length - 1);
    writer->is_new_scenario = true;
    writer->is_new_world = writer->is_new_world || is_new_world;
}

static void take_hello(struct seconds_writer *writer, const char *line, size_t length) {
    static const char word[] = "\"scenario\":{";
    const char *at = strstr(line, word), *speed = strstr(line, "\"speed\":");
    if (at == NULL) {
        return;
    }
    writer->index.is_paused = strstr(line, "\"paused\":true") != NULL;
    writer->index.speed =
        speed != NULL && speed < at ? message_seconds_decimal(speed + strlen("\"speed\":")) : 1.0;
    at += sizeof word - 1;
    take_scenario(writer, at, length - (size_t)(at - line) - 1, true);
    writer->is_density = false;
    subscribe(writer);
}

/* Another world: its seconds begin with its scenario. */
static void take_world(struct seconds_writer *writer, const char *line, size_t length) {
    static const char word[] = "{\"op\":\"scenario\",";
    const bool is_other = !writer->is_described, was_density = writer->is_density;
    const size_t head = sizeof word - 1;
    if (is_other) {
        finish(writer);
        buffer_clear(&writer->key);
    }
    take_scenario(writer, line + head, length - head, is_other);
    if (is_other) {
        const bool is_large = count_agents(&writer->scenario) > SECONDS_MOST_AGENTS;
        writer->is_density = false;
        if (is_large || was_density) {
            subscribe(writer);
        }
    }
}

/* The event is one of those with these names, which have blanks around them. */
static bool is_one_of(const char *name, const char *names) {
    char word[32] = " ";
    const size_t length = strcspn(name, "\"");
    if (length + 3 > sizeof word) {
        return false;
    }
    memcpy(word + 1, name, length);
    memcpy(word + 1 + length, " ", 2);
    return strstr(names, word) != NULL;
}

static void take_event(struct seconds_writer *writer, const char *line, size_t length) {
    static const char word[] = "{\"op\":\"event\",\"event\":\"";
    const char *name = line + sizeof word - 1;
    if (!begins(line, length, word) || is_one_of(name, " lag unknown unheeded stepping withdrawn ")) {
        return; /* of this session alone */
    }
    begin(writer);
    put_line(writer, line, length);
    if (is_one_of(name,
                  " target_added target_removed obstacle_added obstacle_moved obstacle_set obstacle_removed "
                  "flow_field ")) {
        writer->wants_scenario = true;
    } else if (is_one_of(name, " speed ")) {
        const double speed = last_number(line, length, "\"speed\":");
        writer->index.speed = speed < 0.0 ? 1.0 : speed;
    } else if (is_one_of(name, " resumed ")) {
        writer->index.is_paused = false;
    } else if (is_one_of(name, " paused ")) {
        writer->index.is_paused = true;
        finish(writer); /* nothing more may come: those who watch get all of it now */
    }
}

static void take_error(struct seconds_writer *writer, const char *line) {
    if (!writer->is_density &&
        writer->layout == SECONDS_AUTO) { /* a world in stripes, or the memory of frames */
        writer->is_density = true;
        subscribe(writer);
    } else {
        log_write(LOG_WARN, "seconds", "no frames: %.300s", line);
    }
}

/* line: without its newline, with a NUL instead. */
static void take_line(struct seconds_writer *writer, const char *line, size_t length) {
    if (begins(line, length, "{\"op\":\"delta\"") || begins(line, length, "{\"op\":\"density\"")) {
        take_frame(writer, line, length);
    } else if (begins(line, length, "{\"op\":\"key\"")) {
        buffer_clear(&writer->key);
        buffer_append(&writer->key, line, length);
        buffer_append(&writer->key, "\n", 1);
        writer->part.has_key = false;
    } else if (begins(line, length, "{\"op\":\"event\"")) {
        take_event(writer, line, length);
    } else if (begins(line, length, "{\"op\":\"scenario\"")) {
        take_world(writer, line, length);
    } else if (begins(line, length, "{\"op\":\"hello\"")) {
        take_hello(writer, line, length);
    } else if (begins(line, length, "{\"op\":\"error\"")) {
        take_error(writer, line);
    }
    writer->is_described = begins(line, length, "{\"op\":\"reply\",\"to\":\"subscribe\"");
}

/* ---- the thread ---- */

static void take_lines(struct seconds_writer *writer, size_t fresh) {
    char *data = writer->input.data, *line = data, *end = data + writer->input.length;
    char *newline = memchr(end - fresh, '\n', fresh);
    while (newline != NULL) {
        *newline = '\0';
        take_line(writer, line, (size_t)(newline - line));
        line = newline + 1;
        newline = memchr(line, '\n', (size_t)(end - line));
    }
    writer->input.length = (size_t)(end - line);
    memmove(data, line, writer->input.length);
}

/* Whether the connection is still there. */
static bool read_some(struct seconds_writer *writer) {
    char *room = buffer_reserve(&writer->input, READ_BYTES);
    const ptrdiff_t count = room != NULL ? recv(writer->socket, room, READ_BYTES, 0) : 0;
    if (count <= 0) {
        return count < 0 && errno == EINTR;
    }
    buffer_commit(&writer->input, (size_t)count);
    take_lines(writer, (size_t)count);
    return true;
}

static void serve(struct seconds_writer *writer) {
    bool is_there = true;
    while (is_there) {
        struct pollfd source = {.fd = writer->socket, .events = POLLIN};
        if (poll(&source, 1, POLL_MS) > 0) {
            is_there = read_some(writer);
        } else if (writer->part.descriptor >= 0 &&
                   clock_now_ns() - writer->part.begun_ns > (uint64_t)(second_ms * 1.5e6)) {
            finish(writer); /* nothing more comes: the world is paused, or a tick takes long */
        }
        const int offered = atomic_load(&writer->is_stopping) ? atomic_exchange(&writer->offered, -1) : -1;
        if (offered >= 0) { /* nobody took it */
            (void)close(offered);
        }
    }
    finish(writer);
}

static void *run(void *context) {
    struct seconds_writer *writer = context;
    while (!atomic_load(&writer->is_stopping)) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
            writer->socket = ends[0];
            atomic_store(&writer->offered, ends[1]);
            serve(writer);
            (void)close(writer->socket);
        }
        buffer_clear(&writer->input);
        buffer_clear(&writer->key);
        for (int i = 0; i < AGAIN_MS / POLL_MS && !atomic_load(&writer->is_stopping); i++) {
            (void)poll(NULL, 0, POLL_MS);
        }
    }
    if (atomic_load(&writer->written) > 0) {
        (void)write_index(writer, true);
    }
    return NULL;
}

/* ---- all others ---- */

static void free_writer(struct seconds_writer *writer) {
    if (writer->lock >= 0) {
        (void)close(writer->lock);
    }
    buffer_fini(&writer->input);
    buffer_fini(&writer->key);
    buffer_fini(&writer->scenario);
    free(writer);
}

/* 0, or an errno; EWOULDBLOCK: another server has it. */
static int open_folder(struct seconds_writer *writer) {
    if (mkdir(writer->folder, 0755) == 0) {
        (void)chmod(writer->folder, 0755);
    } else if (errno != EEXIST) {
        return errno;
    }
    writer->lock = open(writer->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (writer->lock < 0 || flock(writer->lock, LOCK_EX | LOCK_NB) != 0 ||
        faccessat(writer->lock, ".", W_OK | X_OK, 0) != 0) {
        return errno;
    }
    return read_folder(writer);
}

static int begin_thread(struct seconds_writer *writer) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&writer->thread, NULL, run, writer);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

struct seconds_writer *seconds_writer_create(const char *folder, uint32_t keep, enum seconds_layout layout,
                                             struct failure *failure) {
    struct seconds_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, "--seconds", "out of memory");
        return NULL;
    }
    (void)snprintf(writer->folder, sizeof writer->folder, "%s", folder);
    writer->lock = writer->part.descriptor = -1;
    writer->keep = keep;
    writer->layout = layout;
    writer->index = message_seconds_empty();
    atomic_init(&writer->offered, -1);
    buffer_init(&writer->input, LINE_BYTES);
    buffer_init(&writer->key, LINE_BYTES);
    buffer_init(&writer->scenario, LINE_BYTES);
    int error = open_folder(writer);
    error = error != 0 ? error : begin_thread(writer);
    if (error != 0) {
        (void)failure_set(failure, error == EWOULDBLOCK ? FAILURE_IN_USE : FAILURE_IO, "--seconds",
                          "--seconds %.200s: %s", folder,
                          error == EWOULDBLOCK ? "another server writes its seconds there" : strerror(error));
        free_writer(writer);
        return NULL;
    }
    return writer;
}

int seconds_writer_take_socket(struct seconds_writer *writer) {
    return atomic_exchange(&writer->offered, -1);
}

struct seconds_status seconds_writer_status(const struct seconds_writer *writer) {
    return (struct seconds_status){.latest = atomic_load(&writer->latest),
                                   .written = atomic_load(&writer->written),
                                   .left_out = atomic_load(&writer->left_out),
                                   .has_failed = atomic_load(&writer->has_failed)};
}

void seconds_writer_destroy(struct seconds_writer *writer) {
    if (writer != NULL) {
        atomic_store(&writer->is_stopping, true);
        (void)pthread_join(writer->thread, NULL);
        free_writer(writer);
    }
}
