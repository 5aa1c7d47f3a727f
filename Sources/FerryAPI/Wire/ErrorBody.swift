// Ferry: FerryAPI
// The body of every response that reports an error.

package import FerryCore

/// The body of every response that reports an error.
package struct ErrorBody: Hashable, Codable, Sendable {
    package var error: TransferError

    package init(_ error: TransferError) { self.error = error }
}
