import FerryCore
import FerryURLSession
import Foundation
import Synchronization

/// The tasks of a session in queue order, indexed.
struct TaskList {
    private(set) var all: [DownloadTask] = []
    private(set) var counts = StatusCounts()
    private var byTransfer: [TransferID: DownloadTask] = [:]
    private var byID: [DownloadTask.ID: DownloadTask] = [:]
    /// Tasks identified by their URL alone.
    private var byURL: [String: DownloadTask] = [:]
    /// URLs that several of them have had.
    private var sharedURLs: Set<String> = []
    /// Created when an app first reads it.
    private var progress: Progress?
    private var steady = SteadyFraction()

    /// The transfers of stored tasks.
    var transfers: Set<TransferID> { Set(byTransfer.keys) }

    func task(of transfer: TransferID) -> DownloadTask? { byTransfer[transfer] }
    func task(_ id: DownloadTask.ID) -> DownloadTask? { byID[id] }
    func has(_ task: DownloadTask) -> Bool { byID[task.id] === task }

    /// Appends a task.
    mutating func append(_ task: DownloadTask) {
        let (status, isNamedByURL, transfer) = task.state.withLock { ($0.stored, $0.note.isNamedByURL, $0.transfer) }
        all.append(task)
        steady.reset()
        byID[task.id] = task
        if let transfer { byTransfer[transfer] = task }
        if isNamedByURL { name(task) }
        counts.add(status)
    }

    /// Records a task's transfer id. Returns whether the task was waiting for one.
    mutating func store(_ task: DownloadTask, as transfer: TransferID) -> Bool {
        let isNew = task.state.withLock { task in
            guard task.transfer == nil else { return false }
            task.transfer = transfer
            return true
        }
        if isNew { byTransfer[transfer] = task }
        return isNew
    }

    mutating func move(from old: Status, to new: Status) {
        counts.remove(old)
        counts.add(new)
    }

    /// Removes tasks, each with the status under which it was counted.
    mutating func remove(_ gone: [(task: DownloadTask, status: Status)]) {
        let tasks = Set(gone.map(\.task))
        for (task, status) in gone {
            if let transfer = task.state.withLock(\.transfer), byTransfer[transfer] === task {
                byTransfer[transfer] = nil
            }
            if has(task) { byID[task.id] = nil }
            counts.remove(status)
        }
        all.removeAll { tasks.contains($0) }
        steady.reset()
        forgetNames(of: tasks)
    }

    // MARK: Order

    /// Moves a task. Returns false if an index is out of range.
    mutating func move(at source: Int, to destination: Int) -> Bool {
        guard all.indices.contains(source), all.indices.contains(destination) else { return false }
        let task = all.remove(at: source)
        all.insert(task, at: destination)
        return true
    }

    /// Adopts an order. Tasks added meanwhile stay last.
    mutating func order(as sorted: [DownloadTask]) {
        let known = Set(sorted)
        let present = Set(all)
        all = sorted.filter { present.contains($0) } + all.filter { !known.contains($0) }
    }

    /// Sorts by the daemon's order, followed by the other tasks as they are.
    mutating func order(by transfers: [TransferID]) {
        guard !transfers.isEmpty else { return }
        var ranks: [TransferID: Int] = [:]
        for (rank, id) in transfers.enumerated() { ranks[id] = rank }
        let keyed = all.enumerated().map { index, task in
            (rank: task.state.withLock(\.transfer).flatMap { ranks[$0] } ?? transfers.count + index, task: task)
        }
        all = keyed.sorted { $0.rank < $1.rank }.map(\.task)
    }

    // MARK: Names

    /// Returns the task of a URL: of several, the first in order that no call is about to cancel or remove.
    func task(named url: String) -> DownloadTask? {
        guard let known = byURL[url] else { return nil }
        guard sharedURLs.contains(url) else { return known }
        let staying = all.first { task in
            task.url.absoluteString == url && Self.isNamed(task) && !task.state.withLock(\.calls.isLeaving)
        }
        return staying ?? known
    }

    /// Makes a task its URL's task, unless there is one.
    private mutating func name(_ task: DownloadTask) {
        let url = task.url.absoluteString
        if let known = byURL[url] {
            sharedURLs.insert(url)
            if !known.state.withLock(\.calls.isLeaving) { return }
        }
        byURL[url] = task
    }

    /// Reassigns the URLs of removed tasks to remaining ones.
    private mutating func forgetNames(of gone: Set<DownloadTask>) {
        var shared: Set<String> = []
        for task in gone {
            let url = task.url.absoluteString
            guard byURL[url] === task else { continue }
            byURL[url] = nil
            if sharedURLs.contains(url) { shared.insert(url) }
        }
        if shared.isEmpty { return }
        for task in all where Self.isNamed(task) {
            let url = task.url.absoluteString
            if shared.contains(url), byURL[url] == nil { byURL[url] = task }
        }
        sharedURLs.subtract(shared.filter { byURL[$0] == nil })
    }

    /// Whether the task's URL alone identifies it.
    private static func isNamed(_ task: DownloadTask) -> Bool { task.state.withLock(\.note.isNamedByURL) }

    // MARK: Sums

    /// Returns the total progress. Always the same object.
    mutating func progress(_ sum: TaskSum) -> Progress {
        let total = steady.total(of: sum)
        let progress = progress ?? Progress(totalUnitCount: total)
        self.progress = progress
        let isEmpty = total == 0 && !all.isEmpty && counts.open == 0
        let units = isEmpty ? (completed: 1, total: 1) : (completed: sum.received, total: total)
        if progress.totalUnitCount != units.total { progress.totalUnitCount = units.total }
        progress.completedUnitCount = units.completed
        return progress
    }
}
