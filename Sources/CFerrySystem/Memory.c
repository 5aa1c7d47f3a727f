// Ferry: CFerrySystem
// How the C library keeps memory.

#include "Memory.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

void ferry_limit_arenas(int count) { (void)mallopt(M_ARENA_MAX, count); }

void ferry_give_memory_back(void) { (void)malloc_trim(0); }

#else

void ferry_limit_arenas(int count) { (void)count; }

void ferry_give_memory_back(void) {}

#endif
