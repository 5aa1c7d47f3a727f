// Ferry: FerryCore
// What is left to do on disk for a transfer that no run works on.

package import Foundation

/// What is left to do on disk for a transfer that no run works on, as its process ended or a folder did not answer.
package enum CleanUp: Hashable, Sendable {
    case none
    /// Its cancel was asked for: its partial file goes, and its end is recorded.
    case finishCancel
    /// Its file was being given another name: finds out which of the two it has.
    case findName
    /// It has ended, and its partial file cannot be continued.
    case removePartialFile(PartialFacts)

    /// Seconds for which the bytes of a failed or quit transfer are kept.
    package static let lifetime = 30.0 * 86_400

    package init(_ record: TransferRecord, now: Date) {
        let isOutdated = record.finishedAt.map { now.timeIntervalSince($0) > Self.lifetime } ?? false
        switch record.outcome {
        case nil: self = record.intent == .cancel ? .finishCancel : .none
        // A removal has its own list of what goes.
        case .some where record.intent.isRemoval: self = .none
        case .some where record.facts.placement?.formerPath != nil: self = .findName
        // What was quit is continued from its bytes.
        case .canceled where record.facts.cancelReason != nil && !isOutdated: self = .none
        case .failed(let error) where error.kept(with: record.facts) != .none && !isOutdated: self = .none
        case .some: self = record.facts.partial.map { .removePartialFile($0) } ?? .none
        }
    }
}
