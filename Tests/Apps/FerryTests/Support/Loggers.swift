import Ferry
import Foundation

/// A silent logger, to keep the output of tests readable.
struct SilentLogger: Logable {
    var identifier = "silent"
    var option = LogOption.none

    func log(_ type: LogType) {}
}

/// A logger that records its entries and can run a closure for each.
struct NotingLogger: Logable {
    let identifier = "noting"
    var option = LogOption.default
    let notes: Notes<String>
    var then: @Sendable (LogType) -> Void = { _ in }

    func log(_ type: LogType) {
        switch type {
        case .sessionManager(let message, _): notes.add("manager: \(message)")
        case .downloadTask(let message, let task): notes.add("task: \(message) \(task.url)")
        case .error(let message, let error):
            notes.add("error: \(message) \((error as? FerryError)?.code ?? "-") \(error)")
        }
        then(type)
    }
}
