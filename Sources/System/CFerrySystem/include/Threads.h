// Ferry: CFerrySystem
// Detached threads.

#ifndef FERRY_THREADS_H
#define FERRY_THREADS_H

#if defined(__linux__)

#include <stddef.h>

/// Creates a detached thread with this stack size (pthread_create(3)). Returns 0, or an error number if no thread was started.
int ferry_start_thread(void (*work)(void *), void *argument, size_t stack_size);

/// Starts this many threads at the same time and ends them. Returns 0, or the error number of the first that the system refuses.
int ferry_try_threads(int count);

#endif
#endif
