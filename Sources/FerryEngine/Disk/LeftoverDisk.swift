// Ferry: FerryEngine
// Disk calls in folders that may not answer.

import Foundation

/// Where what earlier processes left is looked at, in folders that may not answer: what hangs there holds up nothing else.
package struct LeftoverDisk: Sendable {
    private let disk: DiskQueue

    init(disk: DiskQueue) { self.disk = disk }

    /// The queue for folders that have answered.
    package var queue: DiskQueue { disk.at(.leftovers) }

    /// Why a folder cannot be used; nil if it can be, or is not there.
    package func obstacle(at folder: String) async -> DiskError? {
        let opened = await disk.at(.folder(folder)).result { system throws(DiskError) in
            _ = try system.openFolder(folder)
        }
        guard case .failure(let error) = opened, error.errno != ENOENT, error.errno != ENOTDIR else { return nil }
        return error
    }
}
