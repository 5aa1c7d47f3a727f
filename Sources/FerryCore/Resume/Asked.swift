// Ferry: FerryCore
// What a request asked for.

/// What a request asked for, as far as its answer depends on it.
package enum Asked: Hashable, Sendable {
    /// A plain GET, or whatever a raw transfer sends (G of the table).
    case whole
    /// Bytes from a position to the last position asked for, or to the end of the file.
    ///
    /// With a validator R of the table, without one U.
    case range(from: Int64, to: Int64?, ifRange: Validator?)
    /// A GET that is answered with 304 if the file is up to date (C of the table).
    case conditional
}
