// Ferry: Ferry
// How a cache is emptied.

import Dispatch
import Foundation

extension Cache {
    /// Takes all tasks of the cache out of their manager and deletes their files, and nothing else.
    ///
    /// - Parameter handler: called once when that is done, after the closures of the tasks, also if there was nothing.
    public func clearDiskCache(onMainQueue: Bool = true, handler: Handler<Cache>? = nil) {
        let sessions = ManagedSessions.shared.sessions(of: self)
        let group = DispatchGroup()
        for session in sessions {
            group.enter()
            session.performOnAll(.remove(completely: true)) { _ in group.leave() }
        }
        group.notify(queue: .global()) {
            self.deleteKeptFiles()
            if let session = sessions.first {
                session.callLast(handler, with: self, onMainQueue: onMainQueue)
            } else {
                (onMainQueue ? DispatchQueue.main : .global()).async { handler?(self) }
            }
        }
    }
}
