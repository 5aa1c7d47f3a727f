// Ferry: FerryURLSession
// Versions of TLS in Foundation's words.

import FerryCore
import Foundation
import FoundationNetworking

/// Versions of TLS in Foundation's words and in Ferry's.
enum TLSMapping {
    static func version(_ version: TLSVersion) -> tls_protocol_version_t {
        switch version {
        case .v1_0: .TLSv10
        case .v1_1: .TLSv11
        case .v1_2: .TLSv12
        case .v1_3: .TLSv13
        }
    }

    static func version(_ version: tls_protocol_version_t) -> TLSVersion? {
        switch version {
        case .TLSv10: .v1_0
        case .TLSv11: .v1_1
        case .TLSv12: .v1_2
        case .TLSv13: .v1_3
        default: nil
        }
    }
}
