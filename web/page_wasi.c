/* What the C library asks of the system, answered here: there is no environment and there are no files, and what is written
 * to them is lost. So page.wasm imports page_host.h alone. */
#include <stddef.h>
#include <wasi/api.h>

/* The declarations are those of wasi-libc, with names that a generator chose.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-non-const-parameter) */

__wasi_errno_t __wasi_environ_get(uint8_t **environment, uint8_t *bytes) {
    (void)environment;
    (void)bytes;
    return __WASI_ERRNO_SUCCESS;
}

__wasi_errno_t __wasi_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *size) {
    *count = 0;
    *size = 0;
    return __WASI_ERRNO_SUCCESS;
}

__wasi_errno_t __wasi_fd_close(__wasi_fd_t file) {
    (void)file;
    return __WASI_ERRNO_SUCCESS;
}

__wasi_errno_t __wasi_fd_fdstat_get(__wasi_fd_t file, __wasi_fdstat_t *about) {
    (void)file;
    (void)about;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t file, __wasi_filedelta_t offset, __wasi_whence_t whence,
                              __wasi_filesize_t *place) {
    (void)file;
    (void)offset;
    (void)whence;
    *place = 0;
    return __WASI_ERRNO_SPIPE;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t file, const __wasi_ciovec_t *pieces, size_t count,
                               __wasi_size_t *written) {
    (void)file;
    *written = 0;
    for (size_t i = 0; i < count; i++) {
        *written += pieces[i].buf_len;
    }
    return __WASI_ERRNO_SUCCESS;
}

_Noreturn void __wasi_proc_exit(__wasi_exitcode_t code) {
    (void)code;
    __builtin_trap();
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-non-const-parameter) */
