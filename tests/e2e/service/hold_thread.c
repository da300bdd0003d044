/* Stops one thread of another process, as a bug would, and lets it go again: hold_thread PID NAME. Says "held TID" when the
 * thread stands still, and holds it until standard input ends. A signal would stop all threads of the process. Exit code 77 where the
 * system does not allow it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 300, NAME_BYTES = 64, EXIT_SKIPPED = 77 };

static int has_name(const char *pid, const char *tid, const char *name) {
    char path[PATH_BYTES], found[NAME_BYTES] = "";
    (void)snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/comm", pid, tid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    if (fgets(found, sizeof found, file) == NULL) {
        found[0] = '\0';
    }
    (void)fclose(file);
    found[strcspn(found, "\n")] = '\0';
    return strcmp(found, name) == 0;
}

/* The thread of this name; 0: there is none. */
static pid_t find_thread(const char *pid, const char *name) {
    char path[PATH_BYTES];
    pid_t thread = 0;
    (void)snprintf(path, sizeof path, "/proc/%.20s/task", pid);
    DIR *tasks = opendir(path);
    const struct dirent *task;
    while (tasks != NULL && thread == 0 && (task = readdir(tasks)) != NULL) {
        if (task->d_name[0] != '.' && has_name(pid, task->d_name, name)) {
            thread = (pid_t)strtol(task->d_name, NULL, 10);
        }
    }
    if (tasks != NULL) {
        (void)closedir(tasks);
    }
    return thread;
}

static int fail(const char *what) {
    const int error = errno;
    perror(what);
    return error == EPERM || error == ENOSYS ? EXIT_SKIPPED : EXIT_FAILURE;
}

int main(int argc, char **argv) {
    char byte;
    int status = 0;
    const pid_t thread = argc == 3 ? find_thread(argv[1], argv[2]) : 0;
    if (thread == 0) {
        (void)fprintf(stderr, "hold_thread: no such thread\n");
        return EXIT_FAILURE;
    }
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
        return fail("PTRACE_SEIZE");
    }
    if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0 || waitpid(thread, &status, __WALL) != thread) {
        return fail("PTRACE_INTERRUPT");
    }
    (void)printf("held %d\n", (int)thread);
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0) {}
    return EXIT_SUCCESS; /* the end of the tracer lets it go */
}
