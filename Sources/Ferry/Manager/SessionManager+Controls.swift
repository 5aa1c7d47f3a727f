/// What can be done to one download.
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

    // MARK: -

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
        let then: @Sendable () -> Void = { [shared] in
            shared.call(handler, with: task, onMainQueue: onMainQueue)
        }
        if case .start = control { return shared.goOn([(task, nil)], then: then) }
        shared.perform(control, on: [task]) { _ in then() }
    }

    private func refuse(
        _ error: FerryError, _ task: DownloadTask, _ onMainQueue: Bool, _ handler: Handler<DownloadTask>?
    ) {
        shared.log { .error("A call was refused.", error: error) }
        shared.call(handler, with: task, onMainQueue: onMainQueue)
    }
}
