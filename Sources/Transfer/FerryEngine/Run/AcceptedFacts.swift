import FerryCore
import FerryRules

extension TransferFacts {
    /// Records the response of a body from byte 0: its resource, its name and its URLs.
    mutating func accept(
        _ body: AcceptedBody, _ head: ResponseHead, _ course: RequestCourse, for job: TransferJob, original: HTTPURL
    ) {
        identity = body.identity
        if job.raw == .verbatim { identity?.completeLength = body.completeLength }
        if !body.isResumable, body.completeLength != nil || body.isDecoded { rangesOff = true }
        notes.removeAll { $0 == TransferNotes.webPage }
        for note in body.notes { add(note.rawValue) }
        if job.isUnexpectedPage(head, original, at: course.url) { add(TransferNotes.webPage) }
        if name == nil {
            name = FileName.choose(
                callerName: job.request.file.name, contentDisposition: head.value("Content-Disposition"),
                originalURL: original, finalURL: course.url, nameFrom: job.request.file.nameFrom)
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

    /// Adds a note for the user, once.
    mutating func add(_ note: String) {
        if !notes.contains(note) { notes.append(note) }
    }
}

extension AttemptState {
    /// Records that the bytes of a failed attempt are of no use to the next one.
    func noteRestart() {
        guard job.raw == nil, !facts.ranges.isEmpty, !options.judgesByDigest,
            DiskState(ranges: facts.ranges, identity: facts.identity, hasExpectedDigest: false) == .weak
        else { return }
        facts.add(TransferNotes.noValidator)
    }
}

extension TransferJob {
    /// Whether a response to the caller's plain request is a web page instead of the file.
    fileprivate func isUnexpectedPage(_ head: ResponseHead, _ original: HTTPURL, at final: HTTPURL) -> Bool {
        guard raw == nil else { return false }
        let login = request.login
        let hasLogin =
            credentials != nil || !login.cookies.isEmpty || request.headers.contains(where: SecretParts.isSecret)
            || GivenLogin.first(of: login.logins, for: original.origin) != nil
        let last = original.path.split(separator: "/").last.map { PercentEncoding.decodeLeniently(String($0)) }
        let name = request.file.name ?? last ?? ""
        let isElsewhere = final.host != original.host && name.contains(".")
        return WebPageRule.isUnexpected(head, name: name, hasLogin: hasLogin || isElsewhere)
    }
}
