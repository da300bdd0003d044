/* The files of a page lie in its memory (web/src/files.ts): how much is free is not known. */
#ifndef DROVER_WEB_SERVER_SYSTEM_STATVFS_H
#define DROVER_WEB_SERVER_SYSTEM_STATVFS_H

struct statvfs {
    unsigned long f_bavail, f_frsize;
};

static inline int fstatvfs(int file, struct statvfs *out) {
    (void)file;
    (void)out;
    return -1;
}

#endif
