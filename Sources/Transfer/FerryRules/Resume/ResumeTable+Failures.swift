import FerryCore

/// Responses without usable bytes (docs/behaviour/transfers.md#row-28 to row 38).
extension ResumeTable {
    /// Decides about a response without usable bytes. The last row matches everything.
    static func failure(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict {
        if [400, 401, 403, 404, 410].contains(head.status), situation.reusedFinalURL {
            return ResumeVerdict(28, .askOriginalURL)
        }
        let verdict = refusal(situation, head) ?? busy(situation, head) ?? other(head)
        let isAccepted = situation.acceptStatus.contains(head.status) && !StatusRange.success.contains(head.status)
        // A refused continuation keeps the bytes on disk: an error page is no result in place of them.
        if situation.acceptsAnyStatus && !situation.hasBytes || isAccepted {
            return result(verdict.row, situation, head)
        }
        guard situation.failsOtherStatuses || situation.acceptsAnyStatus,
            case .retryLater(var error) = verdict.decision,
            !busyStatuses.contains(head.status)
        else { return verdict }
        error.classOverride = .final
        return ResumeVerdict(verdict.row, .fail(error))
    }

    /// Statuses worth a retry where the caller gave the acceptable statuses.
    private static let busyStatuses: Set = [408, 429, 500, 502, 503, 504]

    /// The request is refused (docs/behaviour/transfers.md#row-29 to row 32).
    private static func refusal(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        switch head.status {
        case 401, 403, 410:
            if situation.hasBytes {
                let advice =
                    head.status == 401
                    ? situation.loginRefusal.advice(head.origin.host)
                    : "the address or the login has expired; to continue, type the command again with a new one"
                return ResumeVerdict(29, .retryLater(head.statusError(.urlExpired, advice)))
            }
            if head.status == 401 {
                let advice = situation.loginRefusal.advice(head.origin.host)
                return ResumeVerdict(30, .fail(head.statusError(.authRequired, advice)))
            }
            return head.status == 410 ? missing(situation, head) : nil
        case 404:
            return missing(situation, head)
        case 407:
            let advice = "give a user name and password for the proxy"
            return ResumeVerdict(32, .fail(head.statusError(.proxyAuthRequired, advice)))
        default:
            return nil
        }
    }

    /// The file does not exist (docs/behaviour/transfers.md#row-31).
    private static func missing(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict {
        if situation.hasBytes { return ResumeVerdict(31, .retryLater(head.statusError(.notFound, as: .doubtful))) }
        return ResumeVerdict(31, .fail(head.statusError(.notFound, "check the address")))
    }

    /// The server is temporarily unable to respond (docs/behaviour/transfers.md#row-33 to row 36).
    private static func busy(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        switch head.status {
        case 408, 425, 429, 502, 503, 504, 520...524:
            ResumeVerdict(33, .retryLater(head.statusError(.serverBusy)))
        case 500:
            ResumeVerdict(34, .retryLater(head.statusError(.serverBusy, as: .doubtful)))
        case 421:
            ResumeVerdict(35, situation.usedFreshConnection ? .fail(head.statusError(.httpStatus)) : .askOnceMoreFresh)
        case 511:
            ResumeVerdict(36, .waitForNetwork)
        default:
            nil
        }
    }

    /// Any other error status (docs/behaviour/transfers.md#row-37 and row 38).
    private static func other(_ head: ResponseHead) -> ResumeVerdict {
        guard 300...399 ~= head.status else { return ResumeVerdict(38, .fail(head.statusError(.httpStatus))) }
        let advice = "it names no other address that can be followed"
        return ResumeVerdict(37, .fail(head.statusError(.redirectRefused, advice)))
    }

    /// An acceptable status, or policy `any`: the body of the response is the file (docs/behaviour/transfers.md#R11).
    private static func result(_ row: Int, _ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict {
        // The caller's expected size is not that of an error page.
        var body = verbatim(situation, head)
        body.notes.append(.statusIsResult)
        if let fault = oversize(situation, head, length: body.completeLength) {
            return ResumeVerdict(row, .fail(fault))
        }
        return ResumeVerdict(row, .start(body))
    }
}
