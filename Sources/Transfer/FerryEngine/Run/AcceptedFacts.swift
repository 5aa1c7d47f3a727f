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
        for note in body.notes { add(note.rawValue) }
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
