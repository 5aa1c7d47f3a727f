package import FerryCore
package import FerryFoundation
package import FerryRules

/// The possible places of files that are to be removed.
package struct CleanUpPlace: Hashable, Sendable {
    /// The folders to check.
    package let folders: Set<String>
    /// Whether a file is known to be there. Otherwise a folder that returns an error counts as empty.
    package let isRecorded: Bool

    package init(folders: Set<String>, isRecorded: Bool) {
        self.folders = folders
        self.isRecorded = isRecorded
    }

    /// The parent folders: a mounted file system that hangs usually holds several download folders.
    fileprivate var parents: Set<String> { Set(folders.map(\.folderPart)) }
}

/// Decides which places are cleaned up at the same time.
///
/// A place that hangs yields its slot, so that it blocks no other. It keeps a thread until it responds, and no more
/// work starts there meanwhile. Therefore only a few places below one folder, and some dozens in all, may hang. Further
/// work waits until one of them responds.
package struct CleanUpQueue: Sendable {
    package struct Job: Equatable, Sendable {
        package let place: CleanUpPlace
        package let ids: Set<TransferID>
    }

    /// Maximum number of places being cleaned up, without hanging ones.
    private static let atOnce = 8
    private static let mostHanging = 64
    private static let mostHangingTogether = 4

    private var order: [CleanUpPlace] = []
    private var waiting: [CleanUpPlace: Set<TransferID>] = [:]
    private var active: Set<CleanUpPlace> = []
    private var hanging: Set<CleanUpPlace> = []

    package init() {}

    /// Adds transfers with files in a place.
    package mutating func add(_ ids: Set<TransferID>, in place: CleanUpPlace) {
        if waiting[place] == nil { order.append(place) }
        waiting[place, default: []].formUnion(ids)
    }

    /// Records that a place has not responded for long.
    package mutating func hangs(_ place: CleanUpPlace) {
        if active.remove(place) != nil { hanging.insert(place) }
    }

    /// Records that the work at a place has ended.
    package mutating func ended(_ place: CleanUpPlace) {
        active.remove(place)
        hanging.remove(place)
    }

    /// Returns the next job to start, until there is none.
    package mutating func next() -> Job? {
        guard active.count < Self.atOnce, hanging.count + active.count < Self.mostHanging else { return nil }
        guard let index = order.firstIndex(where: mayBegin) else { return nil }
        let place = order.remove(at: index)
        active.insert(place)
        return Job(place: place, ids: waiting.removeValue(forKey: place) ?? [])
    }

    private func mayBegin(_ place: CleanUpPlace) -> Bool {
        guard !active.contains(place), !hanging.contains(place) else { return false }
        let parents = place.parents
        let neighbours = hanging.count { !$0.parents.isDisjoint(with: parents) }
        guard neighbours > 0 else { return true }
        return neighbours + active.count { !$0.parents.isDisjoint(with: parents) } < Self.mostHangingTogether
    }
}

/// The work left on disk for a transfer without a run, because its process ended or a folder did not respond.
package enum CleanUp: Hashable, Sendable {
    case none
    /// Cancellation was requested: removes the partial file and records the outcome.
    case finishCancel
    /// The file was being renamed: determines which of two names it has.
    case findName
    /// The transfer has finished, and its partial file cannot be resumed.
    case removePartialFile(PartialFacts)

    /// Seconds for which the bytes of a failed or force-quit transfer are kept.
    package static let lifetime = 30.0 * 86_400

    package init(_ record: TransferRecord, now: Date) {
        let isOutdated = record.finishedAt.map { now.timeIntervalSince($0) > Self.lifetime } ?? false
        switch record.outcome {
        case nil: self = record.intent == .cancel ? .finishCancel : .none
        // A removal has its own list of files.
        case .some where record.intent.isRemoval: self = .none
        case .some where record.facts.placement?.formerPath != nil: self = .findName
        // A force-quit transfer resumes from its bytes.
        case .canceled where record.facts.cancelReason != nil && !isOutdated: self = .none
        case .failed(let error) where error.kept(with: record.facts) != .none && !isOutdated: self = .none
        case .some: self = record.facts.partial.map { .removePartialFile($0) } ?? .none
        }
    }
}
