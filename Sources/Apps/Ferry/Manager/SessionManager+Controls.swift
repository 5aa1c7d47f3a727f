import Synchronization

/// Controlling one download or all, and their order.
extension SessionManager {
    /// Resumes a download. Received bytes are not fetched again.
    ///
    /// - Parameters:
    ///   - url: The URL of the download.
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once when this is durable, with a removed task if the manager has none with this URL.
    public func start(_ url: any URLConvertible, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.start, url, onMainQueue, handler)
    }

    /// Resumes a download. Received bytes are not fetched again.
    public func start(_ task: DownloadTask?, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.start, task, onMainQueue, handler)
    }

    /// Suspends a download and keeps its bytes.
    public func suspend(_ url: any URLConvertible, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.suspend, url, onMainQueue, handler)
    }

    /// Suspends a download and keeps its bytes.
    public func suspend(_ task: DownloadTask?, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.suspend, task, onMainQueue, handler)
    }

    /// Cancels a download that has not succeeded and deletes its bytes.
    public func cancel(_ url: any URLConvertible, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.cancel, url, onMainQueue, handler)
    }

    /// Cancels a download that has not succeeded and deletes its bytes.
    public func cancel(_ task: DownloadTask?, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.cancel, task, onMainQueue, handler)
    }

    /// Removes a download from the manager and deletes its unfinished file.
    ///
    /// - Parameters:
    ///   - url: The URL of the download.
    ///   - completely: Whether to delete the finished file too. Otherwise a later download of the URL finds it.
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once when this is durable.
    public func remove(
        _ url: any URLConvertible, completely: Bool = false, onMainQueue: Bool = true,
        handler: Handler<DownloadTask>? = nil
    ) {
        control(.remove(completely: completely), url, onMainQueue, handler)
    }

    /// Removes a download from the manager and deletes its unfinished file.
    ///
    /// - Parameters:
    ///   - task: The download.
    ///   - completely: Whether to delete the finished file too. Otherwise a later download of the URL finds it.
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once when this is durable.
    public func remove(
        _ task: DownloadTask?, completely: Bool = false, onMainQueue: Bool = true,
        handler: Handler<DownloadTask>? = nil
    ) {
        control(.remove(completely: completely), task, onMainQueue, handler)
    }

    // MARK: All downloads

    /// Starts all downloads that have not succeeded, in one transaction.
    ///
    /// - Parameters:
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once, after the closures of all tasks and of the manager.
    public func totalStart(onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil) {
        total(.start, onMainQueue, handler)
    }

    /// Suspends all waiting and running downloads, in one transaction.
    public func totalSuspend(onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil) {
        total(.suspend, onMainQueue, handler)
    }

    /// Cancels all downloads that have not succeeded and deletes their bytes, in one transaction.
    public func totalCancel(onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil) {
        total(.cancel, onMainQueue, handler)
    }

    /// Removes all downloads from the manager, in one transaction.
    ///
    /// - Parameters:
    ///   - completely: Whether to delete finished files too.
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once, after the closures of all tasks and of the manager.
    public func totalRemove(
        completely: Bool = false, onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil
    ) {
        total(.remove(completely: completely), onMainQueue, handler)
    }

    // MARK: Order

    /// Moves a task within ``tasks``. The order is stored when this returns.
    ///
    /// An index out of range changes nothing.
    public func moveTask(at sourceIndex: Int, to destinationIndex: Int) {
        let isMoved = shared.state.withLock { $0.list.move(at: sourceIndex, to: destinationIndex) }
        guard isMoved else { return shared.log { .error("No task was moved.", error: FerryError.indexOutOfRange) } }
        if sourceIndex != destinationIndex { shared.storeOrder() }
    }

    /// Sorts ``tasks``. The order is stored when this returns. Tasks added meanwhile stay last.
    ///
    /// - Parameter areInIncreasingOrder: Called on this thread. If it throws, the order stays as it was.
    public func tasksSort(
        by areInIncreasingOrder: (DownloadTask, DownloadTask) throws -> Bool
    ) rethrows {
        let sorted = try shared.tasks.sorted(by: areInIncreasingOrder)
        shared.state.withLock { $0.list.order(as: sorted) }
        shared.storeOrder()
    }

    // MARK: -

    private func total(_ control: Control, _ onMainQueue: Bool, _ handler: Handler<SessionManager>?) {
        shared.performOnAll(control) { [shared, self] _ in
            shared.callLast(handler, with: self, onMainQueue: onMainQueue)
        }
    }

    private func control(
        _ control: Control, _ url: any URLConvertible, _ onMainQueue: Bool, _ handler: Handler<DownloadTask>?
    ) {
        do throws(FerryError) {
            let address = try url.address()
            if let task = shared.task(of: address) { return self.control(control, task, onMainQueue, handler) }
            let unknown = FerryError.fetchDownloadTaskFailed(url: address.absoluteString)
            guard shared.isRefused else {
                return refuse(unknown, .detached(.removed, unknown, url: address), onMainQueue, handler)
            }
            // The process that had the session may have ended since.
            shared.commands.add { [shared] in
                await shared.settled()
                if let task = shared.task(of: address) { return self.control(control, task, onMainQueue, handler) }
                let error = shared.isRefused ? shared.obstacle ?? unknown : unknown
                self.refuse(error, .detached(.removed, error, url: address), onMainQueue, handler)
            }
        } catch {
            refuse(error, .detached(.removed, error), onMainQueue, handler)
        }
    }

    private func control(
        _ control: Control, _ task: DownloadTask?, _ onMainQueue: Bool, _ handler: Handler<DownloadTask>?
    ) {
        guard let task, shared.has(task) else {
            let error = FerryError.fetchDownloadTaskFailed(url: task?.url.absoluteString ?? "about:blank")
            return refuse(error, .detached(.removed, error, url: task?.url), onMainQueue, handler)
        }
        if case .start = control {
            return shared.resumeTasks([(task, nil)]) { [shared] in
                shared.callStarted(handler, with: task, onMainQueue: onMainQueue)
            }
        }
        shared.perform(control, on: [task]) { [shared] _ in
            shared.call(handler, with: task, onMainQueue: onMainQueue)
        }
    }

    private func refuse(
        _ error: FerryError, _ task: DownloadTask, _ onMainQueue: Bool, _ handler: Handler<DownloadTask>?
    ) {
        shared.log { .error("A call was refused.", error: error) }
        shared.call(handler, with: task, onMainQueue: onMainQueue)
    }
}
