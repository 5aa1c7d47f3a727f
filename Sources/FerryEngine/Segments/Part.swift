// Ferry: FerryEngine
// What one worker fetches next.

import FerryCore

/// What one worker fetches next: a range, and the response with it if that was asked for already.
struct Part: Sendable {
    var offset: Int64
    var end: Int64
    var exchange: Exchange?
    /// Digests that the server stated of the response's content.
    var digests: [Checksum] = []
}
