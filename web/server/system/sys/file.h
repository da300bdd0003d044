/* Nobody else has the files of a page. */
#ifndef DROVER_WEB_SERVER_SYSTEM_FILE_H
#define DROVER_WEB_SERVER_SYSTEM_FILE_H

enum { LOCK_EX = 2, LOCK_NB = 4 };

static inline int flock(int file, int operation) {
    (void)file;
    (void)operation;
    return 0;
}

static inline int fchmod(int file, unsigned mode) {
    (void)file;
    (void)mode;
    return -1;
}
static inline int chmod(const char *path, unsigned mode) {
    (void)path;
    (void)mode;
    return -1;
}

#endif
