/* A page reads and writes recordings as plain text: there is no libzstd in it. */
#ifndef DROVER_WEB_SERVER_SYSTEM_ZSTD_H
#define DROVER_WEB_SERVER_SYSTEM_ZSTD_H

#include <stddef.h>

typedef struct ZSTD_CCtx_s ZSTD_CCtx;
typedef struct ZSTD_DCtx_s ZSTD_DCtx;
typedef struct {
    const void *src;
    size_t size, pos;
} ZSTD_inBuffer;
typedef struct {
    void *dst;
    size_t size, pos;
} ZSTD_outBuffer;
typedef enum { ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end } ZSTD_EndDirective;

enum { ZSTD_c_checksumFlag, ZSTD_reset_session_only, ZSTD_ABSENT = 1 };

static inline unsigned ZSTD_isError(size_t code) {
    return code == ZSTD_ABSENT;
}
static inline const char *ZSTD_getErrorName(size_t code) {
    (void)code;
    return "a page has no zstd; use a file that is not compressed";
}
static inline ZSTD_CCtx *ZSTD_createCCtx(void) {
    return NULL;
}
static inline size_t ZSTD_freeCCtx(ZSTD_CCtx *context) {
    (void)context;
    return 0;
}
static inline size_t ZSTD_CCtx_setParameter(ZSTD_CCtx *context, int parameter, int value) {
    (void)context;
    (void)parameter;
    (void)value;
    return ZSTD_ABSENT;
}
static inline size_t ZSTD_CStreamOutSize(void) {
    return 1;
}
static inline size_t ZSTD_compressStream2(ZSTD_CCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                          ZSTD_EndDirective end) {
    (void)context;
    (void)out;
    (void)in;
    (void)end;
    return ZSTD_ABSENT;
}
static inline size_t ZSTD_compressBound(size_t size) {
    return size;
}
static inline size_t ZSTD_compress2(ZSTD_CCtx *context, void *out, size_t room, const void *in, size_t size) {
    (void)context;
    (void)out;
    (void)room;
    (void)in;
    (void)size;
    return ZSTD_ABSENT;
}
static inline size_t ZSTD_compress(void *out, size_t room, const void *in, size_t size, int level) {
    (void)level;
    return ZSTD_compress2(NULL, out, room, in, size);
}
static inline ZSTD_DCtx *ZSTD_createDCtx(void) {
    return NULL;
}
static inline size_t ZSTD_freeDCtx(ZSTD_DCtx *context) {
    (void)context;
    return 0;
}
static inline size_t ZSTD_DCtx_reset(ZSTD_DCtx *context, int directive) {
    (void)context;
    (void)directive;
    return ZSTD_ABSENT;
}
static inline size_t ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out, ZSTD_inBuffer *in) {
    (void)context;
    (void)out;
    (void)in;
    return ZSTD_ABSENT;
}

#endif
