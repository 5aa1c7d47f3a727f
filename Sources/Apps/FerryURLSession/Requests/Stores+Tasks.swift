import Foundation
public import FoundationNetworking

/// Cookies of a task's request. Foundation's own methods take tasks of its own sessions.
extension HTTPCookieStorage {
    /// Calls the handler with the cookies for a task's current request; nil if there are none.
    public func getCookiesFor(_ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void) {
        let cookies = task.currentRequest?.url.flatMap { self.cookies(for: $0) } ?? []
        completionHandler(cookies.isEmpty ? nil : cookies)
    }

    /// Returns the cookies for a task's current request; nil if there are none.
    public func cookies(for task: URLSessionTask) async -> [HTTPCookie]? {
        await withCheckedContinuation { continuation in
            getCookiesFor(task) { continuation.resume(returning: $0) }
        }
    }

    /// Stores cookies of a task's response, as the storage's policy allows.
    public func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
        setCookies(cookies, for: task.currentRequest?.url, mainDocumentURL: task.originalRequest?.mainDocumentURL)
    }
}
