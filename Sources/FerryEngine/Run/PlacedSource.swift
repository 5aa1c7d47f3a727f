// Ferry: FerryEngine
// The file that gets the final name.

import FerryCore

/// The file that gets the final name: the partial file, or a copy of it beside that name.
struct PlacedSource: Sendable {
    let folder: OpenFile
    let file: OpenFile
    let name: String
    let device: UInt64
    let inode: UInt64
}
