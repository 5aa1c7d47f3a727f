// Ferry: FerryService
// How large the last files of an origin were.

/// How large the last files of an origin were: HTTP/2's single connection pays for many small ones.
///
/// See docs/behaviour/transfers.md#Q8.
struct RecentSizes: Sendable {
    private static let count = 8
    private static let small: Int64 = 4 << 20
    private var sizes: [Int64] = []

    mutating func add(_ size: Int64) {
        sizes.append(size)
        if sizes.count > Self.count { sizes.removeFirst() }
    }

    var areSmall: Bool { sizes.count == Self.count && sizes.allSatisfy { $0 <= Self.small } }
}
