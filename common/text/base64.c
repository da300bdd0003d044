/* See base64.h. The vector steps are those of Mula and Lemire, "Faster Base64 Encoding and Decoding using
 * AVX2 Instructions" (2018).
 *
 * Invariants: nothing is read or written outside [text, text + length) and [out, out + bytes); the vector
 * loops stop early and leave the rest, with whatever is wrong in it, to the plain ones.
 */
#include "common/text/base64.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static const char digits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { FOREIGN = 0xff }; /* what `values` has for characters that are no digits */

#define X FOREIGN
static const uint8_t values[256] = {
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  62, X,  X,  X,  63, 52, 53, 54, 55,
    56, 57, 58, 59, 60, 61, X,  X,  X,  X,  X,  X,  X,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
    13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, X,  X,  X,  X,  X,  X,  26, 27, 28, 29, 30, 31, 32,
    33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
    X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X};
#undef X

/* ---- one group at a time ---- */

static void encode_rest(const uint8_t *in, size_t length, char *out) {
    const uint32_t group = (uint32_t)in[0] << 16 | (length > 1 ? (uint32_t)in[1] << 8 : 0u);
    out[0] = digits[group >> 18];
    out[1] = digits[group >> 12 & 63];
    out[2] = digits[group >> 6 & 63];
    out[2] = length > 1 ? out[2] : '=';
    out[3] = '=';
}

char *base64_encode_plain(const void *bytes, size_t length, char *out) {
    const uint8_t *in = bytes;
    for (; length >= 3; length -= 3, in += 3, out += 4) {
        const uint32_t group = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
        out[0] = digits[group >> 18];
        out[1] = digits[group >> 12 & 63];
        out[2] = digits[group >> 6 & 63];
        out[3] = digits[group & 63];
    }
    if (length > 0) {
        encode_rest(in, length, out);
        out += 4;
    }
    return out;
}

bool base64_decoded_length(const char *text, size_t length, size_t *bytes) {
    if (length % 4 != 0) {
        return false;
    }
    const size_t padding = length == 0 ? 0 : text[length - 1] != '=' ? 0 : text[length - 2] != '=' ? 1 : 2;
    *bytes = length / 4 * 3 - padding;
    return true;
}

/* Two or three digits and padding, for one or two bytes. */
static bool decode_rest(const uint8_t *text, uint8_t *out, size_t bytes) {
    const uint8_t a = values[text[0]], b = values[text[1]], c = bytes > 1 ? values[text[2]] : 0;
    if ((a | b | c) & 0x80 || text[3] != '=' || (bytes == 1 && text[2] != '=')) {
        return false;
    }
    const uint32_t group = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6;
    out[0] = (uint8_t)(group >> 16);
    if (bytes == 1) {
        return (group & 0xffff) == 0;
    }
    out[1] = (uint8_t)(group >> 8);
    return (group & 0xff) == 0;
}

bool base64_decode_plain(const char *text, size_t length, void *out, size_t bytes) {
    const uint8_t *in = (const uint8_t *)text;
    uint8_t *to = out;
    if (length != base64_length(bytes)) {
        return false;
    }
    for (; bytes >= 3; bytes -= 3, in += 4, to += 3) {
        const uint8_t a = values[in[0]], b = values[in[1]], c = values[in[2]], d = values[in[3]];
        if ((a | b | c | d) & 0x80) {
            return false;
        }
        const uint32_t group = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | d;
        to[0] = (uint8_t)(group >> 16);
        to[1] = (uint8_t)(group >> 8);
        to[2] = (uint8_t)group;
    }
    return bytes == 0 || decode_rest(in, to, bytes);
}

/* ---- 24 bytes, 32 characters at a time ---- */

#if defined(__x86_64__)

__attribute__((target("avx2"))) static __m256i to_digits(__m256i in) {
    /* Spread 3 bytes over 4, move their sixes of bits into place, add what makes each a digit. */
    in = _mm256_shuffle_epi8(in, _mm256_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 1, 0, 2,
                                                  1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
    const __m256i upper = _mm256_mulhi_epu16(_mm256_and_si256(in, _mm256_set1_epi32(0x0fc0fc00)),
                                             _mm256_set1_epi32(0x04000040));
    const __m256i lower = _mm256_mullo_epi16(_mm256_and_si256(in, _mm256_set1_epi32(0x003f03f0)),
                                             _mm256_set1_epi32(0x01000010));
    const __m256i sixes = _mm256_or_si256(upper, lower);
    __m256i range = _mm256_subs_epu8(sixes, _mm256_set1_epi8(51));
    range = _mm256_or_si256(
        range, _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_set1_epi8(26), sixes), _mm256_set1_epi8(13)));
    const __m256i shifts = _mm256_setr_epi8(71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0,
                                            71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0);
    return _mm256_add_epi8(sixes, _mm256_shuffle_epi8(shifts, range));
}

__attribute__((target("avx2"))) static size_t encode_avx2(const uint8_t *in, size_t length, char *out) {
    size_t done = 0;
    for (; length - done >= 28; done += 24, out += 32) { /* reads 28, uses 24 */
        const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(in + done));
        const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(in + done + 12));
        _mm256_storeu_si256((__m256i *)(void *)out, to_digits(_mm256_set_m128i(high, low)));
    }
    return done;
}

