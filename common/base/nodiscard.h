/* NODISCARD: the compiler complains when a caller drops the result of a fallible function. */
#ifndef DROVER_COMMON_BASE_NODISCARD_H
#define DROVER_COMMON_BASE_NODISCARD_H

#define NODISCARD                __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

#endif
