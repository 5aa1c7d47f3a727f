// Ferry: FerryServer
// Tells whoever started the daemon that it is there.

package import FerryCore
import Foundation
import Synchronization

/// The pipe on which whoever started the daemon waits for one line: `ready`, or `error CODE SENTENCE`.
///
/// `FERRY_READY_FD` names its descriptor; without it nothing is written. Only the first line counts.
package final class ReadyPipe: Sendable {
    private let descriptor: Mutex<Int32?>

    package init(environment: [String: String]) {
        let named = environment["FERRY_READY_FD"].flatMap { Int32($0) } ?? -1
        // The standard streams are no pipes of ours, and a number that is not open belongs to whoever opens next.
        guard named > 2, fcntl(named, F_GETFD) >= 0 else {
            descriptor = Mutex(nil)
            return
        }
        _ = fcntl(named, F_SETFD, FD_CLOEXEC)
        descriptor = Mutex(named)
    }

    package func ready() { write("ready\n") }

    package func failed(_ error: TransferError) { write("error \(error.word) \(error.message.escapingControls)\n") }

    private func write(_ line: String) {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            let bytes = Array(line.utf8)
            _ = unsafe Foundation.write(open, bytes, bytes.count)
            close(open)
            descriptor = nil
        }
    }
}
