/* See run.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "clients/drover/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/drover/command.h"
#include "common/json/json_writer.h"
#include "common/protocol/message.h"
#include "common/system/clock.h"
#include "server/commands/command_apply.h"
#include "server/storage/disk_file.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

static const uint64_t BAR_NS = 100000000u;
/* The first guesses at the time left are worth nothing. */
static const double GUESS_S = 0.5;

static void run_progress_begin(struct run_progress *progress, int jobs) {
    const uint64_t now = clock_now_ns();
    *progress = (struct run_progress){
        .is_terminal = isatty(STDERR_FILENO) == 1, .jobs = jobs, .begun_ns = now, .shown_ns = now};
}

void run_progress_note(struct run_progress *progress, double seconds) {
    struct run_values *list = &progress->seconds;
    struct failure failure;
    if (run_values_add(list, seconds, &failure) != 0) {
        return; /* the median of so many is good enough */
    }
    int place = list->count - 1;
    while (place > 0 && list->values[place - 1] > seconds) {
        list->values[place] = list->values[place - 1];
        place--;
    }
    list->values[place] = seconds;
}

double run_progress_left(const struct run_progress *progress, const struct run_counts *counts,
                         double elapsed) {
    const double waiting = (double)(counts->total - counts->done - counts->failed) - counts->begun;
    if (progress->seconds.count > 0) {
        const double median = progress->seconds.values[progress->seconds.count / 2];
        const double jobs = (double)progress->jobs;
        return median * waiting / (waiting < jobs && waiting > 0.0 ? (waiting > 1.0 ? waiting : 1.0) : jobs);
    }
    return counts->begun > 0.0 && elapsed >= GUESS_S ? elapsed * waiting / counts->begun : -1.0;
}

const char *run_progress_line(char out[RUN_PROGRESS_LINE], const struct run_counts *counts, double left,
                              bool with_bar) {
    char bar[PROGRESS_BAR + 1];
    char time[PROGRESS_TIME] = "";
    char failed[24] = "";
    const double share = ((double)(counts->done + counts->failed) + counts->begun) / (double)counts->total;
    const double shown = share > 1.0 ? 1.0 : share;
    if (left >= 0.0) {
        (void)progress_time(time, left);
    }
    if (counts->failed > 0) {
        (void)snprintf(failed, sizeof failed, "  %" PRIu32 " failed", counts->failed);
    }
    (void)snprintf(out, RUN_PROGRESS_LINE, "run %" PRIu32 "/%" PRIu32 "%s%s%s %3d %%%s%s%s%s",
                   counts->done + counts->failed, counts->total, with_bar ? " [" : "",
                   with_bar ? progress_bar(bar, shown) : "", with_bar ? "]" : "", (int)(shown * 100.0),
                   left >= 0.0 ? "  " : "", time, left >= 0.0 ? " left" : "", failed);
    return out;
}

/* Shows the line again, when it is time. */
static void run_progress_show(struct run_progress *progress, const struct run_counts *counts) {
    char line[RUN_PROGRESS_LINE];
    const uint64_t now = clock_now_ns();
    const uint64_t every = progress->is_terminal ? BAR_NS : RUN_PROGRESS_EVERY_S * (uint64_t)1000000000;
    if (now - progress->shown_ns < every) {
        return;
    }
    progress->shown_ns = now;
    const double left = run_progress_left(progress, counts, (double)(now - progress->begun_ns) / 1e9);
    (void)run_progress_line(line, counts, left, progress->is_terminal);
    if (progress->is_terminal) {
        (void)fprintf(stderr, "\r%s\033[K", line);
        progress->is_shown = true;
    } else {
        (void)fprintf(stderr, "drover: %s\n", line);
    }
    (void)fflush(stderr);
}

static void run_progress_clear(struct run_progress *progress) {
    if (progress->is_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress->is_shown = false;
    }
}

void run_progress_end(struct run_progress *progress) {
    run_progress_clear(progress);
    run_values_fini(&progress->seconds);
}

