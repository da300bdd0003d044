/* What the C library asks of the system, answered here: there is no environment and there are no files, and what is written
 * to them is lost. So page.wasm imports page_host.h alone.
 *
 * These are the library's imports, which are fixed by the preview 1 of WASI. Its own wrappers around them, __wasi_fd_write and the
 * others, share a file with more or fewer others in each version, so they cannot be replaced. */
#include <stddef.h>
#include <wasi/api.h>

#define ANSWERS(name) __asm__("__imported_wasi_snapshot_preview1_" #name)

int32_t page_environ_get(uint8_t **environment, uint8_t *bytes) ANSWERS(environ_get);
int32_t page_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *size) ANSWERS(environ_sizes_get);
int32_t page_fd_close(int32_t file) ANSWERS(fd_close);
int32_t page_fd_fdstat_get(int32_t file, __wasi_fdstat_t *about) ANSWERS(fd_fdstat_get);
int32_t page_fd_seek(int32_t file, int64_t offset, int32_t whence, __wasi_filesize_t *place) ANSWERS(fd_seek);
int32_t page_fd_write(int32_t file, const __wasi_ciovec_t *pieces, size_t count, __wasi_size_t *written)
    ANSWERS(fd_write);
_Noreturn void page_proc_exit(int32_t code) ANSWERS(proc_exit);

/* NOLINTBEGIN(readability-non-const-parameter): the declarations are those of WASI. */

int32_t page_environ_get(uint8_t **environment, uint8_t *bytes) {
    (void)environment;
    (void)bytes;
    return __WASI_ERRNO_SUCCESS;
}

int32_t page_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *size) {
    *count = 0;
    *size = 0;
    return __WASI_ERRNO_SUCCESS;
}

int32_t page_fd_close(int32_t file) {
    (void)file;
    return __WASI_ERRNO_SUCCESS;
}

int32_t page_fd_fdstat_get(int32_t file, __wasi_fdstat_t *about) {
    (void)file;
    (void)about;
    return __WASI_ERRNO_BADF;
}

int32_t page_fd_seek(int32_t file, int64_t offset, int32_t whence, __wasi_filesize_t *place) {
    (void)file;
    (void)offset;
    (void)whence;
    *place = 0;
    return __WASI_ERRNO_SPIPE;
}

int32_t page_fd_write(int32_t file, const __wasi_ciovec_t *pieces, size_t count, __wasi_size_t *written) {
    (void)file;
    *written = 0;
    for (size_t i = 0; i < count; i++) {
        *written += pieces[i].buf_len;
    }
    return __WASI_ERRNO_SUCCESS;
}

_Noreturn void page_proc_exit(int32_t code) {
    (void)code;
    __builtin_trap();
}

/* NOLINTEND(readability-non-const-parameter) */
