// Ferry: FerryEngine
// The threads on which blocking disk calls run.

package import NIOPosix

/// Runs blocking calls on files on threads of their own, so that neither event loops nor Swift's tasks wait for a disk.
package struct DiskQueue: Sendable {
    package let system: any DiskSystem
    private let threads: NIOThreadPool

    package init(system: any DiskSystem, threads: NIOThreadPool) {
        self.system = system
        self.threads = threads
    }

    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async throws(DiskError) -> Value {
        try await result(body).get()
    }

    package func result<Value: Sendable>(
        _ body: @escaping @Sendable (any DiskSystem) throws(DiskError) -> Value
    ) async -> Result<Value, DiskError> {
        let system = system
        do {
            return try await threads.runIfActive {
                Result { () throws(DiskError) in try body(system) }
            }
        } catch {
            // The pool ends with the engine: what was asked after that has not been done.
            return .failure(DiskError("Working on", "a file", errno: ECANCELED))
        }
    }
}
