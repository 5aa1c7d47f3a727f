import FerryCore
import Foundation
import FoundationNetworking
import Glibc
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
        // A redirect's target may expire. The original URL leads to a new one.
        currentRequest = task.storage.withLock(\.requests.replacement) ?? original
        description = task.taskDescription
        priority = task.priority
        options = task.storage.withLock(\.options)
    }

    /// Applies the original task's values to a new task.
    func restore(_ task: URLSessionTask) {
        task.storage.withLock { storage in
            storage.requests.current = currentRequest
            storage.requests.replacement = currentRequest.url == originalRequest.url ? nil : currentRequest
            storage.description = description
            storage.priority = priority
            storage.options = options
            storage.counts.received = received
            storage.counts.expectedToReceive = expectedLength
        }
    }

    /// Gives the partial file of a failed continuation the name in this data again, so that the data stay usable.
    ///
    /// - Returns: False if the file has other content, or the name is taken.
    func takeBack(_ source: PartialSource, in folder: String) -> Bool {
        let own = self.source(in: folder)
        guard source.offset >= own.offset, entityTag != nil || serverDate != nil, source.etag == own.etag,
            source.lastModified == own.lastModified,
            unsafe link(source.path, own.path) == 0
        else { return false }
        unsafe unlink(source.path)
        return true
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
