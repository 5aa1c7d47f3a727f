// Ferry: FerryCore
// Versions of TLS.

/// Versions of TLS that a request may ask for.
package enum TLSVersion: String, CaseIterable, Codable, Comparable, Sendable {
    case v1_0 = "1.0"
    case v1_1 = "1.1"
    case v1_2 = "1.2"
    case v1_3 = "1.3"

    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}
