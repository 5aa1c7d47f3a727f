// Ferry: FerryStore
// A transfer as far as it is shown.

package import FerryCore
import Foundation

/// A transfer as far as it is shown, and what it needs to be told why it waits.
package struct ListedTransfer: Sendable {
    /// Holds what is shown of the request and the facts, and no failures, credentials and time under way.
    package let record: TransferRecord
    /// Scheme, host and port of its URL; the URL itself where that has none.
    package let origin: String
}
