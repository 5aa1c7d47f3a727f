package import FerryCore
package import FerryRules
package import FerryFoundation

/// The phase of a running attempt.
package enum AttemptPhase: Hashable, Sendable {
    /// Bytes are missing. The file's name is chosen later.
    case receiving
    /// The file is complete and gets its name.
    case placing
}

extension TransferChange {
    /// Returns a transfer with this change applied, except for actions and answers.
    ///
    /// - Parameter phase: The phase of its attempt. A transfer with a stored outcome may still have one.
    /// - Throws: `invalid_request`, or `request_not_replaceable`.
    package func applied(
        to record: TransferRecord, in phase: AttemptPhase?, now: Date
    ) throws(ServiceError) -> TransferRecord {
        let former = record.request
        var record = record
        if let priority { record.request.timing.priority = priority }
        if let rate = rateLimit { record.request.transport.rateLimit = rate }
        if let connections { record.request.transport.connections = connections }
        if url != nil || headers != nil || login != LoginChange() { try Self.checkReplaceable(record) }
        let removed = url.map { record.request.replaceURL(with: $0) } ?? []
        if let mirrors { record.request.mirrors = mirrors }
        if let headers { record.request.headers = headers }
        if let cookies = login.cookies { record.request.cookies = cookies }
        if let logins = login.logins { record.request.login.logins = logins }
        // Fields that the change gives again are not missing.
        let missing = removed.filter { name in
            switch name {
            case TransferRequest.removedCookies: login.cookies == nil
            case TransferRequest.removedLogin: login.logins == nil
            default: headers?.contains { $0.isNamed(name) } != true
            }
        }
        if !missing.isEmpty { record.facts.notes.append(TransferNotes.removed(missing)) }
        // The change provides the request's secrets again.
        if url != nil || headers != nil || login != LoginChange() { record.request.secretsForgotten = false }
        if let network {
            // Whoever submitted it relies on that.
            let needsLease = record.request.transport.network.needsLease
            record.request.transport.network = network
            if needsLease { record.request.transport.network.needsLease = true }
        }
        if let begin = notBefore { record.request.timing.notBefore = begin > now ? begin : nil }
        if let note { record.request.note = note }
        if let rule = retryRule { record.request.timing.retryRule = rule }
        if let checksums { record.request.response.checksums = checksums }
        if let policy = onMismatch { record.request.response.onMismatch = policy }
        if let policy = onConflict { record.request.file.onConflict = policy }
        if let name { record.request.file.name = name }
        if let folder { record.request.file.folder = folder }
        if folder != nil || file.allowedFolders != nil { record.request.file.allowedFolders = file.allowedFolders }
        let movesFile = name != nil || folder != nil
        if movesFile {
            if case .succeeded = record.outcome {
                throw ServiceError(.invalidRequest, "The file of \(record.id) is already in its place.")
            }
            if record.facts.partial != nil, record.request.file.partialFolder == nil,
                record.request.file.folder != Destination.folder(of: record.request)
                    || folder != nil
            {
                throw ServiceError(
                    .invalidRequest, "A transfer that has bytes keeps its folder; cancel it and submit it anew.")
            }
            switch record.outcome == nil ? phase : nil {
            case .receiving where Destination.folder(of: record.request) == Destination.folder(of: former):
                // The facts belong to the attempt, which takes the name when the file is complete.
                break
            case .placing where folder == nil:
                throw ServiceError(.invalidRequest, "The file of \(record.id) is getting its name; try again.")
            case .receiving, .placing:
                throw ServiceError(.invalidRequest, "Pause the transfer before its name or folder is changed.")
            case nil:
                record.facts.name = nil
                record.facts.destination = nil
                record.facts.placement = nil
            }
        }
        let formerOrigin = try? HTTPURL(parsing: former.url).origin
        let admitted = try TransferAdmission.admit(record.request)
        record.request = admitted.request
        // A user name and a password belong to their origin too.
        if url != nil, admitted.credentials != nil || admitted.origin != formerOrigin {
            record.credentials = admitted.credentials
        }
        return record
    }

    /// - Throws: ``ServiceError`` with code `request_not_replaceable`.
    private static func checkReplaceable(_ record: TransferRecord) throws(ServiceError) {
        let request = record.request
        guard request.method == "GET", request.direction == .download, !(request.file.spooled && record.outcome != nil)
        else {
            let sentence =
                request.method == "GET"
                ? "The transfer \(record.id) has ended."
                : "The request of \(record.id) has the method \(request.method)."
            throw ServiceError(.requestNotReplaceable, sentence)
        }
    }
}
