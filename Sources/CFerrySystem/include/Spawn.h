// Ferry: CFerrySystem
// Starting a program that outlives its starter.

#ifndef FERRY_SPAWN_H
#define FERRY_SPAWN_H

#if defined(__linux__)

#include <sys/types.h>

/// Runs a program in a session of its own, in a folder, with nothing to read, the starter's outputs, no other open
/// descriptor, no signal ignored or blocked, and a umask of its own. Returns 0 or an error number.
int ferry_spawn(
    pid_t *process, char *const *arguments, char *const *environment, const char *folder, mode_t mask);

#endif
#endif
