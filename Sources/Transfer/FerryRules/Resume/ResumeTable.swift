import FerryCore

/// Decides about a response from the bytes on disk, the request and the response head.
///
/// Bytes of two responses are joined only if both have the same strong identity, or if an expected digest of the whole
/// file verifies them (docs/behaviour/transfers.md#R2). The first matching row wins. Rows and their numbers are those
/// of docs/behaviour/transfers.md#the-table-of-answers.
package enum ResumeTable {
    /// Consecutive version changes after which the next one is a failure.
    package static let restartLimit = 5

    package static func decide(_ situation: ResumeSituation) -> ResumeVerdict {
        switch situation.response {
        case .failure(let error):
            ResumeVerdict(1, .retryLater(error))
        case .success(let head):
            decide(situation, head)
        }
    }

    private static func decide(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict {
        if let verdict = redirect(situation, head) { return verdict }
        if let fault = head.framingFault {
            let message = "The response from \(head.shownURL) cannot be read: it has \(fault)."
            return ResumeVerdict(0, .retryLater(head.error(.badResponse, message)))
        }
        return extraWorker(situation, head) ?? rawRange(situation, head) ?? notModified(situation, head)
            ?? suspicious(situation, head) ?? success(situation, head) ?? part(situation, head)
            ?? wholeInsteadOfPart(situation, head) ?? refusedRange(situation, head) ?? failure(situation, head)
    }

    /// A redirect to follow (docs/behaviour/transfers.md#row-2).
    private static func redirect(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard situation.locationIsGood, let location = head.redirectTarget else { return nil }
        return ResumeVerdict(2, .follow(location: location))
    }

    /// Reasons for an extra worker to end (docs/behaviour/transfers.md#row-3 and row 4).
    private static func extraWorker(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard situation.isExtraWorker else { return nil }
        if situation.isWhole(head) || situation.refusedPart(head) != nil { return ResumeVerdict(3, .leave) }
        // An expired signed target also responds with 403: the original URL shows which it is.
        let mayHaveExpired = head.status == 403 && situation.reusedFinalURL
        if [403, 429, 503].contains(head.status), situation.anotherWorkerReceives, !mayHaveExpired {
            return ResumeVerdict(4, .hostLimit)
        }
        return nil
    }

    /// The file at the destination is up to date (docs/behaviour/transfers.md#row-6).
    private static func notModified(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        situation.asked == .conditional && head.status == 304 ? ResumeVerdict(6, .unchanged) : nil
    }

    /// A web page where a file was, as from a captive portal, never costs the bytes on disk
    /// (docs/behaviour/transfers.md#row-7, docs/behaviour/transfers.md#R8).
    private static func suspicious(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard situation.hasBytes, situation.isWhole(head), head.mediaType == "text/html",
            let identity = situation.identity, identity.contentType?.mediaType != "text/html"
        else { return nil }
        let page = ResourceIdentity(head)
        guard
            page.origin != identity.origin || page.completeLength != identity.completeLength
                || page.etag != identity.etag
        else { return nil }
        let message =
            "\(head.shownURL) responded with a web page instead of the file; "
            + "log in to the network, or open the address in a browser."
        return ResumeVerdict(7, .retryLater(head.error(.resourceChanged, message, as: .doubtful)))
    }
}

extension ResumeTable {
    /// A restart, or the failure instead of it after too many consecutive version changes.
    ///
    /// A restart with the same version is no sign of a change and counts as a failure does.
    static func restart(
        _ row: Int, _ situation: ResumeSituation, _ head: ResponseHead, _ decision: ResumeDecision
    ) -> ResumeVerdict {
        let verdict = ResumeVerdict(row, decision)
        guard verdict.countsAsRestart, situation.restart?.isOtherVersion != true,
            situation.restarts >= restartLimit
        else { return verdict }
        let message =
            "The download of \(head.shownURL) restarted \(restartLimit) times because the server's file "
            + "kept changing; try again later, or give its checksum."
        return ResumeVerdict(row, .fail(head.error(.resourceChanged, message)))
    }

    /// The failure for a complete length that the caller's sizes rule out, before any byte is stored
    /// (docs/behaviour/transfers.md#R15).
    static func sizeFault(_ situation: ResumeSituation, _ head: ResponseHead, length: Int64?) -> ServiceError? {
        guard let length else { return nil }
        if let expected = situation.expectedSize, expected != length {
            return head.error(
                .lengthMismatch, "\(head.shownURL) is \(length) bytes long, but \(expected) bytes were expected.")
        }
        return oversize(situation, head, length: length)
    }

    /// The failure for a length over the caller's maximum (docs/behaviour/transfers.md#I7).
    static func oversize(_ situation: ResumeSituation, _ head: ResponseHead, length: Int64?) -> ServiceError? {
        guard let length, let maximum = situation.maxSize, length > maximum else { return nil }
        return head.error(
            .tooLarge, "\(head.shownURL) is \(length) bytes long, which is over the maximum of \(maximum) bytes.")
    }
}

extension ResumeSituation {
    /// Whether the head announces a whole file: 200, or 203, which is a 200 changed by a proxy.
    func isWhole(_ head: ResponseHead) -> Bool {
        (head.status == 200 || head.status == 203) && acceptStatus.contains(head.status)
    }
}
