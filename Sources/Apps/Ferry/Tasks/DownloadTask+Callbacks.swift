import Synchronization

/// Callbacks of a task.
extension DownloadTask {
    /// Calls a closure when bytes have arrived, at most ten times a second, and with the final count before the end.
    @discardableResult
    public func progress(onMainQueue: Bool = true, handler: @escaping Handler<DownloadTask>) -> Self {
        _ = state.withLock { $0.closures.slots.set(.progress, onMainQueue: onMainQueue, handler) }
        return self
    }

    /// Calls a closure each time the task succeeds, and immediately if it has. Not called if there is a completion.
    @discardableResult
    public func success(onMainQueue: Bool = true, handler: @escaping Handler<DownloadTask>) -> Self {
        register(.success, onMainQueue, handler)
    }

    /// Calls a closure each time the task becomes suspended, failed, canceled or removed, and immediately if it is. Not
    /// called if there is a completion.
    @discardableResult
    public func failure(onMainQueue: Bool = true, handler: @escaping Handler<DownloadTask>) -> Self {
        register(.failure, onMainQueue, handler)
    }

    /// Calls a closure each time the task becomes succeeded, suspended, failed, canceled or removed, instead of
    /// `success` and `failure`.
    @discardableResult
    public func completion(onMainQueue: Bool = true, handler: @escaping Handler<DownloadTask>) -> Self {
        register(.completion, onMainQueue, handler)
    }

    private func register(
        _ kind: Slots<DownloadTask>.Kind, _ onMainQueue: Bool, _ handler: @escaping Handler<DownloadTask>
    ) -> Self {
        let register = { [self] in
            let (slot, status) = state.withLock { state in
                (state.closures.slots.set(kind, onMainQueue: onMainQueue, handler), state.stored)
            }
            if status.isEnd, kind.isFor(status) { TaskEnds.deliver(slot, of: self, status: status) }
        }
        // Otherwise, an end that is being processed could call the new closure a second time.
        if let session { session.betweenChanges { _ in register() } } else { register() }
        return self
    }
}

extension Status {
    /// Whether the status changes only by a call.
    var isEnd: Bool {
        switch self {
        case .suspended, .failed, .canceled, .removed, .succeeded: true
        case .waiting, .running, .willSuspend, .willCancel, .willRemove: false
        }
    }

    /// Whether the daemon may have work left for it.
    var isUnfinished: Bool { self == .waiting || self == .running }
}