/* ---- one ---- */

enum { REPLY_BYTES = 1 << 16, ROWS_AT_ONCE = 1 << 16, ROWS_LIMIT = 1 << 28 };

/* A run that goes on. Zero is one that has nothing yet. */
struct one {
    const struct run_task *task;
    struct simulation_state *state;
    struct run_report *report;
    uint32_t number;
    int part;
    struct run_meter meter;
    double *values; /* of a row */
    struct buffer rows;
    struct run_file agents, crossings;
    struct run_record record;
};

/* ---- parameters ---- */

/* What an error line says. */
static int take_error(const struct buffer *reply, const char *parameter, struct failure *failure) {
    struct message *message = malloc(sizeof *message);
    struct failure inner = {0};
    int result = failure_set(failure, FAILURE_BUSY, NULL, "%s: out of memory", parameter);
    if (message != NULL && !reply->failed && reply->length > 0 &&
        message_decode(reply->data, reply->length - 1, message, &inner) == 0) {
        const struct failure *said = &message->body.error.failure;
        if (message->op == MESSAGE_ERROR) {
            result = failure_set(failure, said->code, NULL, "%s: %s", parameter, said->message);
        }
        message_fini(message);
    }
    free(message);
    return result;
}

int run_set_parameter(struct simulation_state *state, const struct run_parameter *parameter, double value,
                      struct request *request, struct failure *failure) {
    struct request_set_param *body = &request->body.set_param;
    const char *own = run_parameter_own(parameter);
    const int kind_length = (int)(own - parameter->name) - 1;
    struct buffer reply;
    *request = (struct request){.op = REQUEST_SET_PARAM};
    body->has_kind = true;
    body->value = value;
    if (kind_length >= (int)sizeof body->kind || strlen(own) >= sizeof body->param) {
        return failure_set(failure, FAILURE_NO_PARAM, NULL, "%s: the name is too long", parameter->name);
    }
    (void)snprintf(body->kind, sizeof body->kind, "%.*s", kind_length, parameter->name);
    (void)snprintf(body->param, sizeof body->param, "%s", own);
    buffer_init(&reply, REPLY_BYTES);
    const struct command_effects effects = command_apply(state, request, 0, &reply);
    const int result = effects.seq != 0 ? 0 : take_error(&reply, parameter->name, failure);
    buffer_fini(&reply);
    return result;
}

/* Applies the parameters of a run to its world, in the order of the plan, but for paths: its scenario has them. on_set:
 * called after each. 0, or -1 with *failure. */
static int run_set_parameters(struct simulation_state *state, const struct run_plan *plan, uint32_t run,
                              void (*on_set)(void *context, const struct request *request), void *context,
                              struct failure *failure) {
    const double *values = run_plan_values(plan, run);
    struct request *request = malloc(sizeof *request);
    if (request == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    int result = 0;
    for (int i = 0; i < plan->parameter_count && result == 0; i++) {
        if (!isnan(values[i]) && !plan->parameters[i].is_path) {
            result = run_set_parameter(state, &plan->parameters[i], values[i], request, failure);
            if (result == 0) {
                on_set(context, request);
            }
        }
    }
    free(request);
    return result;
}

static void record_request(void *context, const struct request *request) {
    struct one *one = context;
    if (one->task->records) {
        run_record_request(&one->record, one->state, request);
    }
}

/* ---- rows ---- */

static int flush_rows(struct one *one, bool is_last, struct failure *failure) {
    if (one->rows.failed) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (one->rows.length > 0 && (is_last || one->rows.length >= ROWS_AT_ONCE)) {
        const int error = disk_file_write(one->part, one->rows.data, one->rows.length);
        buffer_clear(&one->rows);
        if (error != 0) {
            return failure_set(failure, FAILURE_IO, NULL, "%.200s: %s", one->task->folder, strerror(error));
        }
    }
    return 0;
}

static void write_agent(struct buffer *out, const struct world *world, uint64_t tick,
                        const struct agent_view *agent) {
    const struct kind_def *kind = world_kind(world, agent->kind);
    const float numbers[] = {agent->position.x, agent->position.y, agent->velocity.x, agent->velocity.y};
    buffer_printf(out, "%" PRIu64 ",%" PRIu32 ",%s,%s", tick, agent->id, kind->name,
                  kind->states[agent->state].name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[JSON_NUMBER_TEXT];
        (void)json_float_text(text, numbers[i]);
        buffer_printf(out, ",%s", text);
    }
    buffer_append_text(out, "\n");
}

static void write_agents(struct one *one) {
    const struct world *world = one->state->world;
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const struct agent_view agent = world_agent(world, row);
        write_agent(&one->agents.buffer, world, world_tick(world), &agent);
        run_file_flush(&one->agents);
    }
}

