import Ferry
import FerryTesting
import Foundation
import Testing

/// Observers of tasks and managers, and waiting for their notes.
extension Notes<String> {
    /// Records a task's progress, success and failure, with the status seen by the closure.
    func observe(_ task: DownloadTask, as name: String = "task", onMainQueue: Bool = true) {
        task.progress(onMainQueue: onMainQueue) { self.add("\(name) progress \($0.progress.completedUnitCount)") }
            .success(onMainQueue: onMainQueue) { self.add("\(name) success \($0.status)") }
            .failure(onMainQueue: onMainQueue) { self.add("\(name) failure \($0.status)") }
    }

    /// Records a manager's progress, success and failure, with the status seen by the closure.
    func observe(_ manager: SessionManager, as name: String = "manager", onMainQueue: Bool = true) {
        manager.progress(onMainQueue: onMainQueue) { _ in self.add("\(name) progress") }
            .success(onMainQueue: onMainQueue) { self.add("\(name) success \($0.status)") }
            .failure(onMainQueue: onMainQueue) { self.add("\(name) failure \($0.status)") }
    }
}

/// Makes a call and returns its handler's argument. The handler must run only once.
@discardableResult
func answer<Subject: Sendable>(
    _ call: (@escaping @Sendable (Subject) -> Void) throws -> Void, at location: SourceLocation = #_sourceLocation
) async throws -> Subject {
    let notes = Notes<Subject>()
    try call { notes.add($0) }
    let all = try await notes.wait(count: 1)
    #expect(all.count == 1, sourceLocation: location)
    return all[0]
}

extension DownloadTask {
    /// Waits until the task has this status.
    func reaches(_ wanted: Status) async throws {
        do {
            try await eventually { status == wanted }
        } catch is TestingError {
            throw TestingError(
                "\(url) is \(status), \(waitingReason.map { "\($0)" } ?? "-"), \(error.map { "\($0)" } ?? "-"); not \(wanted)"
            )
        }
    }

    /// Waits until the task has a waiting reason that satisfies a condition.
    func waits(_ isWanted: (WaitingReason) -> Bool) async throws {
        do {
            try await eventually { waitingReason.map(isWanted) ?? false }
        } catch is TestingError {
            throw TestingError("\(url) is \(status) and waits for \(waitingReason.map { "\($0)" } ?? "-")")
        }
    }

    /// Waits until the task has received this number of bytes.
    func receives(_ bytes: Int64) async throws {
        do {
            try await eventually { progress.completedUnitCount >= bytes }
        } catch is TestingError {
            throw TestingError("\(url) is \(status) and has \(progress.completedUnitCount) bytes")
        }
    }

    var ferryError: FerryError? { error as? FerryError }
    /// The SHA-256 of the finished file, or `nil` if there is none.
    var digest: String? { try? FileDigest.sha256(filePath) }
    var hasFile: Bool { FileManager.default.fileExists(atPath: filePath) }
}

extension SessionManager {
    /// Waits until the manager has this status.
    func reaches(_ wanted: Status) async throws {
        do {
            try await eventually { status == wanted }
        } catch is TestingError {
            throw TestingError("The manager is \(status), its tasks are \(tasks.map(\.status)); not \(wanted)")
        }
    }

    /// Returns the number of tasks with a status.
    func count(_ status: Status) -> Int { tasks.count { $0.status == status } }
}

extension Notes where Note == DownloadEvent {
    /// Records the events of a task up to their end. Returns once the first event has arrived.
    func follow(_ task: DownloadTask) async throws -> Task<Void, Never> {
        let events = task.events
        let reading = Task { for await event in events { add(event) } }
        try await wait(count: 1)
        return reading
    }

    /// The events as words, without variable values.
    var words: [String] {
        all.compactMap { event in
            switch event {
            case .state(let status, _): status.rawValue
            case .response(let status, let headers): "response \(status) \(headers.isEmpty ? "-" : "+")"
            case .restarted: "restarted"
            case .progress: nil
            case .succeeded: "end succeeded"
            case .failed: "end failed"
            case .canceled: "end canceled"
            case .removed: "end removed"
            }
        }
    }
}
