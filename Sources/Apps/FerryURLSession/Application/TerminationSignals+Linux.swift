import Dispatch
import Glibc

/// Turns SIGINT and SIGTERM into calls on the main thread. Owns both signals during its lifetime.
@MainActor final class TerminationSignals {
    private var sources: [any DispatchSourceSignal] = []
    private var hasFired = false

    /// - Parameter handler: Called for the first signal only. A second SIGINT ends the process at once.
    init(_ handler: @escaping @MainActor (CInt) -> Void) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler {
                MainActor.assumeIsolated {
                    guard !self.hasFired else { return Self.end(by: number) }
                    self.hasFired = true
                    handler(number)
                }
            }
            source.resume()
            sources.append(source)
        }
    }

    /// Ends the process by the signal's default action, so that the parent process gets the signal as the reason.
    static func end(by number: CInt) {
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }
}