/* Who went through gates in the last tick. */
static int write_crossings(struct one *one, struct failure *failure) {
    const struct world *world = one->state->world;
    const struct world_crossing *crossings = NULL;
    uint64_t left_out = 0;
    const int count = world_crossings(world, &crossings, &left_out);
    if (left_out > 0) {
        return failure_set(failure, FAILURE_FULL, "--crossings",
                           "--crossings: %" PRIu64 " crossings in tick %" PRIu64 "; at most %d can be listed",
                           left_out, world_tick(world), WORLD_CROSSINGS_MAX);
    }
    for (int i = 0; i < count; i++) {
        buffer_printf(&one->crossings.buffer, "%" PRIu64 ",%s,%d,%" PRIu32 "\n", world_tick(world),
                      world_scenery(world)->def.gates[crossings[i].gate].name, crossings[i].direction,
                      crossings[i].agent);
    }
    run_file_flush(&one->crossings);
    return 0;
}

static int write_row(struct one *one, struct failure *failure) {
    const struct world *world = one->state->world;
    const struct run_columns *columns = one->task->columns;
    if (!run_meter_take(&one->meter, world, columns->rows, columns->count, one->values)) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    run_row_write(one->number, world_tick(world), one->values, columns->count, &one->rows);
    if (one->task->writes_agents) {
        write_agents(one);
    }
    return flush_rows(one, false, failure);
}

/* ---- the run ---- */

static int build(struct one *one, const struct scenario *scenario, uint64_t seed, struct failure *failure) {
    struct built_world built;
    if (built_world_make(scenario, &one->task->overrides, &seed, NULL, &built, failure) != 0) {
        return -1;
    }
    simulation_state_change(one->state, &built);
    built_world_fini(&built);
    return 0;
}

static int build_world(struct one *one, uint32_t index, struct failure *failure) {
    const struct run_task *task = one->task;
    const uint64_t seed = task->plan->seeds[index];
    struct scenario variant;
    if (task->scenario == NULL) {
        world_set_seed(one->state->world, seed);
        return 0;
    }
    if (!task->plan->has_paths) {
        return build(one, task->scenario, seed, failure);
    }
    if (run_variant_make(task->scenario, task->plan, run_plan_values(task->plan, index), &variant, failure) !=
        0) {
        return -1;
    }
    const int result = build(one, &variant, seed, failure);
    scenario_fini(&variant);
    return result;
}

static int begin_files(struct one *one, struct failure *failure) {
    char name[64];
    if (one->task->writes_agents) {
        (void)snprintf(name, sizeof name, "agents-%" PRIu32 ".csv", one->number);
        if (run_file_begin(&one->agents, one->task->folder, name, failure) != 0) {
            return -1;
        }
        buffer_append_text(&one->agents.buffer, "tick,id,kind,state,x,y,vx,vy\n");
    }
    if (one->task->writes_crossings) {
        (void)snprintf(name, sizeof name, "crossings-%" PRIu32 ".csv", one->number);
        if (run_file_begin(&one->crossings, one->task->folder, name, failure) != 0) {
            return -1;
        }
        buffer_append_text(&one->crossings.buffer, "tick,gate,direction,agent\n");
    }
    if (one->task->records) {
        (void)snprintf(name, sizeof name, "run-%" PRIu32 ".drover", one->number);
        return run_record_begin(&one->record, one->task->folder, name, one->state,
                                one->task->scenario == NULL, failure);
    }
    return 0;
}

