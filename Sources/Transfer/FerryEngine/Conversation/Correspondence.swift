import FerryCore
import FerryRules

/// State shared by all conversations of one attempt or load. Stays in their isolation.
final class Correspondence {
    /// The terms of the conversations. An error if the URL cannot be parsed.
    let terms: Result<ConversationTerms, ServiceError>
    /// Asks the client, or `nil` without a client.
    let questions: ClientQuestions?
    let pauses: Pauses
    /// Facts learned from servers.
    var memory = ConversationMemory()

    init(
        _ terms: Result<ConversationTerms, ServiceError>, _ questions: ClientQuestions?, pauses: Pauses = Pauses()
    ) {
        self.terms = terms
        self.questions = questions
        self.pauses = pauses
    }

    /// Begins a conversation at a URL of the caller's.
    func begin(
        at start: HTTPURL, planned: [HeaderField] = [], isFresh: Bool = false
    ) throws(ServiceError) -> Conversation {
        Conversation(try terms.get(), from: try course(from: start), planned: planned, isFresh: isFresh)
    }

    /// Returns the first request course for a URL of the caller's.
    func course(from start: HTTPURL) throws(ServiceError) -> RequestCourse {
        RequestCourse(from: start, try terms.get(), cookies: memory.cookies)
    }
}
