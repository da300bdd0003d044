/* See run_jobs.h. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "clients/drover/run/run_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "clients/drover/run/run_progress.h"
#include "common/system/clock.h"

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
