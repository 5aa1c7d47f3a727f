import FerryCore
import FerryRules
import Foundation
import Testing

/// A conversation and its memory, driven by a test.
struct ConversationBed {
    static let home = "http://home.example/a"
    static let proofs = ProofSource(digester: { _, _ in [1, 2, 3] }, nonce: { "c" })
    static let lost = ServiceError(.connectionLost, "lost")

    private(set) var conversation: Conversation
    var memory = ConversationMemory()

    init(
        _ url: String = home, planned: [HeaderField] = [], memory: ConversationMemory = ConversationMemory(),
        isFresh: Bool = false, _ change: (inout ConversationTerms) -> Void = { _ in }
    ) throws {
        var terms = ConversationTerms(home: try HTTPURL(parsing: Self.home).origin)
        change(&terms)
        let course = RequestCourse(from: try HTTPURL(parsing: url), terms, cookies: memory.cookies)
        conversation = Conversation(terms, from: course, planned: planned, isFresh: isFresh)
        self.memory = memory
    }

    var course: RequestCourse { conversation.course }

    @discardableResult
    mutating func request(cookies: String? = nil) throws -> OutgoingRequest {
        try conversation.request(cookies: cookies, &memory, Self.proofs)
    }

    /// Sends the request and receives a response.
    mutating func answer(_ status: Int, _ fields: (String, String)...) throws -> Conversation.Step {
        try request()
        return receive(status, fields)
    }

    /// Receives the response to a request that was already sent.
    mutating func receive(_ status: Int, _ fields: [(String, String)]) -> Conversation.Step {
        let url = conversation.course.url
        let head = ResponseHead(
            status: status, fields: fields.map { HeaderField(name: $0.0, value: $0.1) }, url: url.string,
            origin: url.origin)
        return conversation.received(head, &memory, now: Date(timeIntervalSince1970: 0))
    }

    mutating func redirect(_ status: Int = 302, to location: String) throws -> Conversation.Step {
        try answer(status, ("Location", location))
    }

    /// Sends the request, which fails without a response.
    mutating func fail(_ failure: RequestFailure, wasSent: Bool = true) throws -> Conversation.Step {
        try request()
        return conversation.failed(failure, Self.lost, wasSent: wasSent, &memory)
    }

    mutating func say(_ answer: RedirectAnswer) -> Conversation.Step { conversation.answered(answer, now: Date()) }

    mutating func say(_ answer: ChallengeAnswer) -> Conversation.Step { conversation.answered(answer, &memory) }
}

extension OutgoingRequest {
    func values(_ name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.value) }
}

extension Conversation.Step {
    /// Short form of the step, for tables.
    var word: String {
        switch self {
        case .send(after: 0): "send"
        case .send(let seconds): "send after \(Int(seconds))"
        case .ask(.redirect): "ask redirect"
        case .ask(.challenge(let challenge)):
            "ask \(challenge.isProxy ? "proxy" : "server") \(challenge.previousFailures)"
        case .accept: "accept"
        case .fail(let error, let later): "fail \(error.code.rawValue)" + (later.map { " \($0.value)" } ?? "")
        case .wait(_, let error): "wait \(error.code.rawValue)"
        }
    }

    var proposal: ProposedRedirect? {
        if case .ask(.redirect(let redirect)) = self { redirect } else { nil }
    }
}
