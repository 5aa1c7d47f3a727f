// Ferry: FerryCore
// What one error code means everywhere.

/// What one error code means: its class, its numbers on each public face, and what it leaves on disk.
package struct ErrorRow: Sendable {
    /// One short phrase, for documentation.
    package let meaning: String
    package let errorClass: ErrorClass
    /// Exit status of `ferry` for a transfer that ended so.
    package let exitStatus: Int32
    /// Status of a control-API response that reports the error.
    package let httpStatus: Int
    /// aria2's exit status and RPC code; nil where aria2 has no counterpart.
    package let aria2: Int?
    /// Foundation's `URLError.Code` raw value; nil where there is none.
    package let urlError: Int?
    package let kept: KeptBytes

    init(
        _ meaning: String, _ errorClass: ErrorClass, exit: Int32, http: Int, aria2: Int?, url: Int?,
        kept: KeptBytes = .partial
    ) {
        self.meaning = meaning
        self.errorClass = errorClass
        self.exitStatus = exit
        self.httpStatus = http
        self.aria2 = aria2
        self.urlError = url
        self.kept = kept
    }
}
