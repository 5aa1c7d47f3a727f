// Ferry: CFerrySystem
// Detached threads.

#if defined(__linux__)

#include "Threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct start {
    void (*work)(void *);
    void *argument;
};

static void *run(void *given) {
    struct start start = *(struct start *)given;
    free(given);
    start.work(start.argument);
    return NULL;
}

int ferry_start_thread(void (*work)(void *), void *argument, size_t stack_size) {
    struct start *start = malloc(sizeof *start);
    if (start == NULL) return ENOMEM;
    *start = (struct start){work, argument};
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);
    if (status == 0) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attributes, stack_size);
        pthread_t thread;
        status = pthread_create(&thread, &attributes, run, start);
        pthread_attr_destroy(&attributes);
    }
    if (status != 0) free(start);
    return status;
}

static void *wait_for_lock(void *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

int ferry_try_threads(int count) {
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    if (threads == NULL) return ENOMEM;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    int started = 0, status = 0;
    while (started < count && (status = pthread_create(&threads[started], NULL, wait_for_lock, &lock)) == 0) started++;
    pthread_mutex_unlock(&lock);
    for (int index = 0; index < started; index++) pthread_join(threads[index], NULL);
    free(threads);
    return status;
}

#endif
