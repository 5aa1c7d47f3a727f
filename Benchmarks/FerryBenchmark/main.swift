// The benchmark of session managers for scripts/bench: calls on many tasks at once, and managers with many tasks.
//
// Usage: FerryBenchmark batches COUNT URL FOLDER | creation FOLDER

import Dispatch
import Ferry
import Foundation

let words = Array(CommandLine.arguments.dropFirst())
switch (words.first, words.count) {
case ("batches", 4):
    let benchmark = BatchBenchmark(count: Int(words[1]) ?? 0, url: words[2], folder: words[3])
    Thread.detachNewThread {
        print(benchmark.run())
        exit(0)
    }
    dispatchMain()
case ("creation", 2):
    print(measureCreation(in: words[1]))
default:
    print("usage: FerryBenchmark batches COUNT URL FOLDER | creation FOLDER")
    exit(64)
}

/// A manager of the benchmark's identifier, which says nothing.
func makeManager(in folder: String) -> SessionManager {
    var configuration = SessionConfiguration()
    configuration.allowsCellularAccess = true
    let manager = SessionManager(
        "benchmark", configuration: configuration, cache: Cache("benchmark", downloadPath: folder))
    manager.logger.option = .none
    return manager
}

/// Makes a manager of the tasks that are there; what it takes, as JSON.
func measureCreation(in folder: String) -> String {
    let before = Memory.anonymousBytes
    var manager: SessionManager?
    let duration = ContinuousClock().measure { manager = makeManager(in: folder) }
    let tasks = manager?.tasks ?? []
    let bytes = Memory.anonymousBytes - before
    return """
        {"tasks": \(tasks.count), "seconds": \(duration / .seconds(1)), "memory": \(bytes)}
        """
}
