import FerryCore

/// What all conversations of one attempt, or of one load, have in common; it stays where these are isolated.
final class Correspondence {
    /// What they go by; a URL that cannot be read has none.
    let terms: Result<ConversationTerms, ServiceError>
    /// Who is asked; nil where no client is.
    let questions: ClientQuestions?
    let pauses: Pauses
    /// What servers have told.
    var memory = ConversationMemory()

    init(
        _ terms: Result<ConversationTerms, ServiceError>, _ questions: ClientQuestions?, pauses: Pauses = Pauses()
    ) {
        self.terms = terms
        self.questions = questions
        self.pauses = pauses
    }

    /// A conversation that begins at a URL of the caller's.
    func begin(
        at start: HTTPURL, planned: [HeaderField] = [], isFresh: Bool = false
    ) throws(ServiceError) -> Conversation {
        Conversation(try terms.get(), from: try course(from: start), planned: planned, isFresh: isFresh)
    }

    /// Where requests begin that are for a URL of the caller's.
    func course(from start: HTTPURL) throws(ServiceError) -> RequestCourse {
        RequestCourse(from: start, try terms.get(), cookies: memory.cookies)
    }
}
