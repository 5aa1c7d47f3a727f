#include "CTaskHooks.h"

#define SWIFT_CC __attribute__((swiftcall))

typedef SWIFT_CC void (*original_now)(void *);
typedef SWIFT_CC void (*original_after)(unsigned long long, void *);
typedef SWIFT_CC void (*original_at)(long long, long long, long long, long long, int, void *);

extern SWIFT_CC void (*swift_task_enqueueGlobal_hook)(void *, original_now);
extern SWIFT_CC void (*swift_task_enqueueMainExecutor_hook)(void *, original_now);
extern SWIFT_CC void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long, void *, original_after);
extern SWIFT_CC void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long, long long, long long, long long, int, void *, original_at);

static ferry_enqueue to_now, to_main;
static ferry_enqueue_after to_after;
static ferry_enqueue_at to_at;

static SWIFT_CC void now_hook(void *job, original_now original) { to_now(job); }
static SWIFT_CC void main_hook(void *job, original_now original) { to_main(job); }
static SWIFT_CC void after_hook(unsigned long long delay, void *job, original_after original) {
    to_after(job, (long long)delay);
}
static SWIFT_CC void at_hook(
    long long seconds, long long nanoseconds, long long leeway, long long leeway_nanoseconds, int clock, void *job,
    original_at original) {
    to_at(job, seconds, nanoseconds, clock);
}

void ferry_set_task_hooks(ferry_enqueue now, ferry_enqueue_after after, ferry_enqueue_at at, ferry_enqueue main) {
    to_now = now;
    to_after = after;
    to_at = at;
    to_main = main;
    swift_task_enqueueGlobal_hook = now_hook;
    swift_task_enqueueMainExecutor_hook = main_hook;
    swift_task_enqueueGlobalWithDelay_hook = after_hook;
    swift_task_enqueueGlobalWithDeadline_hook = at_hook;
}

/// The generic executor is null.
typedef struct { void *identity; void *implementation; } executor_ref;

extern SWIFT_CC void swift_job_run(void *job, executor_ref executor);

void ferry_run_pooled(void *job) { swift_job_run(job, (executor_ref){0, 0}); }
