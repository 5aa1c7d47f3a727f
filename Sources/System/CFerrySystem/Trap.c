// Ferry: CFerrySystem
// Records the signal when the process ends by a fault of its own.

#if defined(__linux__)

#define _GNU_SOURCE
#include "Trap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define SLOTS 256

static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
#define SIGNALS (sizeof signals / sizeof signals[0])

static char note[PATH_MAX];
static struct sigaction former[SIGNALS];
static atomic_flag is_noted = ATOMIC_FLAG_INIT;
static _Atomic uint64_t slots[SLOTS];

void ferry_work_began(uint64_t number) {
    for (int slot = 0; slot < SLOTS; slot++) {
        uint64_t empty = 0;
        if (atomic_compare_exchange_strong_explicit(&slots[slot], &empty, number, memory_order_relaxed,
                                                    memory_order_relaxed))
            return;
    }
}

void ferry_work_ended(uint64_t number) {
    for (int slot = 0; slot < SLOTS; slot++) {
        uint64_t found = number;
        if (atomic_compare_exchange_strong_explicit(&slots[slot], &found, 0, memory_order_relaxed,
                                                    memory_order_relaxed))
            return;
    }
}

/// Writes the note. Only uses calls that signal-safety(7) allows.
static void write_note(int number) {
    int descriptor = open(note, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return;
    char text[SLOTS * 17 + 8];
    size_t length = 0;
    if (number > 9) text[length++] = (char)('0' + number / 10);
    text[length++] = (char)('0' + number % 10);
    text[length++] = '\n';
    for (int slot = 0; slot < SLOTS; slot++) {
        uint64_t work = atomic_load_explicit(&slots[slot], memory_order_relaxed);
        if (work == 0) continue;
        for (int shift = 60; shift >= 0; shift -= 4) text[length++] = "0123456789abcdef"[work >> shift & 15];
        text[length++] = '\n';
    }
    // A truncated note still shows that there was a trap.
    if (write(descriptor, text, length) < 0) {}
    close(descriptor);
}

static void handle(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    if (!atomic_flag_test_and_set(&is_noted)) write_note(number);
    for (size_t index = 0; index < SIGNALS; index++) {
        if (signals[index] == number) sigaction(number, &former[index], NULL);
    }
    // A hardware fault recurs when the handler returns, with the former action. A sent signal has to be raised again.
    if (info->si_code <= 0) raise(number);
    errno = saved;
}

int ferry_note_traps(const char *path) {
    if (strlen(path) >= sizeof note) return ENAMETOOLONG;
    strcpy(note, path);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < SIGNALS; index++) {
        if (sigaction(signals[index], &action, &former[index]) != 0) return errno;
    }
    return 0;
}

#endif
