import FerryCore
import FerryRules
import Foundation

extension Load {
    /// Performs the conversation, and passes on the body of its response as the reader requests it.
    func course() async throws(ServiceError) -> ResponseHead {
        try RequestFieldRule.checkMethod(request.method)
        let url = try HTTPURL(parsing: request.url)
        let terms = ConversationTerms(request, home: url.origin, engine.configuration, asksClient: questions != nil)
        let shared = Correspondence(.success(terms), questions, pauses: pauses)
        let ended: ConversationEnd
        if let body = request.uploaded {
            ended = try await upload(body, to: url, shared)
        } else {
            var conversation = try shared.begin(at: url)
            ended = try await conversation.carry(by: LoadConnection(self), shared, engine)
        }
        switch ended {
        case .accepted(let accepted):
            try checkCanceled()
            try accept(accepted)
            return accepted.head
        case .failed(let error, _), .waiting(_, let error): throw error
        }
    }

    private func accept(_ accepted: AcceptedExchange) throws(ServiceError) {
        let (head, course) = (accepted.head, accepted.course)
        if let fault = head.framingFault {
            throw ServiceError(
                .badResponse, "The response from \(course.url.host) cannot be read: it has \(fault).",
                details: ErrorDetails(url: course.url.redacted))
        }
        let hasBody = course.method != "HEAD" && ![204, 205, 304].contains(head.status)
        var coding: ContentDecoder.Coding?
        // A part of encoded data cannot be decoded.
        if request.decodes, hasBody, head.status != 206 {
            do throws(ServiceError) {
                coding = try ContentDecoder.coding(of: head)
            } catch  where request.fields.contains(where: { $0.isNamed("Accept-Encoding") }) {
                // A caller that names the codings gets the encoded body.
                coding = nil
            }
        }
        try begin(accepted.exchange, coding: coding, expected: hasBody ? head.contentLength : nil)
    }
}

/// The connections of a load, with the body that each request sends from its beginning.
actor LoadConnection: ConversationHost {
    private let load: Load
    private let upload: Upload?
    private var body: LoadSending

    init(_ load: Load, _ upload: Upload? = nil) {
        self.load = load
        self.upload = upload
        body = LoadSending(load.request.body)
    }

    func open(
        _ request: OutgoingRequest, isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> Exchange {
        try await open(request)
    }

    private func open(_ request: OutgoingRequest) async throws(ServiceError) -> Exchange {
        try load.checkCanceled()
        let options = load.request
        var key = ConnectionKey(proxy: request.proxy)
        key.loop = load.loop
        key.isInsecure = options.insecure
        key.isFresh = request.isFresh
        (key.minimumTLS, key.maximumTLS) = (options.minimumTLS, options.maximumTLS)
        var asked = ExchangeRequest(request, key: key, timeouts: timeouts)
        (asked.advisor, asked.trust) = (load.advisor, options.trust)
        guard let upload else {
            if request.sendsBody {
                var sending = body
                asked.body = try await sending.next()
                body = sending
            }
            return try load.open(asked)
        }
        if request.sendsBody { asked.body = upload.body() }
        asked.onInformational = upload.informing()
        return try load.open(asked, from: upload.start)
    }

    func ended(
        _ exchange: Exchange, _ request: OutgoingRequest, isolation: isolated (any Actor)?
    ) async {}

    private var timeouts: Timeouts {
        var timeouts = load.engine.configuration.timeouts
        timeouts.limit(to: load.request.idleTimeout ?? .infinity)
        return timeouts
    }
}

extension ConversationTerms {
    /// Creates the terms for the conversation of a load.
    fileprivate init(_ request: LoadRequest, home: Origin, _ configuration: Engine.Configuration, asksClient: Bool) {
        self.init(home: home)
        method = request.method
        fields = request.fields
        if case .none = request.body { hasBody = false } else { hasBody = true }
        credentials = request.credentials
        foreignFields = .keep
        redirects = RedirectPolicy(allowPrivateRedirects: true)
        followsCircles = true
        self.asksClient = asksClient
        ownCookieWins = true
        allowsLaterAttempt = false
        acceptEncoding = request.decodes ? "gzip, deflate" : "identity"
        environment = request.proxyEnvironment ?? configuration.environment
    }
}
