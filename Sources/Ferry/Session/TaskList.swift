import FerryCore
import FerryURLSession
import Foundation
import Synchronization

/// The tasks of a session in queue order, and what each of them is found by.
struct TaskList {
    private(set) var all: [DownloadTask] = []
    private(set) var counts = StatusCounts()
    private var byTransfer: [TransferID: DownloadTask] = [:]
    private var byID: [DownloadTask.ID: DownloadTask] = [:]
    /// Tasks that their URL alone names.
    private var byURL: [String: DownloadTask] = [:]
    /// URLs that more than one of them has had.
    private var sharedURLs: Set<String> = []
    /// Made when an app reads it first.
    private var progress: Progress?

    /// The transfers of the tasks that are stored.
    var transfers: Set<TransferID> { Set(byTransfer.keys) }

    func task(of transfer: TransferID) -> DownloadTask? { byTransfer[transfer] }
    func task(_ id: DownloadTask.ID) -> DownloadTask? { byID[id] }
    func has(_ task: DownloadTask) -> Bool { byID[task.id] === task }

    /// Puts a task at the end.
    mutating func append(_ task: DownloadTask) {
        let (status, isNamedByURL, transfer) = task.state.withLock { ($0.stored, $0.note.isNamedByURL, $0.transfer) }
        all.append(task)
        byID[task.id] = task
        if let transfer { byTransfer[transfer] = task }
        if isNamedByURL { name(task) }
        counts.add(status)
    }

    /// Notes the daemon's name of a task; whether the task was waiting for one.
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

    /// Takes tasks out, each with the state that it was counted with.
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
        forgetNames(of: tasks)
    }

    // MARK: Order

    /// Puts a task at another place; false if one of the places does not exist.
    mutating func move(at source: Int, to destination: Int) -> Bool {
        guard all.indices.contains(source), all.indices.contains(destination) else { return false }
        let task = all.remove(at: source)
        all.insert(task, at: destination)
        return true
    }

    /// Takes over an order; tasks that came meanwhile stay last.
    mutating func order(as sorted: [DownloadTask]) {
        let known = Set(sorted)
        let present = Set(all)
        all = sorted.filter { present.contains($0) } + all.filter { !known.contains($0) }
    }

    /// Puts the tasks first that the daemon has an order for, and then the others as they came.
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

    /// The task that a URL means: of several the first in order that no call is about to end.
    func task(named url: String) -> DownloadTask? {
        guard let known = byURL[url] else { return nil }
        guard sharedURLs.contains(url) else { return known }
        let staying = all.first { task in
            task.url.absoluteString == url && Self.isNamed(task) && !task.state.withLock(\.calls.isLeaving)
        }
        return staying ?? known
    }

    /// Lets its URL mean a task, unless another has it.
    private mutating func name(_ task: DownloadTask) {
        let url = task.url.absoluteString
        if let known = byURL[url] {
            sharedURLs.insert(url)
            if !known.state.withLock(\.calls.isLeaving) { return }
        }
        byURL[url] = task
    }

    /// Lets the URLs of tasks that are gone mean others, if there are any.
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

    /// Whether a call with the task's URL alone means the task.
    private static func isNamed(_ task: DownloadTask) -> Bool { task.state.withLock(\.note.isNamedByURL) }

    // MARK: Sums

    /// The sum of all tasks, always the same object.
    mutating func progress(_ sum: TaskSum) -> Progress {
        let progress = progress ?? Progress(totalUnitCount: sum.total)
        self.progress = progress
        if progress.totalUnitCount != sum.total { progress.totalUnitCount = sum.total }
        progress.completedUnitCount = sum.received
        return progress
    }
}

/// Received and expected bytes of some tasks, and their speed; of one whose size is not known, what it has received counts as
/// its size.
struct TaskSum: Hashable, Sendable {
    private(set) var received: Int64 = 0
    private(set) var total: Int64 = 0
    private(set) var speed: Int64 = 0

    init(_ tasks: [DownloadTask], at now: ContinuousClock.Instant = .now) {
        for task in tasks {
            let (has, wants, speed) = task.state.withLock { ($0.bytes.received, $0.total, $0.speed(now: now)) }
            // Servers may state any lengths.
            received = received.addingSaturated(has)
            total = total.addingSaturated(max(wants, has))
            self.speed = self.speed.addingSaturated(speed)
        }
    }

    /// Whole seconds until the end at this speed; 0 if that is not known.
    var timeRemaining: Int64 {
        guard speed > 0, total > received else { return 0 }
        return (total - received).dividedRoundingUp(by: speed)
    }
}
