/// What a caller's `Accept-Encoding` says (RFC 9110 §12.5.3).
package enum AcceptedCodings {
    /// Whether an answer without a coding is accepted: `identity` is, unless it, or all that is not named, has the weight 0.
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

    /// Whether nothing but an answer without a coding is asked for, as Ferry itself does.
    package static func areIdentity(_ value: String) -> Bool { value.trimmingFieldSpace.lowercased() == "identity" }

    /// Fields without an `Accept-Encoding` that `identity` satisfies, so that a download can continue: its ranges are those
    /// of the file, whatever coding a later answer would have.
    package static func leftToFerry(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { !$0.isNamed("Accept-Encoding") || !admitIdentity($0.value) }
    }
}