/* The values of 32 digits, or false when one is none: a character is one if the sets of its two halves, by
 * upper and by lower nibble, have no bit in common. */
__attribute__((target("avx2"))) static bool from_digits(__m256i text, __m256i *sixes) {
    const __m256i by_lower = _mm256_setr_epi8(
        0x15, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a, 0x15,
        0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x13, 0x1a, 0x1b, 0x1b, 0x1b, 0x1a);
    const __m256i by_upper = _mm256_setr_epi8(
        0x10, 0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
        0x10, 0x01, 0x02, 0x04, 0x08, 0x04, 0x08, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10);
    const __m256i shifts = _mm256_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16,
                                            19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i slash = _mm256_set1_epi8(0x2f);
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi32(text, 4), slash);
    const __m256i lower = _mm256_and_si256(text, slash);
    if (!_mm256_testz_si256(_mm256_shuffle_epi8(by_lower, lower), _mm256_shuffle_epi8(by_upper, upper))) {
        return false;
    }
    const __m256i shift = _mm256_add_epi8(_mm256_cmpeq_epi8(text, slash), upper);
    *sixes = _mm256_add_epi8(text, _mm256_shuffle_epi8(shifts, shift));
    return true;
}

/* Returns the bytes done, a multiple of 24. */
__attribute__((target("avx2"))) static size_t decode_avx2(const char *text, uint8_t *out, size_t bytes) {
    size_t done = 0;
    for (; bytes - done >= 32; done += 24, text += 32) { /* writes 32, keeps 24 */
        __m256i sixes;
        if (!from_digits(_mm256_loadu_si256((const __m256i *)(const void *)text), &sixes)) {
            break;
        }
        const __m256i twelves = _mm256_maddubs_epi16(sixes, _mm256_set1_epi32(0x01400140));
        __m256i group = _mm256_madd_epi16(twelves, _mm256_set1_epi32(0x00011000));
        group = _mm256_shuffle_epi8(group,
                                    _mm256_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1,
                                                     2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
        group = _mm256_permutevar8x32_epi32(group, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7));
        _mm256_storeu_si256((__m256i *)(void *)(out + done), group);
    }
    return done;
}

static size_t encode_fast(const uint8_t *in, size_t length, char *out) {
    return __builtin_cpu_supports("avx2") ? encode_avx2(in, length, out) : 0;
}

static size_t decode_fast(const char *text, uint8_t *out, size_t bytes) {
    return __builtin_cpu_supports("avx2") ? decode_avx2(text, out, bytes) : 0;
}

#else

static size_t encode_fast(const uint8_t *in, size_t length, char *out) {
    (void)in, (void)length, (void)out;
    return 0;
}

static size_t decode_fast(const char *text, uint8_t *out, size_t bytes) {
    (void)text, (void)out, (void)bytes;
    return 0;
}

#endif

char *base64_encode(const void *bytes, size_t length, char *out) {
    const size_t done = encode_fast(bytes, length, out);
    return base64_encode_plain((const uint8_t *)bytes + done, length - done, out + done / 3 * 4);
}

bool base64_decode(const char *text, size_t length, void *out, size_t bytes) {
    if (length != base64_length(bytes)) {
        return false;
    }
    const size_t done = decode_fast(text, out, bytes);
    const size_t read = done / 3 * 4;
    return base64_decode_plain(text + read, length - read, (uint8_t *)out + done, bytes - done);
}

/* ---- columns of integers ---- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { IS_BIG_ENDIAN = 1 };
#else
enum { IS_BIG_ENDIAN = 0 };
#endif
enum { BLOCK_BYTES = 1536 }; /* of whole integers of any width, and of whole groups of three bytes */

/* The bytes of each integer in reverse; to may be from. */
static void reverse_each(const uint8_t *from, size_t bytes, size_t width, uint8_t *to) {
    for (size_t i = 0; i < bytes; i += width) {
        for (size_t low = i, high = i + width - 1; low < high; low++, high--) {
            const uint8_t kept = from[low];
            to[low] = from[high];
            to[high] = kept;
        }
    }
}

char *base64_encode_integers(const void *integers, size_t count, size_t width, char *out) {
    const size_t bytes = count * width;
    if (!IS_BIG_ENDIAN || width == 1) {
        return base64_encode(integers, bytes, out);
    }
    const uint8_t *in = integers;
    for (size_t begin = 0; begin < bytes; begin += BLOCK_BYTES) {
        uint8_t block[BLOCK_BYTES];
        const size_t size = bytes - begin < BLOCK_BYTES ? bytes - begin : BLOCK_BYTES;
        reverse_each(in + begin, size, width, block);
        out = base64_encode(block, size, out);
    }
    return out;
}

bool base64_decode_integers(const char *text, size_t length, void *integers, size_t count, size_t width) {
    const bool is_good = base64_decode(text, length, integers, count * width);
    if (IS_BIG_ENDIAN && is_good && width > 1) {
        reverse_each(integers, count * width, width, integers);
    }
    return is_good;
}
