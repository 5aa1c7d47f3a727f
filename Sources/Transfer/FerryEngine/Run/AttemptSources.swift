import FerryCore
import FerryRules

/// The URLs of a transfer in one attempt: the current one, the dropped ones, and the state of each.
///
/// Index 0 is the request's own URL. Its mirrors follow.
struct AttemptSources: Sendable {
    /// The request's own URL.
    let original: Result<HTTPURL, ServiceError>
    private let mirrors: [String]
    /// Index of the current URL.
    private(set) var current = 0
    private var failed: Set<Int> = []
    private var ranks: [Int: SourceRank] = [:]
    /// Mirrors that delivered bytes.
    private(set) var usedMirrors: Set<Int> = []

    init(_ request: TransferRequest) {
        original = Result { () throws(ServiceError) in try HTTPURL(parsing: request.url) }
        mirrors = request.mirrors
    }

    func url(of number: Int) throws(ServiceError) -> HTTPURL {
        number == 0 ? try original.get() : try HTTPURL(parsing: mirrors[number - 1])
    }

    func rank(of number: Int) -> SourceRank? { ranks[number] }

    /// The other URLs that have not failed.
    var others: [Int] { (0...mirrors.count).filter { $0 != current && !failed.contains($0) } }

    /// Switches to the next URL after the current one has failed. Returns false if there is none.
    mutating func advance() -> Bool {
        failed.insert(current)
        guard let next = (0...mirrors.count).first(where: { !failed.contains($0) }) else { return false }
        current = next
        return true
    }

    /// Drops a URL.
    ///
    /// - Returns: The transfer's note about a dropped mirror.
    mutating func drop(_ number: Int, _ reason: String) -> String? {
        failed.insert(number)
        guard number > 0, let url = try? url(of: number) else { return nil }
        return "mirror \(url.redacted) dropped: \(reason)"
    }

    /// Records that a URL delivered bytes.
    mutating func noteUse(of number: Int) {
        if number > 0 { usedMirrors.insert(number) }
    }

    /// Records the results of several workers' URLs.
    mutating func note(_ places: [WorkerPlace]) {
        for place in places { ranks[place.number] = place.rank }
    }

    /// Returns why a mirror's response is rejected: it is for another file, or it would discard bytes that the first
    /// URL can still continue.
    ///
    /// - Parameters:
    ///   - known: Length of the file, if known.
    ///   - error: Error of the previous URL.
    /// - Returns: The reason, and the error of the mirror.
    func objection(
        to answer: Answer, known: Int64?, hasBytes: Bool, before error: ServiceError?
    ) -> (reason: String, error: ServiceError)? {
        guard current > 0 else { return nil }
        let isWhole = answer.head.status == 200 || answer.head.status == 206
        if isWhole, let known, let length = answer.head.completeLength, length != known {
            let sentence = "A mirror's file has \(length) bytes, not \(known)."
            return ("its file has another length", ServiceError(.resourceChanged, sentence))
        }
        switch answer.verdict.decision {
        case .start, .restart:
            guard hasBytes, error?.errorClass != .final else { return nil }
            let own = ServiceError(.resourceChanged, "A mirror's file is another version.")
            return ("its file is another version", error ?? own)
        default: return nil
        }
    }
}
