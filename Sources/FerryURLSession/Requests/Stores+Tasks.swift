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
