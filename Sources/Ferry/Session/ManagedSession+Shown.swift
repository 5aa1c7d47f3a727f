import FerryURLSession
import Foundation
import FoundationNetworking
import Synchronization

/// The unfinished downloads as tasks of a session.
extension ManagedSession {
    var shownTasks: [ShownTask] {
        tasks.compactMap { task in
            let (stored, method, headers, received) = task.state.withLock {
                ($0.stored, $0.asked.method, $0.asked.headers, $0.bytes.received)
            }
            guard stored.isUnfinished || stored == .suspended else { return nil }
            var request = URLRequest(url: task.url)
            request.httpMethod = method.rawValue
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            return ShownTask(
                task.id.rawValue, request: request, response: task.response, isSuspended: stored == .suspended,
                received: received, expected: task.progress.totalUnitCount
            ) { [weak self] action in
                self?.perform(Control(action), on: [task]) { _ in }
            }
        }
    }
}

extension Control {
    fileprivate init(_ action: ShownTask.Action) {
        switch action {
        case .resume: self = .start
        case .suspend: self = .suspend
        case .cancel: self = .cancel
        }
    }
}
