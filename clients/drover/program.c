/* drover: works with recordings, without a server. */
#include "clients/drover/command.h"

int main(int argc, char **argv) {
    return commands_main(argc, argv);
}
