/* See run_folder.h. */
#include "clients/drover/run/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/drover/run/run_file.h"
#include "common/json/json_writer.h"
#include "common/system/regular_file.h"
#include "server/sim/core.h"

#define PLAN_NAME "plan.ndjson"
enum { LOCK_TRIES = 50, LOCK_WAIT_MS = 100, PLAN_FORMAT = 1 };
static const size_t PLAN_BYTES = (size_t)1 << 30;

/* ---- what the plan says ---- */

static struct json_writer begin_line(struct buffer *out, const char *op) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", op);
    return json;
}

static void end_line(struct json_writer *json, struct buffer *out) {
    json_end(json);
    buffer_append_text(out, "\n");
}

static void write_origin(const struct run_origin *origin, struct buffer *out) {
    struct json_writer json = begin_line(out, "scenario");
    json_key_string(&json, "name", origin->scenario);
    if (origin->is_saved) {
        json_key_unsigned(&json, "from_tick", origin->from_tick);
        json_key(&json, "hash");
        json_hex64(&json, origin->hash);
    }
    end_line(&json, out);
    json = begin_line(out, "text");
    json_key_string(&json, "text", origin->text);
    end_line(&json, out);
}

static void write_task(const struct run_task *task, const struct run_origin *origin, struct buffer *out) {
    struct json_writer json = begin_line(out, "length");
    json_key_unsigned(&json, "ticks", task->ticks);
    json_key_string(&json, "until", origin->until);
    json_key_unsigned(&json, "every", task->every);
    end_line(&json, out);
    json = begin_line(out, "files");
    json_key_bool(&json, "agents", task->writes_agents);
    json_key_bool(&json, "record", task->records);
    end_line(&json, out);
    json = begin_line(out, "measures");
    json_key(&json, "names");
    json_array(&json);
    for (int i = 0; i < task->columns->count; i++) {
        json_string(&json, task->columns->rows[i].name);
    }
    json_end(&json);
    end_line(&json, out);
}

static void write_run(const struct run_plan *plan, uint32_t run, struct buffer *out) {
    const double *values = run_plan_values(plan, run);
    struct json_writer json = begin_line(out, "run");
    json_key_unsigned(&json, "run", run + 1);
    json_key_unsigned(&json, "seed", plan->seeds[run]);
    for (int i = 0; i < plan->parameter_count; i++) {
        if (!isnan(values[i])) {
            json_key_number(&json, plan->parameters[i].name, values[i]);
        }
    }
    end_line(&json, out);
}

void run_plan_write(const struct run_task *task, const struct run_origin *origin, struct buffer *out) {
    struct json_writer json = begin_line(out, "plan");
    json_key_unsigned(&json, "format", PLAN_FORMAT);
    json_key_string(&json, "program", "drover " DROVER_VERSION);
    end_line(&json, out);
    json = begin_line(out, "core");
    json_key_unsigned(&json, "core", CORE_NUMBER);
    end_line(&json, out);
    write_origin(origin, out);
    write_task(task, origin, out);
    for (uint32_t run = 0; run < task->plan->count; run++) {
        write_run(task->plan, run, out);
    }
}

/* ---- the folder ---- */

static int fail(const char *path, int error, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "%.250s: %s", path, strerror(error));
}

/* Whether the folder has a plan, or another file. What a crash left of a plan is nothing. */
static int look_into(const char *folder, bool *has_plan, bool *has_more, struct failure *failure) {
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return fail(folder, errno, failure);
    }
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, PLAN_NAME) == 0) {
            *has_plan = true;
        } else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
                   strcmp(name, PLAN_NAME ".part") != 0) {
            *has_more = true;
        }
    }
    (void)closedir(entries);
    return 0;
}

static int check(const char *folder, bool is_resumed, struct failure *failure) {
    bool has_plan = false, has_more = false;
    if (look_into(folder, &has_plan, &has_more, failure) != 0) {
        return -1;
    }
    if (!is_resumed && has_plan) {
        return failure_set(failure, FAILURE_EXISTS, "--out",
                           "--out: %.250s has results already; --resume goes on with them, another folder "
                           "starts from the beginning",
                           folder);
    }
    if (!has_plan && has_more) {
        return failure_set(failure, FAILURE_EXISTS, "--out",
                           "--out: %.250s has files that are not of drover run; allowed: a new or empty "
                           "folder, or one that has " PLAN_NAME " with --resume",
                           folder);
    }
    return 0;
}

