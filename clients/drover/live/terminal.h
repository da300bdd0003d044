/* The terminal that a command writes to: its size, whether colors are wanted, and single keys without Enter. */
#ifndef DROVER_CLIENTS_DROVER_LIVE_TERMINAL_H
#define DROVER_CLIENTS_DROVER_LIVE_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

struct terminal {
    bool is_there;  /* standard output is one */
    bool has_color; /* no NO_COLOR, and TERM is not dumb */
    bool has_keys;  /* standard input is one, too, and gives single keys since terminal_take; until it ends */
    bool is_single; /* its modes were changed for that */
    bool is_taken;  /* the other screen is shown */
    struct termios before;
};

/** Looks what standard output is. */
struct terminal terminal_find(void);
/** Its size; 80 and 24 where it does not say. */
void terminal_size(int *width, int *height);
/** Shows the other screen, without the cursor, and reads single keys. What was on the screen comes back with
 * terminal_give_back, which is also called when the program is stopped by a signal that interrupt.h takes. */
void terminal_take(struct terminal *terminal);
void terminal_give_back(struct terminal *terminal);
/** The key that was pressed, or -1 when none was, or standard input has ended. Does not wait. */
int terminal_key(struct terminal *terminal);

#endif
