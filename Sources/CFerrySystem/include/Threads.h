// Ferry: CFerrySystem
// Detached threads.

#ifndef FERRY_THREADS_H
#define FERRY_THREADS_H

#if defined(__linux__)

#include <stddef.h>

/// pthread_create(3) of a detached thread with a stack of this size. Returns 0 or an error number; then nothing runs.
int ferry_start_thread(void (*work)(void *), void *argument, size_t stack_size);

/// Starts so many threads at the same time and ends them. Returns 0, or the error number of the first that the system refuses.
int ferry_try_threads(int count);

#endif
#endif
