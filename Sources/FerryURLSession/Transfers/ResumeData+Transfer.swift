import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// Resume data from a transfer, and for one.
extension ResumeData {
    /// What a later task needs to go on with the file that a transfer has left.
    init?(_ source: PartialSource, in directory: Directory, task: URLSessionTask) {
        guard let original = task.originalRequest, let name = source.path.split(separator: "/").last else { return nil }
        fileName = String(name)
        self.directory = directory
        received = source.offset
        expectedLength = source.completeLength ?? -1
        // A weak tag proves nothing about bytes; without it the date would seem to.
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

    /// Gives a new task the values of the task that the resume data come from.
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

    /// The file for the transfer that goes on with it.
    ///
    /// - Parameter folder: where files of this data's directory are.
    func source(in folder: String) -> PartialSource {
        PartialSource(
            path: folder + "/" + fileName, offset: received, etag: entityTag, lastModified: serverDate,
            date: responseDate, completeLength: expectedLength < 0 ? nil : expectedLength,
            pendingDigests: pendingDigests)
    }
}