static int lock(int descriptor, const char *folder, struct interrupt *interrupt, struct failure *failure) {
    for (int i = 0; flock(descriptor, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return fail(folder, errno, failure);
        }
        if (i == LOCK_TRIES || interrupt_is_set(interrupt)) {
            return failure_set(failure, FAILURE_BUSY, "--out",
                               "--out: another drover run works in %.250s; allowed: one at a time", folder);
        }
        (void)poll(NULL, 0, LOCK_WAIT_MS);
    }
    return 0;
}

int run_folder_open(const char *folder, bool is_resumed, struct interrupt *interrupt,
                    struct failure *failure) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return fail(folder, errno, failure);
    }
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return fail(folder, errno, failure);
    }
    if (lock(descriptor, folder, interrupt, failure) != 0 || check(folder, is_resumed, failure) != 0) {
        (void)close(descriptor);
        return -1;
    }
    return descriptor;
}

/* ---- comparing ---- */

struct text {
    const char *at, *end;
};

static struct text next_line(struct text *rest) {
    const char *newline =
        rest->at < rest->end ? memchr(rest->at, '\n', (size_t)(rest->end - rest->at)) : NULL;
    const struct text line = {rest->at, newline == NULL ? rest->end : newline};
    rest->at = newline == NULL ? rest->end : newline + 1;
    return line;
}

static bool is_same(struct text a, struct text b) {
    const size_t length = (size_t)(a.end - a.at);
    return length == (size_t)(b.end - b.at) && (length == 0 || memcmp(a.at, b.at, length) == 0);
}

/* Of long lines, the part around the first difference. */
static void cut_around(struct text *a, struct text *b) {
    enum { BEFORE = 24, MOST = 90 };
    ptrdiff_t same = 0;
    while (a->at + same < a->end && b->at + same < b->end && a->at[same] == b->at[same]) {
        same++;
    }
    const ptrdiff_t first = same > MOST - BEFORE ? same - BEFORE : 0;
    a->at += first;
    b->at += first;
    a->end = a->end - a->at > MOST ? a->at + MOST : a->end;
    b->end = b->end - b->at > MOST ? b->at + MOST : b->end;
}

static int compare(const char *path, struct text old, struct text new, struct failure *failure) {
    (void)next_line(&old); /* the program */
    (void)next_line(&new);
    for (int number = 2; old.at < old.end || new.at < new.end; number++) {
        struct text was = next_line(&old), is = next_line(&new);
        if (!is_same(was, is)) {
            cut_around(&was, &is);
            return failure_set(
                failure, FAILURE_EXISTS, "--resume",
                "--resume: %.100s:%d says \"%.*s\", the command line \"%.*s\"; allowed: the same "
                "experiment",
                path, number, (int)(was.end - was.at), was.at, (int)(is.end - is.at), is.at);
        }
    }
    return 0;
}

static int write_plan(const char *folder, const struct buffer *plan, struct failure *failure) {
    struct run_file *file = calloc(1, sizeof *file);
    int result = -1;
    if (file == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (run_file_begin(file, folder, PLAN_NAME, failure) == 0) {
        buffer_append(&file->buffer, plan->data, plan->length);
        result = run_file_finish(file, failure);
    }
    free(file);
    return result;
}

int run_folder_set_plan(const char *folder, const struct buffer *plan, struct failure *failure) {
    char path[RUN_FILE_PATH];
    char reason[REGULAR_FILE_REASON];
    char *text = NULL;
    size_t length = 0;
    if (plan->failed) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    (void)snprintf(path, sizeof path, "%s/" PLAN_NAME, folder);
    switch (regular_file_read(path, PLAN_BYTES, &text, &length, reason)) {
    case REGULAR_FILE_MISSING:
        return write_plan(folder, plan, failure);
    case REGULAR_FILE_OK:
        break;
    default:
        return failure_set(failure, FAILURE_IO, NULL, "%.250s: %s", path, reason);
    }
    const int result = compare(path, (struct text){text, text + length},
                               (struct text){plan->data, plan->data + plan->length}, failure);
    free(text);
    return result;
}
