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

#endif
