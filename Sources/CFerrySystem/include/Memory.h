// Ferry: CFerrySystem
// What the process keeps in memory.

#ifndef FERRY_MEMORY_H
#define FERRY_MEMORY_H

/// Limits the number of arenas of glibc; call before other threads allocate, since each of them may bring one.
void ferry_limit_arenas(int count);

/// Gives free memory of all of glibc's arenas back to the system, and the pages of the program's own code and constants.
///
/// Takes some milliseconds, in which allocations wait. The system keeps the program's pages in its cache, and maps again what
/// the process comes to.
void ferry_give_memory_back(void);

#endif
