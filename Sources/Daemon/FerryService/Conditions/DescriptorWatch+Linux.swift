package import Dispatch
import Glibc

/// Watches a descriptor without a thread of its own, and closes it at the end.
package final class DescriptorWatch: Sendable {
    private nonisolated(unsafe) let source: any DispatchSourceRead  // SAFETY: sources are thread-safe

    /// - Parameters:
    ///   - readable: Called on the queue when the descriptor is readable.
    ///   - close: Called on the queue after the last call of `readable`.
    package init(
        _ descriptor: Int32, queue: DispatchQueue, readable: @escaping @Sendable () -> Void,
        close: @escaping @Sendable () -> Void
    ) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: readable)
        source.setCancelHandler(handler: close)
        source.resume()
        unsafe self.source = source
    }

    package func stop() { unsafe source.cancel() }
}
