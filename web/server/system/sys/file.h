/* Nobody else has the files of a page. */
#ifndef DROVER_WEB_SERVER_SYSTEM_FILE_H
#define DROVER_WEB_SERVER_SYSTEM_FILE_H

enum { LOCK_EX = 2, LOCK_NB = 4 };

static inline int flock(int file, int operation) {
    (void)file;
    (void)operation;
    return 0;
}

#endif
