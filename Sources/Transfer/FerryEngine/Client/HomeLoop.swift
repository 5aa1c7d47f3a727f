import NIOCore
import NIOPosix

/// The event loop of an engine's decisions. It ends once nothing runs on it.
final class HomeLoop: Sendable {
    let loop: any EventLoop
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init() { loop = group.next() }

    deinit { group.shutdownGracefully { _ in } }
}

/// Runs tasks on the home loop: with `Task(executorPreference:)`, a continuation resumes its task there, and not on the
/// global executor first.
final class HomeTasks: TaskExecutor {
    private let home: HomeLoop

    init(on home: HomeLoop) { self.home = home }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        home.loop.execute { [self] in
            unsafe job.runSynchronously(
                isolatedTo: home.loop.executor.asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }
}

/// Serializes the decisions of runs and their service, on an event loop.
///
/// Actors on its executor call each other without a thread switch: a small file calls its service a dozen times, and is
/// received on the same loop. It must not run anything that may block or that grows with the size of a file.
actor DecidingActor {
    private let home: HomeLoop

    // SAFETY: The actor keeps alive the loop, which is the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe home.loop.executor.asUnownedSerialExecutor() }

    init(on home: HomeLoop) { self.home = home }
}
