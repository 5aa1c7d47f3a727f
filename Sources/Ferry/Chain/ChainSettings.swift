// Ferry: Ferry
// What the downloads of a chain begin with.

import FerryCore
import Foundation

/// What the downloads of a chain begin with, as the manager's configuration says.
struct ChainSettings: Sendable {
    /// Added where a request lacks the field.
    var headers: HTTPHeaders = [:]
    var trust: ServerTrustPolicyManager?

    /// The fields of a request.
    func headers(_ own: HTTPHeaders) -> HTTPHeaders {
        let names = Set(own.keys.map { $0.lowercased() })
        return own.merging(headers.filter { !names.contains($0.key.lowercased()) }) { own, _ in own }
    }

    /// Lets a request trust its server as the manager says.
    func apply(to request: inout TransferRequest, host: String?) {
        switch host.flatMap({ trust?.policies[$0] }) {
        case .disableEvaluation: request.insecure = true
        case .performDefaultEvaluation(validateHost: false): request.skipsHostVerification = true
        case .performDefaultEvaluation(validateHost: true), nil: break
        }
    }
}
