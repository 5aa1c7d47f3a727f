// Ferry: CFerrySystem
// Starting a program that outlives its starter.

#ifndef FERRY_SPAWN_H
#define FERRY_SPAWN_H

#if defined(__linux__)

#include <sys/types.h>

/// posix_spawn(3) in a session of its own, in a folder, with nothing to read, the starter's outputs, no other open
/// descriptor, and no signal ignored or blocked. Returns 0 or an error number.
int ferry_spawn(pid_t *process, char *const *arguments, char *const *environment, const char *folder);

#endif
#endif
