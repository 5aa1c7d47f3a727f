import Dispatch
import Ferry
import Foundation
import TestAppKit

/// Performs its commands in order and logs the events.
@MainActor final class TestApp: ScriptedApp {
    let identifier: String
    let story = Story()
    private let commands: [Command]
    var managers: [SessionManager] = []
    /// The manager of the download chain, with a separate identifier.
    lazy var chain = makeChain()

    init(identifier: String, commands: [Command]) {
        self.identifier = identifier
        self.commands = commands
    }

    // MARK: The app delegate

    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        story.add("handle-events", identifier)
        let manager = identifier == self.identifier ? self.manager : chain
        manager.completionHandler = { [story] in
            story.add("handler-called", Thread.isMainThread ? "main" : "other")
            completionHandler()
        }
    }

    // MARK: Commands

    func begin() {
        let (lines, continuation) = AsyncStream<Command>.makeStream()
        // Observers are registered before the first manager exists, as in apps.
        for command in commands {
            if command.name == "notifications" { observe(command) } else { continuation.yield(command) }
        }
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(Command(line)) }
        }
        Task { @MainActor in
            for await command in lines { await perform(command) }
        }
    }

    private func perform(_ command: Command) async {
        do {
            if try await carryOut(command) { return }
            if try await wait(command) { return }
            if !performChain(command) { await control(command) }
        } catch {
            story.add("failed", command.name, error)
        }
    }

    // MARK: Managers

    /// The last created manager. Created if there is none.
    var manager: SessionManager { managers.last ?? makeManager(Command("manager")) }

    @discardableResult
    func makeManager(_ command: Command) -> SessionManager {
        var configuration = SessionConfiguration()
        configuration.allowsCellularAccess = true
        command.apply(to: &configuration)
        let folder = command.options["cache"] ?? ProcessInfo.processInfo.environment["CACHE"]
        let manager = SessionManager(
            identifier, configuration: configuration, logger: Quiet(),
            cache: Cache(identifier, downloadPath: folder))
        managers.append(manager)
        return manager
    }

    private func makeChain() -> SessionManager {
        SessionManager(configuration: .background(withIdentifier: identifier + ".chain"))
    }

    func task(_ url: String) throws -> DownloadTask {
        guard let task = manager.fetchTask(url) else { throw Unknown(url: url) }
        return task
    }

    struct Unknown: Error { let url: String }
}

/// A silent logger, because standard output is the event log.
struct Quiet: Logable {
    let identifier = "quiet"
    var option = LogOption.none

    func log(_ type: LogType) {}
}
