/* The number of the core: which bits a scenario and its requests give.
 *
 * It is raised exactly when a line of tests/golden/hashes.txt changes though its scenario describes the same world as
 * before (tests/checks/core.py), with a row in core_changes that says what it touches. A version, a compiler or a date do not matter to bits.
 */
#ifndef DROVER_SERVER_SIM_CORE_H
#define DROVER_SERVER_SIM_CORE_H

enum { CORE_NUMBER = 2 };

#endif
