// Ferry: CFerrySystem
// Records the signal when the process ends by a fault of its own.

#ifndef FERRY_TRAP_H
#define FERRY_TRAP_H

#if defined(__linux__)

#include <stdint.h>

/// Installs handlers for SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE and SIGSEGV that write a file before the process ends as usual.
/// The file has a line with the signal's number, then a line of 16 hexadecimal digits for each number at work. Returns 0 or an
/// error number.
int ferry_note_traps(const char *path);

/// Records that the process works on this nonzero number. At most 256 numbers are recorded at a time; further ones are ignored.
void ferry_work_began(uint64_t number);

/// Removes a number that the process has finished working on.
void ferry_work_ended(uint64_t number);

#endif
#endif
