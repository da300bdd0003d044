/* cmocka and the headers it needs before it. */
#ifndef DROVER_TESTS_UNIT_SERVER_CMOCKA_ALL_H
#define DROVER_TESTS_UNIT_SERVER_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
