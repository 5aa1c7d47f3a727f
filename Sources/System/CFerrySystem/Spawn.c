// Ferry: CFerrySystem
// Starts a program that outlives its parent.

#if defined(__linux__)

#define _GNU_SOURCE
#include "Spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/// Executes the program in this process. Returns only on failure, with errno set.
static void become(char *const *arguments, char *const *environment, const char *folder, mode_t mask) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) (void)sigaction(number, &usual, NULL);
    if (setsid() < 0) return;
    int input = open("/dev/null", O_RDONLY);
    if (input < 0 || (input != 0 && (dup2(input, 0) < 0 || close(input) != 0))) return;
    if (chdir(folder) != 0) return;
    closefrom(3);
    (void)umask(mask);
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)execve(arguments[0], arguments, environment);
}

// posix_spawn(3) cannot set the program's umask. Changing the parent's umask for a moment would change it for all threads.
int ferry_spawn(
    pid_t *process, char *const *arguments, char *const *environment, const char *folder, mode_t mask) {
    sigset_t all, own;
    sigfillset(&all);
    // The child shares this memory until it executes the program, so none of the parent's signal handlers may run in it.
    int status = pthread_sigmask(SIG_BLOCK, &all, &own);
    if (status != 0) return status;
    volatile int failure = 0;
    pid_t child = vfork();
    if (child == 0) {
        become(arguments, environment, folder, mask);
        failure = errno != 0 ? errno : EINVAL;
        _exit(127);
    }
    status = child < 0 ? errno : failure;
    (void)pthread_sigmask(SIG_SETMASK, &own, NULL);
    if (child > 0 && status != 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    if (status == 0) *process = child;
    return status;
}

#endif
