// The downloads and their actions.

import Ferry
import Foundation

/// The view model: the downloads of a list as values to show, and the actions on them.
final class Downloads: Sendable {
    private let manager: SessionManager

    /// - Parameter list: Name of the list. Each name has a separate list, the same at every start.
    init(_ list: String) {
        var configuration = SessionConfiguration()
        configuration.maxConcurrentTasksLimit = 3
        configuration.allowsCellularAccess = true
        manager = SessionManager(list, configuration: configuration)
        // The screen shows the events.
        manager.logger.option = .none
    }

    var overview: Overview {
        let tasks = manager.tasks
        return Overview(
            rows: zip(1..., tasks).map { Overview.Row($1, number: $0) }, speed: manager.speedString,
            remaining: manager.timeRemaining > 0 ? manager.timeRemainingString : "",
            limit: manager.configuration.maxConcurrentTasksLimit)
    }

    /// Follows an instruction and returns a message for the user.
    func follow(_ instruction: Instruction) async -> String {
        do {
            switch instruction {
            case .add(let text): return add(text)
            case .pause(.all): try await manager.suspendAll()
            case .resume(.all): try await manager.startAll()
            case .remove(.all): try await manager.removeAll(completely: true)
            case .pause(.one(let number)): try await task(number).suspend()
            case .resume(.one(let number)): try await task(number).start()
            case .remove(.one(let number)): try await task(number).remove(completely: true)
            case .limit(let limit): manager.configuration.maxConcurrentTasksLimit = limit
            case .list: return overview.rows.map(\.summary).joined(separator: "\n")
            case .help: return Instruction.text
            case .quit: break
            }
            return "done"
        } catch {
            return error.localizedDescription
        }
    }

    private func add(_ text: String) -> String {
        guard let task = manager.download(text) else { return "“\(text)” is no http or https URL." }
        return task.error?.localizedDescription ?? "added \(task.url.absoluteString)"
    }

    private func task(_ number: Int) throws -> DownloadTask {
        let tasks = manager.tasks
        guard tasks.indices.contains(number - 1) else { throw NoSuchDownload(number: number) }
        return tasks[number - 1]
    }
}

/// The list has no download with this number.
struct NoSuchDownload: LocalizedError {
    let number: Int

    var errorDescription: String? { "There is no download \(number)." }
}
