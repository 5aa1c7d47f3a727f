import Foundation
public import FoundationNetworking

/// The cookies of a task's request; Foundation's own members take tasks of its own sessions.
extension HTTPCookieStorage {
    /// Calls a closure with the cookies that go with a task's current request; nil if there are none.
    public func getCookiesFor(_ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void) {
        let cookies = task.currentRequest?.url.flatMap { self.cookies(for: $0) } ?? []
        completionHandler(cookies.isEmpty ? nil : cookies)
    }

    /// Keeps cookies that came with the response of a task, as the storage's policy allows.
    public func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
        setCookies(cookies, for: task.currentRequest?.url, mainDocumentURL: task.originalRequest?.mainDocumentURL)
    }
}

/// What a task's response left in the cache; Foundation's own members take tasks of its own sessions.
extension URLCache {
    /// Gives the handler, before it returns, what the cache has for a task's request; nil if it has nothing.
    public func getCachedResponse(
        for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) { completionHandler(dataTask.currentRequest.flatMap { cachedResponse(for: $0) }) }

    /// Keeps a response for a task's request.
    public func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
        if let request = dataTask.currentRequest { storeCachedResponse(cachedResponse, for: request) }
    }

    /// Lets go of what the cache has for a task's request.
    public func removeCachedResponse(for dataTask: URLSessionDataTask) {
        if let request = dataTask.currentRequest { removeCachedResponse(for: request) }
    }
}
