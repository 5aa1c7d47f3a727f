import FerryCore
import FerryRules

extension Upload {
    /// Makes the requests of the upload, until the resource named by the caller responds.
    ///
    /// Each request is its own conversation, with redirects and challenges.
    ///
    /// - Parameters:
    ///   - url: The first URL that gets the content.
    ///   - shared: State shared by the conversations of the attempt or load.
    /// - Throws: The host's errors.
    func carry(
        isolation: isolated (any Actor)? = #isolation, to url: HTTPURL, planned: [HeaderField] = [],
        isFresh: Bool = false, by host: some ConversationHost, _ shared: Correspondence, _ engine: Engine
    ) async throws(ServiceError) -> ConversationEnd {
        while true {
            let request = try await begin()
            var conversation = try shared.begin(
                request, at: try target(of: request, url),
                planned: planned + request.fields(facts.version, length: content.length), isFresh: isFresh)
            let ended: ConversationEnd
            do throws(ServiceError) {
                ended = try await conversation.carry(by: host, shared, engine)
            } catch {
                try? await end()
                throw error
            }
            try await end()
            guard case .accepted(let accepted) = ended else { return ended }
            switch answered(accepted.head, from: accepted.course.url) {
            case .accept:
                if case .create = request { return ended }
                return .accepted(
                    AcceptedExchange(
                        exchange: accepted.exchange, head: accepted.head, course: accepted.course.answering(for: url),
                        redirects: accepted.redirects, setup: accepted.setup, loginRefusal: accepted.loginRefusal))
            case .send: await accepted.exchange.drop()
            case .fail(let error):
                await accepted.exchange.close()
                return .failed(error, later: RetryAfterResponse(accepted.head))
            }
        }
    }

    private func target(of request: UploadRequest, _ url: HTTPURL) throws(ServiceError) -> HTTPURL {
        if case .create = request { return url }
        guard let resource = facts.resource else {
            throw ServiceError(.internal, "An upload continues without a known resource.")
        }
        return try HTTPURL(parsing: resource)
    }
}

extension Correspondence {
    /// Begins a conversation about an upload.
    func begin(
        _ request: UploadRequest, at url: HTTPURL, planned: [HeaderField], isFresh: Bool
    ) throws(ServiceError) -> Conversation {
        guard let method = request.method else { return try begin(at: url, planned: planned, isFresh: isFresh) }
        var terms = try terms.get()
        terms.method = method
        terms.hasBody = request.part != nil
        terms.fields.removeAll { RequestCourse.isAboutBody($0) || Self.isAboutWhole($0) }
        let course = RequestCourse(from: url, terms, cookies: memory.cookies)
        return Conversation(terms, from: course, planned: planned, isFresh: isFresh)
    }

    /// Returns whether a field describes the resource or content of the caller's whole request, and not of a part.
    private static func isAboutWhole(_ field: HeaderField) -> Bool {
        let name = field.name.lowercased()
        return name.hasPrefix("if-") || ["range", "content-md5", "content-digest", "digest"].contains(name)
    }
}