/* Up to the last tick, with its row. */
static int go(struct one *one, struct failure *failure) {
    const struct run_task *task = one->task;
    for (uint64_t tick = 0;; tick++) {
        bool is_over = false;
        if (tick > 0) {
            simulation_state_step(one->state);
            run_meter_follow(&one->meter, one->state->world);
            atomic_store_explicit(&one->report->ticks, tick, memory_order_relaxed);
            if (task->writes_crossings && write_crossings(one, failure) != 0) {
                return -1;
            }
        }
        if (task->records && tick > 0) {
            run_record_tick(&one->record, one->state);
        }
        /* Before its first tick a world says nothing: each agent is in the first state of its list. */
        if (tick > 0 && !run_meter_ends(&one->meter, one->state->world, task->until, &is_over)) {
            return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        }
        is_over = is_over || tick == task->ticks;
        const bool is_due = is_over || (task->every > 0 && tick % task->every == 0);
        if (is_due && write_row(one, failure) != 0) {
            return -1;
        }
        if (is_over) {
            return flush_rows(one, true, failure);
        }
    }
}

static int do_run(struct one *one, uint32_t index, struct failure *failure) {
    const struct run_task *task = one->task;
    one->values = calloc((size_t)task->columns->count, sizeof *one->values);
    if (one->values == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (build_world(one, index, failure) != 0 || begin_files(one, failure) != 0 ||
        run_set_parameters(one->state, task->plan, index, record_request, one, failure) != 0 ||
        go(one, failure) != 0) {
        return -1;
    }
    one->report->tick = world_tick(one->state->world);
    one->report->hash = world_hash(one->state->world);
    if ((task->writes_agents && run_file_finish(&one->agents, failure) != 0) ||
        (task->writes_crossings && run_file_finish(&one->crossings, failure) != 0)) {
        return -1;
    }
    return task->records ? run_record_finish(&one->record, one->state, failure) : 0;
}

/* Does run `index` of the plan, counted from 0. state: with the world to begin with, or without one; it is changed. part: the
 * descriptor that rows are appended to. 0, or -1 with report->failure. */
static int run_one(const struct run_task *task, uint32_t index, struct simulation_state *state, int part,
                   struct run_report *report) {
    struct one one = {.task = task, .state = state, .report = report, .number = index + 1, .part = part};
    const uint64_t begun_ns = clock_now_ns();
    buffer_init(&one.rows, ROWS_LIMIT);
    const int result = do_run(&one, index, &report->failure);
    run_file_abandon(&one.agents);
    run_file_abandon(&one.crossings);
    run_record_abandon(&one.record);
    run_meter_fini(&one.meter);
    buffer_fini(&one.rows);
    free(one.values);
    report->seconds = rint((double)(clock_now_ns() - begun_ns) / 1e6) / 1e3;
    return result;
}

/* ---- jobs ---- */

enum { GLANCE_MS = 50, EXIT_RUN_FAILED = 3, ERROR_BYTES = 400 };

/* A process and its run. */
struct job {
    pid_t process; /* 0: none */
    int life;      /* a pipe whose other end only the process has */
    uint32_t run;  /* from 1 */
    uint64_t begun_ns;
    bool is_unsynced;          /* the part has a run that may not be on the disk yet */
    struct run_report *report; /* shared with the process */
};

struct jobs {
    const struct run_jobs_def *def;
    struct job *rows;
    struct pollfd *polls;
    struct run_report *reports; /* mapped */
    struct run_progress progress;
    struct run_counts counts;
    struct run_tally tally;
    uint32_t next; /* the run to look at next, from 0 */
};

/* ---- beginning and ending a process ---- */

static _Noreturn void be_run(struct jobs *jobs, const struct job *job, int part, pid_t parent) {
    const struct run_jobs_def *def = jobs->def;
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(EXIT_RUN_FAILED);
    }
    const int result = run_one(def->task, job->run - 1, def->state, part, job->report);
    _exit(result == 0 ? EXIT_SUCCESS : EXIT_RUN_FAILED);
}

