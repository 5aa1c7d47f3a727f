// Ferry: FerryEngine
// Disk calls in folders that may not answer.

import Foundation

/// Where what earlier processes left is looked at, in folders that may not answer: what hangs there holds up nothing else.
package struct LeftoverDisk: Sendable {
    private let disk: DiskQueue

    init(disk: DiskQueue) { self.disk = disk }

    /// The queue for what is left in some folders, once each of them has answered or is known not to be there.
    ///
    /// What hangs there later holds up what is left on the same file systems, and nothing else.
    /// - Parameter ignoringErrors: whether folders that give an error count as folders that are not there.
    package func queue(for folders: Set<String>, ignoringErrors: Bool) async throws(DiskError) -> DiskQueue {
        var devices: Set<UInt64> = []
        for folder in folders.sorted() {
            let looked = await disk.at(.folder(folder)).result { system throws(DiskError) -> UInt64? in
                _ = try system.openFolder(folder)
                return system.device(of: folder)
            }
            switch looked {
            case .success(let device?): devices.insert(device)
            case .success(nil): break
            case .failure(let error):
                guard ignoringErrors || error.errno == ENOENT || error.errno == ENOTDIR else { throw error }
            }
        }
        return disk.at(.leftovers(devices))
    }
}
