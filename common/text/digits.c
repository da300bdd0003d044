/* The table of four-digit numbers, or of two-digit ones, spelled by the preprocessor: constant, shared, no
 * initialization at run time. */
#include "common/text/digits.h"

#if defined(__wasm__)

#define ONES(a) a, '0', a, '1', a, '2', a, '3', a, '4', a, '5', a, '6', a, '7', a, '8', a, '9'

const char digits2[200] = {ONES('0'), ONES('1'), ONES('2'), ONES('3'), ONES('4'),
                           ONES('5'), ONES('6'), ONES('7'), ONES('8'), ONES('9')};

#else

#define ONES(a, b, c)                                                                                        \
    a, b, c, '0', a, b, c, '1', a, b, c, '2', a, b, c, '3', a, b, c, '4', a, b, c, '5', a, b, c, '6', a, b,  \
        c, '7', a, b, c, '8', a, b, c, '9'
#define TENS(a, b)                                                                                           \
    ONES(a, b, '0'), ONES(a, b, '1'), ONES(a, b, '2'), ONES(a, b, '3'), ONES(a, b, '4'), ONES(a, b, '5'),    \
        ONES(a, b, '6'), ONES(a, b, '7'), ONES(a, b, '8'), ONES(a, b, '9')
#define HUNDREDS(a)                                                                                          \
    TENS(a, '0'), TENS(a, '1'), TENS(a, '2'), TENS(a, '3'), TENS(a, '4'), TENS(a, '5'), TENS(a, '6'),        \
        TENS(a, '7'), TENS(a, '8'), TENS(a, '9')

const char digits4[40004] = {HUNDREDS('0'), HUNDREDS('1'), HUNDREDS('2'), HUNDREDS('3'), HUNDREDS('4'),
                             HUNDREDS('5'), HUNDREDS('6'), HUNDREDS('7'), HUNDREDS('8'), HUNDREDS('9')};

#endif
