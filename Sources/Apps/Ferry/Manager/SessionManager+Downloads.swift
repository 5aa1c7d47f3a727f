import Dispatch
import FerryCore
import Foundation
import Synchronization

/// Creating downloads.
extension SessionManager {
    /// Downloads a URL, or resumes its task. Returns once the daemon has stored that.
    ///
    /// The task of a URL is always the same object. Headers and a name that are not given stay as they are. A succeeded
    /// task downloads again only if its file is missing or changed.
    /// - Parameters:
    ///   - url: The URL.
    ///   - headers: Header fields of the request.
    ///   - fileName: The file's name below the cache's folder. Defaults to a name derived from the URL.
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once when the task is stored and runs, or waits, or could not be stored.
    /// - Returns: Nil if this is not an http or https URL with a host. A task that could not be stored has failed.
    @discardableResult
    public func download(
        _ url: any URLConvertible, headers: [String: String]? = nil, fileName: String? = nil, onMainQueue: Bool = true,
        handler: Handler<DownloadTask>? = nil
    ) -> DownloadTask? {
        let address: URL
        do throws(FerryError) {
            address = try url.address()
        } catch {
            shared.log { .error("No download was made.", error: error) }
            let detached = DownloadTask.detached(.failed, error)
            shared.call(handler, with: detached, onMainQueue: onMainQueue)
            return nil
        }
        let kept = cache.keptName(of: address.absoluteString)
        var templates = PlanTemplates(shared.mapping, hooks, cache)
        let order = shared.order(
            address, headers: headers, fileName: fileName, keptName: kept, manager: self, templates: &templates)
        switch order {
        case .new(let task, let plan):
            shared.storeAndWait(Submission([(task, plan)]))
            shared.callStarted(handler, with: task, onMainQueue: onMainQueue)
            return task
        case .known(let task, let change):
            shared.resumeAndWait(task, change) { [shared] in
                shared.callStarted(handler, with: task, onMainQueue: onMainQueue)
            }
            return task
        }
    }

    /// Downloads many URLs in one transaction. Returns once the daemon has stored them.
    ///
    /// Invalid and duplicate URLs are left out and logged.
    /// - Parameters:
    ///   - urls: The URLs.
    ///   - headersArray: Headers for each URL: none, or as many as URLs.
    ///   - fileNames: A file name for each URL: none, or as many as URLs.
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once, after the closures of all tasks.
    /// - Returns: One task for each valid URL, in order. None if the arrays differ in length.
    @discardableResult
    public func multiDownload(
        _ urls: [any URLConvertible], headersArray: [[String: String]]? = nil, fileNames: [String]? = nil,
        onMainQueue: Bool = true, handler: Handler<SessionManager>? = nil
    ) -> [DownloadTask] {
        if let error = Self.mismatch(urls.count, headersArray?.count, fileNames?.count) {
            shared.log { .error("No download was made.", error: error) }
            shared.call(handler, with: self, onMainQueue: onMainQueue)
            return []
        }
        var tasks: [DownloadTask] = []
        var new: [(task: DownloadTask, plan: RequestPlan)] = []
        var known: [(task: DownloadTask, change: TransferChange?)] = []
        var seen: Set<URL> = []
        var templates = PlanTemplates(shared.mapping, hooks, cache)
        let addresses = urls.map { try? $0.address() }
        let kept = cache.keptNames(of: addresses.lazy.compactMap { $0?.absoluteString })
        for (index, url) in urls.enumerated() {
            guard let address = addresses[index] else {
                let error = FerryError.invalidURL(url: "\(url)")
                shared.log { .error("A URL of many is none.", error: error) }
                continue
            }
            guard seen.insert(address).inserted else {
                let error = FerryError.duplicateURL(url: address.absoluteString)
                shared.log { .error("A URL comes twice.", error: error) }
                continue
            }
            let headers = headersArray.flatMap { $0.isEmpty ? nil : $0[index] }
            let name = fileNames.flatMap { $0.isEmpty ? nil : $0[index] }
            let keptName = kept[address.absoluteString]
            let order = shared.order(
                address, headers: headers, fileName: name, keptName: keptName, manager: self, templates: &templates)
            switch order {
            case .new(let task, let plan):
                new.append((task, plan))
                tasks.append(task)
            case .known(let task, let change):
                known.append((task, change))
                tasks.append(task)
            }
        }
        if known.isEmpty || (new.isEmpty && known.allSatisfy { $0.change == nil }) {
            if !new.isEmpty { shared.storeAndWait(Submission(new)) }
            shared.resumeTasks(known) { [shared, self] in shared.callLast(handler, with: self, onMainQueue: onMainQueue)
            }
        } else {
            shared.storeAndWait(new, goingOn: known)
            shared.callLast(handler, with: self, onMainQueue: onMainQueue)
        }
        return tasks
    }

    private static func mismatch(_ urls: Int, _ headers: Int?, _ names: Int?) -> FerryError? {
        if let headers, headers != 0, headers != urls { return .headersMatchFailed }
        if let names, names != 0, names != urls { return .fileNamesMatchFailed }
        return nil
    }
}
