// Ferry: FerryCore
// A server that shows its certificates.

package import Foundation

/// A server that shows its certificates.
package struct TrustChallenge: Hashable, Codable, Sendable {
    package var host: String
    package var port: Int
    /// DER, leaf first.
    package var certificates: [Data]
    /// What the default evaluation finds wrong; nil if nothing.
    package var fault: TransferError?

    package init(host: String, port: Int, certificates: [Data], fault: TransferError?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.fault = fault
    }
}

/// What becomes of a server's certificates.
package enum TrustAnswer: String, Hashable, Codable, Sendable {
    /// The default evaluation decides.
    case performDefault
    /// They are accepted whatever the evaluation finds.
    case accept
    /// The transfer ends as canceled.
    case cancel
    /// The connection is refused as untrusted.
    case reject
    /// The transfer waits until its client is there to answer.
    case wait
}
