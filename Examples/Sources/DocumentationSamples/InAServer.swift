// Samples of the article about servers.

import Ferry
import Foundation

func serverManager() -> SessionManager {
    var configuration = SessionConfiguration()
    configuration.maxConcurrentTasksLimit = 16
    configuration.maxTasksPerHost = 4
    configuration.maxBytesPerSecond = 20_000_000
    configuration.allowsCellularAccess = true
    configuration.checksumMismatchPolicy = .fail
    let manager = SessionManager("mirror", configuration: configuration)
    return manager
}

/// A service with a manager.
struct Mirror {
    let manager: SessionManager

    func fetch(_ packages: [String: URL], into folder: URL) async throws -> [DownloadTask] {
        var specs: [DownloadSpec] = []
        for (name, url) in packages {
            var spec = try DownloadSpec(url)
            spec.id = DownloadTask.ID(rawValue: name)
            spec.destination = .file(folder.appendingPathComponent(name))
            specs.append(spec)
        }
        return try await manager.enqueue(specs)
    }

    func startFailedAgain() async throws {
        for task in manager.tasks where task.status == .failed { try await task.start() }
    }

    func finish(_ tasks: [DownloadTask], index: @escaping @Sendable (URL) throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            for task in tasks {
                group.addTask { try index(try await task.value) }
            }
            try await group.waitForAll()
        }
    }
}

func loggingManager() -> SessionManager {
    let manager = SessionManager(
        "mirror", configuration: SessionConfiguration(), logger: SwiftLogLogger(identifier: "mirror"))
    return manager
}

struct ServiceLogger: Logable {
    let identifier: String
    var option = LogOption.default

    func log(_ type: LogType) {
        switch type {
        case .sessionManager(let message, let manager): print(manager.identifier, message)
        case .downloadTask(let message, let task): print(task.id.rawValue, message)
        case .error(let message, let error): print(message, error.localizedDescription)
        }
    }
}