static int begin_job(struct jobs *jobs, struct job *job, uint32_t run, struct failure *failure) {
    const int part = (int)(job - jobs->rows) + 1;
    const pid_t parent = getpid();
    int ends[2];
    if (pipe(ends) != 0) {
        return failure_set(failure, FAILURE_BUSY, NULL, "no pipe can be made: %s", strerror(errno));
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    *job = (struct job){.life = ends[0],
                        .run = run,
                        .begun_ns = clock_now_ns(),
                        .is_unsynced = job->is_unsynced,
                        .report = &jobs->reports[part - 1]};
    memset(job->report, 0, sizeof *job->report);
    (void)fflush(stdout);
    (void)fflush(stderr);
    job->process = fork();
    if (job->process == 0) {
        be_run(jobs, job, jobs->def->parts->descriptors[part - 1], parent);
    }
    (void)close(ends[1]);
    if (job->process < 0) {
        job->process = 0;
        (void)close(ends[0]);
        return failure_set(failure, FAILURE_BUSY, NULL, "no process can be started: %s", strerror(errno));
    }
    jobs->counts.going++;
    return 0;
}

static int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

/* Why a run failed; NULL when it did not. */
static const char *explain(const struct job *job, int status, char text[ERROR_BYTES]) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) {
        return NULL;
    }
    if (WIFSIGNALED(status)) {
        (void)snprintf(text, ERROR_BYTES, "ended by signal %d (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) == EXIT_RUN_FAILED && job->report->failure.message[0] != '\0') {
        (void)snprintf(text, ERROR_BYTES, "%s", job->report->failure.message);
    } else {
        (void)snprintf(text, ERROR_BYTES, "ended with exit code %d", WEXITSTATUS(status));
    }
    return text;
}

static void close_job(struct jobs *jobs, struct job *job) {
    (void)close(job->life);
    job->process = 0;
    jobs->counts.going--;
}

static int end_job(struct jobs *jobs, struct job *job, struct failure *failure) {
    char text[ERROR_BYTES];
    const char *error = explain(job, wait_for(job->process), text);
    const struct run_end end = {.error = error,
                                .tick = job->report->tick,
                                .hash = job->report->hash,
                                .seconds = job->report->seconds};
    close_job(jobs, job);
    job->is_unsynced = true;
    jobs->tally.runs++;
    if (error == NULL) {
        jobs->counts.done++;
        jobs->tally.ticks += atomic_load_explicit(&job->report->ticks, memory_order_relaxed);
        run_progress_note(&jobs->progress, (double)(clock_now_ns() - job->begun_ns) / 1e9);
    } else {
        jobs->counts.failed++;
        run_progress_clear(&jobs->progress);
        (void)fprintf(stderr, "drover: run %lu: %s\n", (unsigned long)job->run, error);
    }
    return run_parts_end(jobs->def->parts, (int)(job - jobs->rows) + 1, job->run, &end, failure);
}

/* Breaks off what goes on; its rows are cut off. */
static void break_off(struct jobs *jobs) {
    for (int i = 0; i < jobs->def->jobs; i++) {
        struct job *job = &jobs->rows[i];
        if (job->process > 0) {
            (void)kill(job->process, SIGKILL);
            (void)wait_for(job->process);
            close_job(jobs, job);
            run_parts_cut(jobs->def->parts, i + 1);
        }
    }
}

/* ---- all of them ---- */

/* The next run that is not done, from 1; 0: none. */
static uint32_t next_run(struct jobs *jobs) {
    const struct run_parts *parts = jobs->def->parts;
    while (jobs->next < parts->plan->count) {
        const uint32_t run = jobs->next++;
        if (parts->results[run].state != RUN_DONE) {
            return run + 1;
        }
    }
    return 0;
}

