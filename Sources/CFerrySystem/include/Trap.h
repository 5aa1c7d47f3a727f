// Ferry: CFerrySystem
// A note of the signal that ends the process by a fault of its own.

#ifndef FERRY_TRAP_H
#define FERRY_TRAP_H

#if defined(__linux__)

#include <stdint.h>

/// From here on, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE and SIGSEGV write a file before they end the process as ever: a line with
/// the signal's number, then a line of 16 hexadecimal digits for each number at work. Returns 0 or an error number.
int ferry_note_traps(const char *path);

/// Notes that the process works on a number that is not 0; of more than 256 at a time the rest is left out.
void ferry_work_began(uint64_t number);

/// Notes that the process has stopped working on a number.
void ferry_work_ended(uint64_t number);

#endif
#endif
