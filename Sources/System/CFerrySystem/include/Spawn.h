// Ferry: CFerrySystem
// Starts a program that outlives its parent.

#ifndef FERRY_SPAWN_H
#define FERRY_SPAWN_H

#if defined(__linux__)

#include <sys/types.h>

/// Starts a program in a new session, with a working folder, empty standard input, the parent's outputs, no other open
/// descriptor, no ignored or blocked signal, and its own umask. Returns 0 or an error number.
int ferry_spawn(
    pid_t *process, char *const *arguments, char *const *environment, const char *folder, mode_t mask);

#endif
#endif
