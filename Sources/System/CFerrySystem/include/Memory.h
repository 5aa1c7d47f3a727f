// Ferry: CFerrySystem
// Memory use of the process.

#ifndef FERRY_MEMORY_H
#define FERRY_MEMORY_H

/// Limits the number of glibc's arenas. Call it before other threads allocate, because each may create one.
void ferry_limit_arenas(int count);

/// Returns the free memory of all glibc arenas to the system, and releases the pages of the program's code and constants.
///
/// Takes some milliseconds, during which allocations wait. The system keeps the program's pages in its cache and maps them
/// again on access.
void ferry_give_memory_back(void);

#endif
