/* drover-viewer: parse, build, run, tear down. Exit: 0 fine, 1 it went wrong while running, 2 it could not
 * start. */
#include <stdio.h>
#include <stdlib.h>

#include "common/system/descriptors.h"
#include "common/system/log.h"
#include "viewer/app/app_run.h"

static int report(const struct failure *failure, int status) {
    log_plain("drover-viewer: %s", failure->message);
    return status;
}

/* From the options to the end. */
static int start(const struct viewer_options *options) {
    struct failure failure;
    struct app *app = app_create(options, &failure);
    if (app == NULL) {
        return report(&failure, 2);
    }
    const int status = app_run(app, &failure) == 0 ? EXIT_SUCCESS : report(&failure, EXIT_FAILURE);
    app_destroy(app);
    return status;
}

int main(int argc, char **argv) {
    if (descriptors_fill_standard() != 0) {
        perror("drover-viewer: /dev/null");
        return EXIT_FAILURE;
    }
    struct viewer_options options;
    struct failure failure;
    switch (viewer_options_parse(argc, argv, &options, &failure)) {
    case OPTIONS_EXIT:
        return EXIT_SUCCESS;
    case OPTIONS_BAD:
        report(&failure, 0);
        log_plain("try drover-viewer --help");
        return 2;
    case OPTIONS_RUN:
        break;
    }
    log_set_level((enum log_level)options.log_level);
    log_start();
    const int status = start(&options);
    log_stop();
    return status;
}
