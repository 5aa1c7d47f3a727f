// Ferry: FerryEngine
// How the addresses of one name are found.

package import FerryCore

/// Finds the addresses of one name. Blocks for as long as the system's resolver does, on a thread of its own.
package struct NameLookup: Sendable {
    package var find: @Sendable (_ name: String) -> NameBook.Finding

    package init(find: @escaping @Sendable (_ name: String) -> NameBook.Finding) { self.find = find }
}

extension NameBook.Failure {
    /// The error of a request whose host, or whose proxy, has no address.
    func error(of name: String, url: HTTPURL, isProxy: Bool) -> TransferError {
        let details = ErrorDetails(url: url.redacted)
        return switch self {
        case .notFound:
            TransferError(
                .hostNotFound, "The \(isProxy ? "proxy" : "host") \(name) cannot be found.", details: details)
        case .noAnswer:
            TransferError(
                .dnsFailed, "The name \(name) cannot be looked up: the resolver did not answer.", details: details)
        }
    }
}
