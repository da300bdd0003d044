/* The size of a decimal number, judged by its digits. */
#ifndef DROVER_COMMON_TEXT_DECIMAL_H
#define DROVER_COMMON_TEXT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether mantissa (digits and at most one point, no sign) times 10^exponent is finite as a double. */
bool decimal_is_finite(const char *mantissa, size_t length, int64_t exponent);
/** The value of an exponent's digits, saturating at about 10^9. */
int64_t decimal_exponent(const char *digits, size_t length, bool is_negative);

#endif
