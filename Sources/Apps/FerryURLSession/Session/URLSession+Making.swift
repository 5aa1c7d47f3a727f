import Foundation
import FoundationNetworking
import Synchronization

/// Creation of tasks.
extension URLSession {
    /// The classes to ask before the session loads a task itself.
    var protocolClasses: [URLProtocol.Type] {
        if isShared { return URLProtocol.registered }
        return kind == .background ? [] : (copied.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
    }

    /// Creates a task and reports it on this thread before returning it (docs/behaviour/url-session.md#6).
    func make<Kind: URLSessionTask>(
        _ work: TaskWork, delegate: (any URLSessionTaskDelegate)? = nil, _ build: (Int, URLSession, TaskWork) -> Kind
    ) -> Kind {
        precondition(!acting.registry.isInvalidated, "Task created in a session that has been invalidated")
        return add(work, delegate: delegate, build)
    }

    /// Creates a task that results from another one. Allowed even after the session has stopped accepting the app's
    /// tasks.
    func add<Kind: URLSessionTask>(
        _ work: TaskWork, delegate: (any URLSessionTaskDelegate)? = nil, _ build: (Int, URLSession, TaskWork) -> Kind
    ) -> Kind {
        let session = acting
        let task = build(session.engine.nextTaskIdentifier(), session, session.checked(work))
        task.storage.withLock { storage in
            storage.requests.original = work.request
            storage.delegate = delegate
        }
        if case .downloadContinuing(let data) = work { data.restore(task) }
        if case .uploadContinuing(let data) = work { data.restore(task) }
        session.registry.add(task)
        if session.engine.carriesUnresumedTasks { _ = task.readyTransport() }
        Recipients(task, session).notify((any URLSessionTaskDelegate).self) {
            $0.urlSession(session, didCreateTask: task)
        }
        return task
    }

    /// Detects, without asking a server or ferryd, a task that must fail: its URL is unsupported or its file cannot be
    /// sent.
    private func checked(_ work: TaskWork) -> TaskWork {
        if let request = work.request {
            precondition(
                request.httpBodyStream == nil || kind != .background,
                "Upload tasks with streams are not supported in background sessions.")
            let scheme = request.url?.scheme?.lowercased() ?? ""
            let allowed = kind == .background ? ["http", "https"] : ["http", "https", "file", "data"]
            // An app's protocol class may load other schemes. It is asked once the task exists.
            if protocolClasses.isEmpty, !allowed.contains(scheme) {
                return .impossible(.failing(.unsupportedURL, request.url))
            }
            if protocolClasses.isEmpty, request.cachePolicy == .returnCacheDataDontLoad,
                kind == .background || !work.isData
            {
                return .impossible(.failing(.resourceUnavailable, request.url))
            }
        }
        if case .upload(let request, .file(let file)) = work, let code = Self.fault(of: file) {
            return .impossible(.failing(code, request.url))
        }
        return work
    }

    /// Returns the work for an upload's resume data, which can be used once.
    func continuingUpload(_ data: Data) -> TaskWork {
        guard let data = UploadResumeData(data) else { return .impossible(URLError(.unknown)) }
        // Only sessions in the app upload bytes from memory.
        if case .bytes = data.body, acting.kind == .background { return .impossible(URLError(.unknown)) }
        guard data.use(in: LocalService.shared.folders) else { return .impossible(URLError(.unknown)) }
        return .uploadContinuing(data)
    }

    private static func fault(of file: URL) -> URLError.Code? {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) else {
            return .fileDoesNotExist
        }
        if isFolder.boolValue { return .fileIsDirectory }
        return FileManager.default.isReadableFile(atPath: file.path) ? nil : .noPermissionsToReadFile
    }

    // MARK: Misuse

    func refuseHandlersInBackground() {
        precondition(
            acting.kind != .background,
            "Completion handler blocks are not supported in background sessions. Use a delegate instead.")
    }

    func refuseDataInBackground() {
        precondition(acting.kind != .background, "Upload tasks from NSData are not supported in background sessions.")
    }
}

extension URLError {
    /// Returns an error with its failing URL.
    static func failing(_ code: Code, _ url: URL?) -> URLError {
        guard let url else { return URLError(code) }
        return URLError(code, userInfo: [NSURLErrorFailingURLErrorKey: url])
    }

    /// Returns this error with the failing URL and its cause.
    func failing(_ url: URL?) -> URLError {
        URLError(code, userInfo: userInfo.merging(url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:]) { $1 })
    }
}
