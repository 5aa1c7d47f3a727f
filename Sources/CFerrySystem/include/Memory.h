// Ferry: CFerrySystem
// How the C library keeps memory; nothing happens where it is not glibc.

#ifndef FERRY_MEMORY_H
#define FERRY_MEMORY_H

/// Limits the number of arenas; call before other threads allocate, since each of them may bring one.
void ferry_limit_arenas(int count);

/// Gives free memory of all arenas back to the system; takes some milliseconds, in which allocations wait.
void ferry_give_memory_back(void);

#endif
