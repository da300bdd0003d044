/* See descriptors.h. */
#include "common/system/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

int descriptors_fill_standard(void) {
    int descriptor = 0; /* open takes the lowest that is free */
    do {
        descriptor = open("/dev/null", O_RDWR);
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    return descriptor < 0 ? -1 : close(descriptor);
}
