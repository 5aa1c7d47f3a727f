// Foundation as far as Ferry's small programs need it.
//
// On Linux all of Foundation brings the tables of ICU, which are more than half of a program that is linked with it, and some
// thousand protocol conformances: Swift's runtime looks through all of them whenever it asks for the first time whether a type
// conforms to a protocol. A command that takes milliseconds pays for both at each start. FoundationEssentials has the values,
// files and coders without them.

#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
    // Foundation shows the C library too.
    @_exported public import Glibc
    @_spi(_Unicode) import Swift
#else
    @_exported public import Foundation
#endif

extension String {
    /// The text in Normalization Form C (Unicode Standard Annex #15): letters with their marks in one scalar where there is one.
    package var composed: String {
        #if canImport(FoundationEssentials)
            var scalars = UnicodeScalarView()
            for scalar in _nfc { scalars.append(scalar) }
            return String(scalars)
        #else
            return precomposedStringWithCanonicalMapping
        #endif
    }
}

/// Calls a system function until no signal interrupts it (`EINTR`, signal(7)).
///
/// On a network file system or FUSE most calls on files can be interrupted, also `open` and `fsync`. Not for `close`, which
/// Linux does not repeat.
/// - Returns: The result of the last call, which sets `errno` if it is negative.
@inlinable package func uninterrupted<Result: FixedWidthInteger & SignedNumeric>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        guard result < 0, errno == EINTR else { return result }
    }
}