static int begin_more(struct jobs *jobs, struct failure *failure) {
    for (int i = 0; i < jobs->def->jobs; i++) {
        if (jobs->rows[i].process == 0) {
            const uint32_t run = next_run(jobs);
            if (run != 0 && begin_job(jobs, &jobs->rows[i], run, failure) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* While the next runs go on already: the disk takes its time. */
static int sync_parts(struct jobs *jobs, struct failure *failure) {
    for (int i = 0; i < jobs->def->jobs; i++) {
        if (jobs->rows[i].is_unsynced && run_parts_sync(jobs->def->parts, i + 1, failure) != 0) {
            return -1;
        }
        jobs->rows[i].is_unsynced = false;
    }
    return 0;
}

static void show(struct jobs *jobs) {
    jobs->counts.begun = 0.0;
    for (int i = 0; i < jobs->def->jobs; i++) {
        const struct job *job = &jobs->rows[i];
        if (job->process > 0 && jobs->def->task->ticks > 0) {
            const uint64_t ticks = atomic_load_explicit(&job->report->ticks, memory_order_relaxed);
            jobs->counts.begun += (double)ticks / (double)jobs->def->task->ticks;
        }
    }
    run_progress_show(&jobs->progress, &jobs->counts);
}

/* Waits for a run to end, a little; ends those that did. */
static int end_some(struct jobs *jobs, struct failure *failure) {
    const uint32_t count = (uint32_t)jobs->def->jobs;
    for (uint32_t i = 0; i < count; i++) {
        jobs->polls[i] =
            (struct pollfd){.fd = jobs->rows[i].process > 0 ? jobs->rows[i].life : -1, .events = POLLIN};
    }
    (void)poll(jobs->polls, count, GLANCE_MS);
    for (uint32_t i = 0; i < count; i++) {
        if (jobs->polls[i].revents != 0 && !interrupt_is_set(jobs->def->interrupt) &&
            end_job(jobs, &jobs->rows[i], failure) != 0) {
            return -1;
        }
    }
    show(jobs);
    return 0;
}

static int do_all(struct jobs *jobs, struct failure *failure) {
    while (!interrupt_is_set(jobs->def->interrupt)) {
        if (begin_more(jobs, failure) != 0 || sync_parts(jobs, failure) != 0) {
            return -1;
        }
        if (jobs->counts.going == 0) {
            return 0;
        }
        if (end_some(jobs, failure) != 0) {
            return -1;
        }
    }
    return 0;
}

static int begin(struct jobs *jobs, struct failure *failure) {
    const size_t count = (size_t)jobs->def->jobs;
    jobs->rows = calloc(count, sizeof *jobs->rows);
    jobs->polls = calloc(count, sizeof *jobs->polls);
    jobs->reports =
        mmap(NULL, count * sizeof *jobs->reports, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (jobs->rows == NULL || jobs->polls == NULL || jobs->reports == MAP_FAILED) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    jobs->counts = (struct run_counts){.total = jobs->def->parts->plan->count,
                                       .done = run_parts_count(jobs->def->parts, RUN_DONE)};
    run_progress_begin(&jobs->progress, jobs->def->jobs);
    return 0;
}

int run_jobs_do(const struct run_jobs_def *def, struct run_tally *tally, struct failure *failure) {
    struct jobs jobs = {.def = def, .reports = MAP_FAILED};
    const uint64_t begun_ns = clock_now_ns();
    int result = begin(&jobs, failure);
    if (result == 0) {
        result = do_all(&jobs, failure);
        break_off(&jobs);
        result = result == 0 ? sync_parts(&jobs, failure) : result;
    }
    run_progress_end(&jobs.progress);
    if (jobs.reports != MAP_FAILED) {
        (void)munmap(jobs.reports, (size_t)def->jobs * sizeof *jobs.reports);
    }
    free(jobs.rows);
    free(jobs.polls);
    jobs.tally.seconds = (double)(clock_now_ns() - begun_ns) / 1e9;
    *tally = jobs.tally;
    return result;
}
