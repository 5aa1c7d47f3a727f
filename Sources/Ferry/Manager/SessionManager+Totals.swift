import Synchronization

/// What can be done to all downloads, and their order.
extension SessionManager {
    /// Lets all downloads go on that have not succeeded, in one transaction.
    ///
    /// - Parameter handler: called once, after the closures of all tasks and of the manager.
    public func totalStart(onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil) {
        total(.start, onMainQueue, handler)
    }

    /// Stops all downloads that wait or run, in one transaction.
    public func totalSuspend(onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil) {
        total(.suspend, onMainQueue, handler)
    }

    /// Ends all downloads that have not succeeded and deletes their bytes, in one transaction.
    public func totalCancel(onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil) {
        total(.cancel, onMainQueue, handler)
    }

    /// Takes all downloads out of the manager, in one transaction.
    ///
    /// - Parameter completely: whether finished files are deleted too.
    public func totalRemove(
        completely: Bool = false, onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil
    ) {
        total(.remove(completely: completely), onMainQueue, handler)
    }

    private func total(_ control: Control, _ onMainQueue: Bool, _ handler: Handler<SessionManager>?) {
        shared.performOnAll(control) { [shared, self] _ in
            shared.callLast(handler, with: self, onMainQueue: onMainQueue)
        }
    }

    // MARK: Order

    /// Moves a task to another place among ``tasks``; the order is stored when this returns.
    ///
    /// A place that does not exist changes nothing.
    public func moveTask(at sourceIndex: Int, to destinationIndex: Int) {
        let isMoved = shared.state.withLock { $0.list.move(at: sourceIndex, to: destinationIndex) }
        guard isMoved else { return shared.log { .error("No task was moved.", error: FerryError.indexOutOfRange) } }
        if sourceIndex != destinationIndex { shared.storeOrder() }
    }

    /// Sorts ``tasks``; the order is stored when this returns. Tasks that come meanwhile stay last.
    ///
    /// - Parameter areInIncreasingOrder: called on this thread; if it throws, the order stays as it was.
    public func tasksSort(
        by areInIncreasingOrder: (DownloadTask, DownloadTask) throws -> Bool
    ) rethrows {
        let sorted = try shared.tasks.sorted(by: areInIncreasingOrder)
        shared.state.withLock { $0.list.order(as: sorted) }
        shared.storeOrder()
    }
}
