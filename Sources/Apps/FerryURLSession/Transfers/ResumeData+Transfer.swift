import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// Conversion between resume data and transfers.
extension ResumeData {
    /// Creates resume data from the partial file of a transfer.
    init?(_ source: PartialSource, in directory: Directory, task: URLSessionTask) {
        guard let original = task.originalRequest, let name = source.path.split(separator: "/").last else { return nil }
        fileName = String(name)
        self.directory = directory
        received = source.offset
        expectedLength = source.completeLength ?? -1
        // A weak tag does not validate bytes. Keep it, so that the date alone is not taken for a validator.
        entityTag = source.etag
        serverDate = source.lastModified
        responseDate = source.date
        pendingDigests = source.pendingDigests
        originalRequest = original
        currentRequest = task.currentRequest ?? original
        description = task.taskDescription
        priority = task.priority
        options = task.storage.withLock(\.options)
    }

    /// Applies the original task's values to a new task.
    func restore(_ task: URLSessionTask) {
        task.storage.withLock { storage in
            storage.currentRequest = currentRequest
            storage.description = description
            storage.priority = priority
            storage.options = options
            storage.counts.received = received
            storage.counts.expectedToReceive = expectedLength
        }
    }

    /// Returns the partial file for the transfer that resumes from it.
    ///
    /// - Parameter folder: The folder of files of this data's directory.
    func source(in folder: String) -> PartialSource {
        PartialSource(
            path: folder + "/" + fileName, offset: received, etag: entityTag, lastModified: serverDate,
            date: responseDate, completeLength: expectedLength < 0 ? nil : expectedLength,
            pendingDigests: pendingDigests)
    }
}
