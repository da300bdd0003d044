/* NODISCARD: the compiler complains when a caller drops the result of a fallible function. */
#ifndef DROVER_COMMON_BASE_NODISCARD_H
#define DROVER_COMMON_BASE_NODISCARD_H

#define NODISCARD __attribute__((warn_unused_result))

/* For Windows mingw-w64 formats, which knows what C says, and not Windows' own C library. */
#if defined(__MINGW32__)
#define PRINTF_LIKE(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#endif

#endif
