/// The caller's `Accept-Encoding` value (RFC 9110 §12.5.3).
package enum AcceptedCodings {
    /// Whether an unencoded response is acceptable: `identity` is, unless it or `*` has weight 0.
    package static func admitIdentity(_ value: String) -> Bool {
        var others = true
        for element in value.split(separator: ",") {
            let parts = element.split(separator: ";").map { String($0).trimmingFieldSpace.lowercased() }
            let isRefused = parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            switch parts.first {
            case "identity": return !isRefused
            case "*" where isRefused: others = false
            default: break
            }
        }
        return others
    }

    /// Whether only an unencoded response is acceptable, as in Ferry's own requests.
    package static func areIdentity(_ value: String) -> Bool { value.trimmingFieldSpace.lowercased() == "identity" }

    /// Removes an `Accept-Encoding` that `identity` satisfies. Such a download can resume, because its ranges are those
    /// of the unencoded file.
    package static func leftToFerry(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { !$0.isNamed("Accept-Encoding") || !admitIdentity($0.value) }
    }
}
