#ifndef CTASKHOOKS_H
#define CTASKHOOKS_H

typedef void (*ferry_enqueue)(void *job);
typedef void (*ferry_enqueue_after)(void *job, long long nanoseconds);
typedef void (*ferry_enqueue_at)(void *job, long long seconds, long long nanoseconds, int clock);

/// Passes every job that Swift's runtime would give to its thread pool, its timers or the main queue to these functions.
///
/// Swift declares the hooks in `swift/Runtime/Concurrency.h`. They apply to the whole process.
void ferry_set_task_hooks(ferry_enqueue now, ferry_enqueue_after after, ferry_enqueue_at at, ferry_enqueue main);

/// Runs a job as a thread of Swift's pool does. `swift_job_run` is declared in `swift/Runtime/Concurrency.h`.
void ferry_run_pooled(void *job);

#endif
