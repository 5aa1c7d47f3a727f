// Ferry: FerryAPI
// POST /v1/stop

/// Ends the daemon; transfers checkpoint first and go on at its next start.
package enum StopDaemon: Endpoint {
    package static let route = Route(
        .post, "/stop", "Ends the daemon; transfers go on at its next start.")

    package struct Response: Hashable, Codable, Sendable {
        /// Process that is about to end.
        package var pid: Int32

        package init(pid: Int32) { self.pid = pid }
    }
}
