// A service that mirrors files. It reads a list, downloads the missing files, writes its metrics, and shuts down
// cleanly when asked to stop. The daemon keeps the received bytes, and the next start resumes from them.
//
//     swift run Mirror mirror.txt /srv/mirror    # lines such as: debian.iso https://example.org/debian.iso

import Ferry
import Foundation

@main struct Mirror {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == 2 else {
            print("usage: Mirror LIST FOLDER")
            exit(64)
        }
        let service = Service(list: words[0], folder: URL(fileURLWithPath: words[1], isDirectory: true))
        let work = Task { try await service.run() }
        // The supervisor's stop signal cancels the work and all of its tasks.
        signal(SIGTERM, SIG_IGN)
        let stop = DispatchSource.makeSignalSource(signal: SIGTERM)
        stop.setEventHandler { work.cancel() }
        stop.activate()
        do {
            try await work.value
        } catch {
            print("stopped: \(error.localizedDescription)")
        }
        print(await service.metrics.text)
        exit(await service.metrics.failed == 0 ? 0 : 1)
    }
}

/// Downloads the files of a list.
actor Service {
    private let list: String
    private let folder: URL
    private(set) var metrics = Metrics()

    init(list: String, folder: URL) {
        self.list = list
        self.folder = folder
    }

    func run() async throws {
        var configuration = SessionConfiguration()
        configuration.maxConcurrentTasksLimit = 8
        configuration.maxTasksPerHost = 2
        let manager = SessionManager("mirror", configuration: configuration)
        manager.logger.option = .none
        let tasks = try await manager.enqueue(try specs())
        for task in tasks where ![.waiting, .running].contains(task.status) { try await task.start() }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in tasks { group.addTask { try await self.finish(task) } }
                try await group.waitForAll()
            }
        } catch {
            // Pauses the downloads while no process needs them.
            try await Task { try await manager.suspendAll() }.value
            throw error
        }
    }

    private func finish(_ task: DownloadTask) async throws {
        let start = ContinuousClock.now
        do {
            let file = try await task.value
            metrics.count(bytes: task.progress.completedUnitCount, in: ContinuousClock.now - start)
            print("have \(file.lastPathComponent)")
        } catch {
            try Task.checkCancellation()
            metrics.failed += 1
            print("\(task.url.absoluteString) has failed: \(error.localizedDescription)")
        }
    }

    private func specs() throws -> [DownloadSpec] {
        try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2, !words[0].contains("/") else { throw CocoaError(.formatting) }
            var spec = try DownloadSpec(words[1])
            spec.id = DownloadTask.ID(rawValue: words[0])
            spec.destination = .file(folder.appendingPathComponent(words[0]))
            spec.conflict = .replace
            return spec
        }
    }
}

/// The service's counters, in the Prometheus text format.
struct Metrics {
    private(set) var files = 0
    private(set) var bytes: Int64 = 0
    private(set) var seconds = 0.0
    var failed = 0

    mutating func count(bytes: Int64, in time: Duration) {
        files += 1
        self.bytes += bytes
        seconds += Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    var text: String {
        """
        mirror_files_total \(files)
        mirror_bytes_total \(bytes)
        mirror_wait_seconds_total \(seconds)
        mirror_failures_total \(failed)
        """
    }
}
