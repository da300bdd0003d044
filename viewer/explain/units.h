/* Units and numbers as a person reads them: "240 px/s", "no limit" instead of "86400 deg/s". Pure. */
#ifndef DROVER_VIEWER_EXPLAIN_UNITS_H
#define DROVER_VIEWER_EXPLAIN_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocol/message.h"

enum { UNITS_TEXT = 48 };

/** The unit beside a number: "px/s"; "" for a unit that says nothing there ("1", "mass", a force's). unit: as in the
 * reply to get_params. Static storage, or `unit` itself. */
const char *units_beside(const char *unit);
/** The unit in a sentence: "mass × px/s²". "" for a plain number. Static storage, or `unit` itself. */
const char *units_in_words(const char *unit);
/** A whole number, thousands apart: "12 600". Returns its length. out has at least 27 bytes, or as many as the values of
 * the caller need. */
size_t units_format_whole(uint64_t value, char *out, size_t size);
/** Up to three decimals, thousands apart: "12 600", "0.35". No locale. out has at least 32 bytes. */
void units_format_number(double value, char *out, size_t size);
/** A value of the parameter with its unit, or "no limit" where the value stands for that. out has UNITS_TEXT bytes. */
void units_format_param(const struct message_param *param, double value, char out[UNITS_TEXT]);

#endif
