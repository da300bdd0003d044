/* Decimal numbers whatever the locale: their size, judged by their digits, and the value of plain ones. */
#ifndef DROVER_COMMON_TEXT_DECIMAL_H
#define DROVER_COMMON_TEXT_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether mantissa (digits and at most one point, no sign) times 10^exponent is finite as a double. */
bool decimal_is_finite(const char *mantissa, size_t length, int64_t exponent);
/** The value of an exponent's digits, saturating at about 10^9. */
int64_t decimal_exponent(const char *digits, size_t length, bool is_negative);
/** The value of the digits and at most one point that text begins with, saturating below 10^10. Sets *end (NULL is
 * fine) to the first character that does not belong to them. */
double decimal_read(const char *text, const char **end);

#endif
