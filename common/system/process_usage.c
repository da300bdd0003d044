/* See process_usage.h. */
#include "common/system/process_usage.h"

#include <dirent.h>
#include <stdio.h>
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
