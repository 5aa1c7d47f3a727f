// Ferry: FerryCore
// The redirects of one attempt.

/// The URLs that one attempt has asked, in order.
package struct RedirectChain: Sendable {
    /// The most redirects that one attempt follows.
    package static let limit = 20

    /// How often one attempt makes the same request: a server may answer a second look otherwise, but not each one.
    package static let looks = 3

    /// What makes two requests the same.
    private struct Visit: Hashable {
        let method: String
        let url: HTTPURL
        let secrets: String?

        init(_ url: HTTPURL, method: String, secrets: String?) {
            self.url = url.withoutUserinfo.withoutFragment
            (self.method, self.secrets) = (method, secrets)
        }
    }

    package private(set) var urls: [HTTPURL]
    private let first: (method: String, secrets: String?)
    /// How often each request was made; empty until the first redirect, as most attempts have none.
    private var visits: [Visit: Int] = [:]

    /// Begins a try.
    ///
    /// - Parameter secrets: the credentials and cookies that went with the request, in any form that differs when they do.
    package init(start url: HTTPURL, method: String, secrets: String? = nil) {
        urls = [url]
        first = (method, secrets)
    }

    /// How many redirects were followed.
    package var count: Int { urls.count - 1 }

    /// The chain as records and logs may show it.
    package var redacted: [String] { urls.map(\.redacted) }

    /// Adds one step.
    ///
    /// - Throws: ``TransferError`` with code `too_many_redirects` for one step too many, or for a request that was made
    ///   ``looks`` times with the same secrets; the chain is then unchanged.
    package mutating func follow(_ redirect: Redirect, secrets: String? = nil) throws(TransferError) {
        let details = ErrorDetails(url: redirect.url.redacted)
        guard count < Self.limit else {
            throw TransferError(
                .tooManyRedirects, "The server redirected more than \(Self.limit) times.", details: details)
        }
        let visit = Visit(redirect.url, method: redirect.method, secrets: secrets)
        if visits.isEmpty { visits[Visit(urls[0], method: first.method, secrets: first.secrets)] = 1 }
        guard visits[visit, default: 0] < Self.looks else {
            throw TransferError(
                .tooManyRedirects, "The server redirects in a circle, back to “\(redirect.url.redacted)”.",
                details: details)
        }
        visits[visit, default: 0] += 1
        urls.append(redirect.url)
    }
}
