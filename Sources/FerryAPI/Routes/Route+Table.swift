// Ferry: FerryAPI
// All routes of the control API.

extension Route {
    /// All routes, in the order in which the documentation shows them.
    package static let all: [Route] = [
        GetVersion.route, GetStatus.route,
        AddTransfer.route, AddTransfers.route, ListTransfers.route, GetTransfer.route, ChangeTransfer.route,
        DeleteTransfer.route, ActOnTransfers.route,
        StreamEvents.route,
        ListSessions.route, ChangeSession.route, AcknowledgeEvents.route,
        GetSettings.route, ChangeSettings.route,
        StopDaemon.route,
    ]
}
