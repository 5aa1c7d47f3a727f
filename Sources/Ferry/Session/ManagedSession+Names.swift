// Ferry: Ferry
// Which task a URL means.

import Foundation
import Synchronization

extension ManagedSession.State {
    /// The task that a URL means: of several the first in order that no call is about to end.
    func task(named url: String) -> DownloadTask? {
        guard let known = byURL[url] else { return nil }
        guard sharedURLs.contains(url) else { return known }
        return tasks.first { $0.url.absoluteString == url && $0.isNamed && $0.state.withLock(\.leaving) == 0 } ?? known
    }

    /// Lets its URL mean a task, unless another has it.
    mutating func name(_ task: DownloadTask) {
        let url = task.url.absoluteString
        if let known = byURL[url] {
            sharedURLs.insert(url)
            if known.state.withLock(\.leaving) == 0 { return }
        }
        byURL[url] = task
    }

    /// Lets the URLs of tasks that are gone mean others, if there are any.
    mutating func forgetNames(of gone: [DownloadTask]) {
        var shared: Set<String> = []
        for task in gone {
            let url = task.url.absoluteString
            guard byURL[url] === task else { continue }
            byURL[url] = nil
            if sharedURLs.contains(url) { shared.insert(url) }
        }
        if shared.isEmpty { return }
        for task in tasks where task.isNamed {
            let url = task.url.absoluteString
            if shared.contains(url), byURL[url] == nil { byURL[url] = task }
        }
        sharedURLs.subtract(shared.filter { byURL[$0] == nil })
    }
}

extension DownloadTask {
    /// Whether a call with its URL alone means it.
    fileprivate var isNamed: Bool { state.withLock(\.note.isNamedByURL) }
}
