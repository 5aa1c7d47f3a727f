// Ferry: FerryURLSession
// A response that suggests a name for its file.

import FerryCore
import Foundation
import FoundationNetworking

/// A response that suggests a name for its file as on Apple's systems: the server's, else the URL's last component.
/// swift-corelibs-foundation has `Unknown` for all that have no `Content-Disposition`.
final class NamedResponse: HTTPURLResponse, @unchecked Sendable {  // SAFETY: adds no state to an immutable class
    override var suggestedFilename: String? {
        guard let text = url?.absoluteString, let address = try? HTTPURL(parsing: text) else {
            return super.suggestedFilename
        }
        return FileName.choose(
            callerName: nil, contentDisposition: value(forHTTPHeaderField: "Content-Disposition"),
            originalURL: address, finalURL: address)
    }
}
