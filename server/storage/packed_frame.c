/* See packed_frame.h. */
#include "server/storage/packed_frame.h"

#include <string.h>
#include <zstd.h>

bool packed_frame_is_name(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".zst") == 0;
}

void packed_frame_append(const char *bytes, size_t length, struct buffer *out) {
    const size_t room = ZSTD_compressBound(length);
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    char *packed = buffer_reserve(out, room);
    size_t packed_length = 0;
    if (packed != NULL && compressor != NULL &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1))) {
        packed_length = ZSTD_compress2(compressor, packed, room, bytes, length);
    }
    if (packed_length == 0 || ZSTD_isError(packed_length)) {
        out->failed = true;
    } else {
        buffer_commit(out, packed_length);
    }
    (void)ZSTD_freeCCtx(compressor);
}
