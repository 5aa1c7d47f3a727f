// Ferry: FerryAPI
// All routes of the control API.

extension Route {
    /// All routes, in the order in which the documentation shows them.
    package static let all: [Route] = [
        GetVersion.route, GetStatus.route,
        AddTransfer.route, AddTransfers.route, ListTransfers.route, GetTransfer.route, ChangeTransfer.route,
        DeleteTransfer.route, ReleaseTransfer.route, ActOnTransfers.route, SubmitBatch.route,
        SubmitList.route,
        StreamEvents.route,
        ListSessions.route, ChangeSession.route, ActOnSession.route, ReorderSession.route, AcknowledgeEvents.route,
        AttachSession.route,
        QuitSessions.route, ConnectApplication.route, ActivateApplication.route, ChangeApplication.route,
        GetSettings.route, ChangeSettings.route,
        StopDaemon.route,
    ]
}
