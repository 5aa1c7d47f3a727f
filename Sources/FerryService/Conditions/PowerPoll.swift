import Dispatch

/// A look at the power every few seconds: the kernel's files announce nothing.
final class PowerPoll: Sendable {
    private nonisolated(unsafe) let timer: any DispatchSourceTimer  // SAFETY: sources are thread-safe

    init(every seconds: Int, queue: DispatchQueue, _ look: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        // The first look is at once: somebody begins to depend on it.
        timer.schedule(deadline: .now(), repeating: .seconds(seconds), leeway: .seconds(1))
        timer.setEventHandler(handler: look)
        timer.resume()
        unsafe self.timer = timer
    }

    func stop() { unsafe timer.cancel() }
}
