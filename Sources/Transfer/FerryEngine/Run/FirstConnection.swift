import FerryCore
import FerryRules

/// The first connection of an attempt. The head it receives decides about all other connections.
struct FirstConnection: ConversationHost {
    let run: TransferRun
    let variant: RequestVariant
    var upload: Upload?

    func open(
        _ request: OutgoingRequest, isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> Exchange {
        try await run.open(request, variant, upload)
    }

    func ended(_ exchange: Exchange, _ request: OutgoingRequest, isolation: isolated (any Actor)?) async {
        await run.noteSent(exchange, request, upload)
    }
}

extension ConversationTerms {
    /// Creates the conversation terms of a transfer.
    init(_ job: TransferJob, home: Origin, _ configuration: Engine.Configuration) {
        let request = job.request
        self.init(home: home)
        method = request.method
        fields = request.headers
        hasBody = request.body != nil
        credentials = job.credentials
        login = request.login
        suffixes = configuration.suffixes
        foreignFields = request.transport.foreignFields
        redirects = request.transport.redirects
        followsCircles = request.response.statusPolicy == .any
        asksClient = job.advisor != nil
        ownCookieWins = asksClient || !request.cookies.isEmpty
        environment = request.transport.proxyEnvironment ?? configuration.environment
    }
}
