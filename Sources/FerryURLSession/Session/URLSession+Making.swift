import Foundation
import FoundationNetworking
import Synchronization

/// How tasks are made.
extension URLSession {
    /// The classes that are asked before the session loads a task itself.
    var protocolClasses: [URLProtocol.Type] {
        if isShared { return URLProtocol.registered }
        return kind == .background ? [] : (copied.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
    }

    /// Makes a task and tells of it, on this thread, before it is returned (docs/behaviour/url-session.md#6).
    func make<Kind: URLSessionTask>(
        _ work: TaskWork, delegate: (any URLSessionTaskDelegate)? = nil, _ build: (Int, URLSession, TaskWork) -> Kind
    ) -> Kind {
        precondition(!acting.registry.isInvalidated, "Task created in a session that has been invalidated")
        return add(work, delegate: delegate, build)
    }

    /// Makes a task that comes of another one, which a session does even when it takes no more tasks of the app's.
    func add<Kind: URLSessionTask>(
        _ work: TaskWork, delegate: (any URLSessionTaskDelegate)? = nil, _ build: (Int, URLSession, TaskWork) -> Kind
    ) -> Kind {
        let session = acting
        let task = build(session.engine.nextTaskIdentifier(), session, session.checked(work))
        task.storage.withLock { storage in
            storage.originalRequest = work.request
            storage.delegate = delegate
        }
        if case .downloadContinuing(let data) = work { data.restore(task) }
        if case .uploadContinuing(let data) = work { data.restore(task) }
        session.registry.add(task)
        if session.engine.carriesUnresumedTasks { _ = task.readyTransport() }
        Recipients(task, session).tell((any URLSessionTaskDelegate).self) {
            $0.urlSession(session, didCreateTask: task)
        }
        return task
    }

    /// Finds, without asking a server or ferryd, tasks that must fail: the session does not carry such a URL, or the file cannot
    /// be sent.
    private func checked(_ work: TaskWork) -> TaskWork {
        if let request = work.request {
            precondition(
                request.httpBodyStream == nil || kind != .background,
                "Upload tasks with streams are not supported in background sessions.")
            let scheme = request.url?.scheme?.lowercased() ?? ""
            let allowed = kind == .background ? ["http", "https"] : ["http", "https", "file", "data"]
            // A class of the app's own may load what a session does not, and is asked once there is a task.
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

    /// The work of resume data of an upload, which serve once.
    func continuingUpload(_ data: Data) -> TaskWork {
        guard let data = UploadResumeData(data) else { return .impossible(URLError(.unknown)) }
        // Bytes in memory are for sessions in the app.
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
    /// An error with the URL that it is about.
    static func failing(_ code: Code, _ url: URL?) -> URLError {
        guard let url else { return URLError(code) }
        return URLError(code, userInfo: [NSURLErrorFailingURLErrorKey: url])
    }

    /// Returns this error with the URL that it is about, and with its cause.
    func failing(_ url: URL?) -> URLError {
        URLError(code, userInfo: userInfo.merging(url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:]) { $1 })
    }
}
