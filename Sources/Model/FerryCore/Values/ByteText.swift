/// Formats byte counts in powers of 1024.
package enum ByteText {
    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// Rounded to a tenth: `1.5 MiB`, `900 B`.
    package static func of(_ bytes: Int64) -> String {
        guard bytes >= 1024 else { return "\(max(0, bytes)) B" }
        var value = Double(bytes) / 1024
        var unit = 0
        // 1023.95 would be rounded to 1024.0.
        while value >= 1023.95, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// Exact, as accepted on command lines: `64M`, `1500`.
    package static func exact(_ bytes: Int64) -> String {
        var (rest, unit) = (bytes, 0)
        while rest > 0, rest % 1024 == 0, unit < 4 { (rest, unit) = (rest / 1024, unit + 1) }
        return "\(rest)" + ["", "k", "M", "G", "T"][unit]
    }

    package static func speed(_ bytesPerSecond: Double) -> String {
        of(Int64(bytesPerSecond.isFinite ? min(max(0, bytesPerSecond), 1e18) : 0)) + "/s"
    }
}
