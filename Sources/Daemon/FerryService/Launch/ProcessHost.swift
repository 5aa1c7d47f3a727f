package import FerryCore

/// Finds and starts processes.
package protocol ProcessHost: Sendable {
    /// Returns a running process, or `nil` if none has this id.
    func mark(of process: Int32) -> ProcessMark?
    /// Starts a program. Blocks while its folder does not respond.
    ///
    /// - Returns: The process id, which the caller must ``watch(_:ended:)``.
    /// - Throws: ``ServiceError`` with code `invalid_request` if the program cannot be started.
    func start(_ program: ProgramStart) throws(ServiceError) -> Int32
    /// Waits for a process started here to exit.
    ///
    /// - Parameter ended: Called once the process has exited, on any thread.
    func watch(_ process: Int32, ended: @escaping @Sendable (Int32) -> Void)
}

extension ProcessHost {
    /// Whether the process lives.
    func isAlive(_ mark: ProcessMark) -> Bool { self.mark(of: mark.process) == mark }
}
