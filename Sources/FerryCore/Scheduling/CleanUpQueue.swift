package import FerryFoundation

/// Where files of transfers may be that are to be removed.
package struct CleanUpPlace: Hashable, Sendable {
    /// The folders that have to answer.
    package let folders: Set<String>
    /// Whether something is known to be there; otherwise a folder that gives an error holds nothing that Ferry knows of.
    package let isRecorded: Bool

    package init(folders: Set<String>, isRecorded: Bool) {
        self.folders = folders
        self.isRecorded = isRecorded
    }

    /// What places share that hang together as a rule: a mounted file system often has many folders of downloads.
    fileprivate var parents: Set<String> { Set(folders.map(\.folderPart)) }
}

/// Decides which places are cleaned up at the same time.
///
/// A place that hangs gives its turn to the next one, so that it holds up no other. It keeps a thread until it answers,
/// and nothing more is begun there meanwhile; so only a few places may hang below the same folder, and some dozens
/// in all. What then waits begins once one of them answers.
package struct CleanUpQueue: Sendable {
    package struct Job: Equatable, Sendable {
        package let place: CleanUpPlace
        package let ids: Set<TransferID>
    }

    /// Places at work that have not been found to hang.
    private static let atOnce = 8
    private static let mostHanging = 64
    private static let mostHangingTogether = 4

    private var order: [CleanUpPlace] = []
    private var waiting: [CleanUpPlace: Set<TransferID>] = [:]
    private var active: Set<CleanUpPlace> = []
    private var hanging: Set<CleanUpPlace> = []

    package init() {}

    /// Adds transfers whose files are in some place.
    package mutating func add(_ ids: Set<TransferID>, in place: CleanUpPlace) {
        if waiting[place] == nil { order.append(place) }
        waiting[place, default: []].formUnion(ids)
    }

    /// Takes note that a place has not answered for long.
    package mutating func hangs(_ place: CleanUpPlace) {
        if active.remove(place) != nil { hanging.insert(place) }
    }

    /// Takes note that the work at a place has ended.
    package mutating func ended(_ place: CleanUpPlace) {
        active.remove(place)
        hanging.remove(place)
    }

    /// What begins; the caller asks until there is nothing.
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
