import ArgumentParser
package import FerryCore

/// The requests of a command, and the URLs of a list whose options are invalid.
package struct RequestList {
    package private(set) var requests: [TransferRequest] = []
    package private(set) var refused: [(url: String, error: ServiceError)] = []
    /// The line of each request in its list, or nil for a typed URL.
    private var origins: [URLList.Origin?] = []

    /// Creates a request for each URL, with its checksums from a list.
    ///
    /// - Throws: `ValidationError` if the checksum list is unreadable, or contains none of the files.
    package init(
        _ template: TransferRequest, _ all: URLList, _ options: RequestOptions, in context: CommandContext
    ) throws {
        var checksums = try options.checksums.map { try ListedChecksums($0, count: all.urls.count, in: context) }
        var unknown: [URLList.Extra.Option] = []
        for (place, url) in all.urls.enumerated() {
            var request = template
            request.url = url
            let origin = all.origin(of: place)
            do throws(ServiceError) {
                if let extra = all.extras[place] {
                    unknown += try extra.apply(to: &request, paths: context.typedPath, of: origin?.file)
                    try options.connection.security.check(request.mirrors)
                }
            } catch {
                refused.append((url, error))
                continue
            }
            try checksums?.add(to: &request)
            requests.append(request)
            origins.append(origin)
        }
        try checksums?.report()
        guard !unknown.isEmpty else { return }
        let named = unknown.prefix(5).map { "\($0.name.escapingControls) in line \($0.line)" }
        let others = unknown.count > 5 ? " and \(unknown.count - 5) others" : ""
        context.remark("Ignored options that Ferry does not have: \(named.joined(separator: ", "))\(others).")
    }

    /// Creates a list of requests that come from no file.
    init(_ requests: [TransferRequest]) {
        self.requests = requests
        origins = requests.map { _ in nil }
    }

    /// Other requests in place of these, or none.
    func compactMap(_ change: (_ place: Int, TransferRequest) -> TransferRequest?) -> RequestList {
        var result = RequestList([])
        for (place, request) in requests.enumerated() {
            guard let changed = change(place, request) else { continue }
            result.requests.append(changed)
            result.origins.append(origins[place])
        }
        return result
    }

    /// The requests that satisfy a condition. Those of `refused` are left out.
    func filter(_ isIncluded: (_ place: Int, TransferRequest) -> Bool) -> RequestList {
        compactMap { isIncluded($0, $1) ? $1 : nil }
    }

    func refusals(in session: SessionID) -> [Submission] {
        refused.map { .refused(url: $0.url, session: session, $0.error) }
    }

    /// The error of a request, with its line in the list.
    package func error(_ error: ServiceError, of place: Int) -> ServiceError {
        origins[place].map(error.inLine) ?? error
    }
}
