/* See process.h. */
#include "common/system/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The second number of /proc/self/statm, in pages. */
static uint64_t resident_bytes(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) {
        return 0;
    }
    const int found = fscanf(file, "%*u %llu", &pages);
    (void)fclose(file);
    const long page = sysconf(_SC_PAGESIZE);
    return found == 1 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

/* Linux 6.2 says the number as the size of the folder; before that the entries are counted. */
static uint64_t open_files(void) {
    struct stat folder;
    if (stat("/proc/self/fd", &folder) == 0 && folder.st_size > 0) {
        return (uint64_t)folder.st_size;
    }
    DIR *entries = opendir("/proc/self/fd");
    uint64_t count = 0;
    if (entries == NULL) {
        return 0;
    }
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        count += entry->d_name[0] == '.' ? 0 : 1;
    }
    (void)closedir(entries);
    return count > 0 ? count - 1 : 0; /* the folder itself */
}

struct process_usage process_usage_read(void) {
    struct timespec cpu = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return (struct process_usage){.cpu_s = (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9,
                                  .resident_bytes = resident_bytes(),
                                  .open_files = open_files()};
}

/* ---- memory free ---- */

enum { PATH_BYTES = 4600, GROUP_BYTES = 4096 };

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t without(uint64_t limit, uint64_t used) {
    return limit > used ? limit - used : 0;
}

/* The number behind a word at the beginning of a line; "": the first number. */
static bool read_number(const char *path, const char *word, uint64_t *out) {
    char line[256];
    bool found = false;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const size_t length = strlen(word);
        found = strncmp(line, word, length) == 0 && sscanf(line + length, "%" SCNu64, out) == 1;
    }
    (void)fclose(file);
    return found;
}

static uint64_t machine_free(const char *root) {
    char path[PATH_BYTES];
    uint64_t kilobytes = 0;
    (void)snprintf(path, sizeof path, "%s/proc/meminfo", root);
    return read_number(path, "MemAvailable:", &kilobytes) ? kilobytes * 1024 : UINT64_MAX;
}

/* Of one control group. */
struct group_files {
    const char *folder, *limit, *used, *reclaimable;
};
static const struct group_files versions[] = {
    {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
};

static uint64_t group_free(const char *root, const struct group_files *files, const char *group) {
    char path[PATH_BYTES];
    uint64_t limit = 0, used = 0, reclaimable = 0;
    (void)snprintf(path, sizeof path, "%s%s%s/%s", root, files->folder, group, files->limit);
    if (!read_number(path, "", &limit)) { /* "max" */
        return UINT64_MAX;
    }
    (void)snprintf(path, sizeof path, "%s%s%s/%s", root, files->folder, group, files->used);
    (void)read_number(path, "", &used);
    (void)snprintf(path, sizeof path, "%s%s%s/memory.stat", root, files->folder, group);
    (void)read_number(path, files->reclaimable, &reclaimable);
    return without(limit, without(used, reclaimable));
}

/* A group and all that it is in. */
static uint64_t groups_free(const char *root, const struct group_files *files, char *group) {
    uint64_t free = UINT64_MAX;
    group[strcspn(group, "\n")] = '\0';
    while (true) {
        char *last = strrchr(group, '/');
        free = least(free, group_free(root, files, strcmp(group, "/") == 0 ? "" : group));
        if (last == NULL || strcmp(group, "/") == 0) {
            return free;
        }
        *last = '\0';
    }
}

/* Lines of "0::GROUP" and "NUMBER:memory:GROUP". */
static uint64_t all_groups_free(const char *root) {
    char path[PATH_BYTES], line[GROUP_BYTES];
    uint64_t free = UINT64_MAX;
    (void)snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *names = strchr(line, ':'), *group = names != NULL ? strchr(names + 1, ':') : NULL;
        if (group != NULL && (strncmp(names, "::", 2) == 0 || strncmp(names, ":memory:", 8) == 0)) {
            free = least(free, groups_free(root, &versions[names[1] == ':' ? 0 : 1], group + 1));
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return free;
}

static uint64_t address_space_free(void) {
    struct rlimit limit;
    uint64_t pages = 0;
    const long page = sysconf(_SC_PAGESIZE);
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || page <= 0 ||
        !read_number("/proc/self/statm", "", &pages)) {
        return UINT64_MAX;
    }
    return without((uint64_t)limit.rlim_cur, pages * (uint64_t)page);
}

uint64_t memory_free_of_files(const char *root) {
    return least(machine_free(root), all_groups_free(root));
}

uint64_t memory_free(int processes) {
    const uint64_t shared = memory_free_of_files("");
    return least(shared == UINT64_MAX ? shared : shared / (uint64_t)processes, address_space_free());
}

/* ---- descriptors ---- */

int descriptors_fill_standard(void) {
    int descriptor = 0; /* open takes the lowest that is free */
    do {
        descriptor = open("/dev/null", O_RDWR);
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    return descriptor < 0 ? -1 : close(descriptor);
}
