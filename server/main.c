/* drover-server (server_main.h). */
#include <stdio.h>
#include <stdlib.h>

#include "common/system/process.h"
#include "server/server_main.h"

int main(int argc, char **argv) {
    struct server_options options = server_options_default();
    const char *argument = NULL;
    int code = EXIT_FAILURE;
    if (descriptors_fill_standard() != 0) {
        perror("drover-server: /dev/null");
        return EXIT_FAILURE;
    }
    return server_main_read(argc, argv, &options, &argument, &code)
               ? server_main_run(&options, argument, NULL)
               : code;
}
