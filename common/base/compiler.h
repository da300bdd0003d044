/* The compiler that built the program, as text: "gcc 12.2.0". */
#ifndef DROVER_COMMON_BASE_COMPILER_H
#define DROVER_COMMON_BASE_COMPILER_H

#ifdef __clang__
#define COMPILER_TEXT_OF(number) #number
#define COMPILER_VERSION_OF(major, minor, patch)                                                             \
    COMPILER_TEXT_OF(major) "." COMPILER_TEXT_OF(minor) "." COMPILER_TEXT_OF(patch)
#define COMPILER "clang " COMPILER_VERSION_OF(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define COMPILER "gcc " __VERSION__
#endif

#endif
