public import Foundation
public import FoundationNetworking

/// Asynchronous methods.
extension URLSession {
    /// Fetches the content of a URL. Canceling the caller's task cancels the transfer. Not for background sessions.
    ///
    /// - Throws: `URLError`.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        refuseHandlersInBackground()
        return try await result { handler in
            self.make(.data(request), delegate: delegate) {
                URLSessionDataTask($0, of: $1, work: $2, handler: .data(handler))
            }
        }
    }

    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { try await data(for: URLRequest(url: url), delegate: delegate) }

    /// Uploads a file and returns the response body. Not for background sessions.
    ///
    /// - Throws: `URLError`.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        refuseHandlersInBackground()
        return try await result { handler in
            self.make(.upload(request, .file(fileURL)), delegate: delegate) {
                URLSessionUploadTask($0, of: $1, work: $2, handler: .data(handler))
            }
        }
    }

    /// Uploads data and returns the response body. Not for background sessions.
    ///
    /// - Throws: `URLError`.
    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        refuseHandlersInBackground()
        return try await result { handler in
            self.make(.upload(request, .bytes(bodyData)), delegate: delegate) {
                URLSessionUploadTask($0, of: $1, work: $2, handler: .data(handler))
            }
        }
    }

    /// Resumes an upload and returns the response body. Not for background sessions.
    ///
    /// - Throws: `URLError`, with code `.unknown` if the resume data is invalid or was used before.
    public func upload(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        refuseHandlersInBackground()
        return try await result { handler in
            self.make(self.continuingUpload(resumeData), delegate: delegate) {
                URLSessionUploadTask($0, of: $1, work: $2, handler: .data(handler))
            }
        }
    }

    /// Downloads to a file. The caller must move or remove it. Not for background sessions.
    ///
    /// - Throws: `URLError`, with resume data if the server supports resuming.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        refuseHandlersInBackground()
        return try await result { handler in self.keptDownload(.download(request), delegate, handler) }
    }

    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) { try await download(for: URLRequest(url: url), delegate: delegate) }

    /// Resumes a download. Not for background sessions.
    ///
    /// - Throws: `URLError`, with code `.cannotWriteToFile` if the resume data is invalid.
    public func download(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        refuseHandlersInBackground()
        let work =
            ResumeData(resumeData).map(TaskWork.downloadContinuing) ?? .impossible(.unusableResumeData(.unreadable))
        return try await result { handler in self.keptDownload(work, delegate, handler) }
    }

    /// Requests a URL and returns its bytes as they arrive. Not for background sessions.
    ///
    /// - Throws: `URLError` if no response is received.
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        refuseHandlersInBackground()
        let channel = ByteChannel()
        let task = make(.data(request), delegate: delegate) {
            URLSessionDataTask($0, of: $1, work: $2, handler: .bytes(channel))
        }
        return try await withTaskCancellationHandler {
            task.resume()
            let response = try await channel.response()
            return (AsyncBytes(task: task, channel: channel), response)
        } onCancel: {
            task.cancel()
        }
    }

    public func bytes(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) { try await bytes(for: URLRequest(url: url), delegate: delegate) }

    // MARK: -

    private func keptDownload(
        _ work: TaskWork, _ delegate: (any URLSessionTaskDelegate)?,
        _ handler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        make(work, delegate: delegate) { URLSessionDownloadTask($0, of: $1, work: $2, handler: .keptFile(handler)) }
    }

    /// Runs a task with a completion handler and returns its result.
    private func result<Value: Sendable>(
        _ make: (@escaping @Sendable (Value?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
    ) async throws -> (Value, URLResponse) {
        let promise = ResultPromise<Value>()
        let task = make { promise.fulfill($0, $1, $2) }
        return try await withTaskCancellationHandler {
            task.resume()
            return try await promise.value()
        } onCancel: {
            task.cancel()
        }
    }
}
