import Synchronization

/// What can be done to one download and to all of them, and their order.
extension SessionManager {
    /// Lets a download go on; nothing of what was received is fetched again.
    ///
    /// - Parameter handler: called once when that is durable; with a removed task if the manager has none of this URL.
    public func start(_ url: any URLConvertible, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.start, url, onMainQueue, handler)
    }

    /// Lets a download go on; nothing of what was received is fetched again.
    public func start(_ task: DownloadTask?, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.start, task, onMainQueue, handler)
    }

    /// Stops a download and keeps its bytes.
    public func suspend(_ url: any URLConvertible, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.suspend, url, onMainQueue, handler)
    }

    /// Stops a download and keeps its bytes.
    public func suspend(_ task: DownloadTask?, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.suspend, task, onMainQueue, handler)
    }

    /// Ends a download that has not succeeded, and deletes its bytes.
    public func cancel(_ url: any URLConvertible, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.cancel, url, onMainQueue, handler)
    }

    /// Ends a download that has not succeeded, and deletes its bytes.
    public func cancel(_ task: DownloadTask?, onMainQueue: Bool = true, handler: Handler<DownloadTask>? = nil) {
        control(.cancel, task, onMainQueue, handler)
    }

    /// Takes a download out of the manager and deletes what is unfinished.
    ///
    /// - Parameter completely: whether the finished file is deleted too; else a later download of the URL finds it.
    public func remove(
        _ url: any URLConvertible, completely: Bool = false, onMainQueue: Bool = true,
        handler: Handler<DownloadTask>? = nil
    ) {
        control(.remove(completely: completely), url, onMainQueue, handler)
    }

    /// Takes a download out of the manager and deletes what is unfinished.
    ///
    /// - Parameter completely: whether the finished file is deleted too; else a later download of the URL finds it.
    public func remove(
        _ task: DownloadTask?, completely: Bool = false, onMainQueue: Bool = true,
        handler: Handler<DownloadTask>? = nil
    ) {
        control(.remove(completely: completely), task, onMainQueue, handler)
    }

    // MARK: All downloads

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
            // The process that had the tasks may have ended since.
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
            return shared.goOn([(task, nil)]) { [shared] in
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
