import CFerrySystem

/// A detached thread for work that may block forever.
///
/// Foundation's `Thread` does not report when the system refuses a thread, and its work is then never done.
package enum BlockingThread {
    /// Stack size in bytes. Large enough for resolver modules, which keep complete responses on their stacks.
    private static let stackSize = 512 << 10

    /// - Returns: False, with nothing done, if the system refuses a thread.
    @Sendable package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let box = unsafe Unmanaged.passRetained(Work(work))
        let status = unsafe ferry_start_thread(
            { argument in
                // SAFETY: the thread is given the one reference that was kept for it.
                if let argument = unsafe argument {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                }
            }, box.toOpaque(), stackSize)
        if status != 0 { unsafe box.release() }
        return status == 0
    }

    /// Returns whether the system currently allows this many more threads.
    package static func areAvailable(_ count: Int) -> Bool { ferry_try_threads(CInt(clamping: count)) == 0 }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
