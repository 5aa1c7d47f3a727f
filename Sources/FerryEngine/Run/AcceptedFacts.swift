import FerryCore

extension TransferFacts {
    /// Records the response of a body from byte 0: its resource, its name and its URLs.
    mutating func accept(
        _ body: AcceptedBody, _ head: ResponseHead, _ course: RequestCourse, for request: TransferRequest,
        original: HTTPURL
    ) {
        identity = body.identity
        if request.raw == .verbatim { identity?.completeLength = body.completeLength }
        if !body.isResumable, body.completeLength != nil || body.isDecoded { rangesOff = true }
        for note in body.notes { add(note.rawValue) }
        if name == nil {
            name = FileName.choose(
                callerName: request.file.name, contentDisposition: head.value("Content-Disposition"),
                originalURL: original, finalURL: course.url, nameFrom: request.file.nameFrom)
        }
        noteWay(course)
    }

    /// Records the URLs of a response, and a warning about the name.
    mutating func noteWay(_ course: RequestCourse) {
        let isRedirected = course.chain.count > 0
        finalURL = isRedirected ? course.url.redacted : course.url.withoutUserinfo.string
        redirects = isRedirected ? course.chain.redacted : []
        if let name, FileName.runsOnDesktop(name) { add("a desktop may run this file when it is opened") }
    }

    private mutating func add(_ note: String) {
        if !notes.contains(note) { notes.append(note) }
    }
}

extension TransferRequest {
    /// The limits that the caller's own method, body and fields set on requests.
    var raw: RawRequest? {
        guard body == nil, let kind = try? RequestFieldRule.kind(method: method, fields: headers) else {
            return .verbatim
        }
        return switch kind {
        case .plain: RawRequest?.none
        case .ownRange(let range): .ownRange(range)
        case .coded: .coded
        case .raw: .verbatim
        }
    }
}

extension TransferJob {
    /// Returns the inputs of the decision about a response, as for an attempt without bytes or history.
    func situation(_ asked: Asked, _ head: ResponseHead, method: String, _ options: RunOptions) -> ResumeSituation {
        var situation = ResumeSituation(asked: asked, response: .success(head))
        // The conversation has already followed permitted redirects.
        situation.locationIsGood = false
        situation.hasExpectedDigest = options.judgesByDigest
        situation.raw = request.raw
        situation.method = method
        situation.acceptsAnyStatus = request.response.statusPolicy == .any
        situation.acceptableStatuses = request.response.acceptableStatuses
        situation.hasCredentials = credentials != nil
        situation.expectedSize = request.response.expectedSize
        situation.maxSize = request.response.maxSize
        return situation
    }
}
