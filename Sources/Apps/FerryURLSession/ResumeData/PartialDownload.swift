package import FerryCore
import Foundation
package import FoundationNetworking

/// Resume data of downloads outside a session's tasks.
package struct PartialDownload: Sendable {
    private let data: ResumeData
    /// The request to resume.
    package let request: URLRequest
    /// The partial file to resume from.
    package let source: PartialSource

    private static let folders = LocalService.shared.folders

    /// Parses resume data. Returns nil if it is not Ferry's or covers no bytes.
    ///
    /// - Parameter spool: The folder of the daemon's partial files.
    package init?(resumeData: Data, spool: String) {
        guard let data = ResumeData(resumeData), data.received > 0 else { return nil }
        self.data = data
        request = data.currentRequest
        source = data.source(in: data.directory == .spool ? spool : Self.folders.partials)
    }

    /// Claims the partial file for the download that resumes it.
    package func claim() { Self.folders.claim(source.path, size: source.offset) }

    /// Ends the claim after the service has accepted or refused the partial file.
    package func settle() { Self.folders.settle(source.path) }

    /// Creates resume data from a request and the partial file that its service has released; nil if the file cannot be
    /// kept.
    ///
    /// - Parameters:
    ///   - isInSpool: Whether the daemon keeps the file. A file of this process's service is moved to a folder where it
    ///     outlives the process.
    ///   - used: The resume data that the failed download has used. They stay usable.
    package static func resumeData(
        of request: URLRequest, _ source: PartialSource, isInSpool: Bool, used: PartialDownload? = nil
    ) -> Data? {
        if let used, used.data.takeBack(source, in: used.source.path.folderPart) {
            folders.show(used.source.path)
            var data = used.data
            (data.received, data.expectedLength) = (source.offset, source.completeLength ?? -1)
            return data.encoded()
        }
        var kept = source
        if !isInSpool {
            guard let path = try? folders.keep(source.path) else { return nil }
            kept.path = path
        }
        let data = ResumeData(
            fileName: kept.path.lastPathPart, directory: isInSpool ? .spool : .temporary, received: kept.offset,
            expectedLength: kept.completeLength ?? -1, entityTag: kept.etag, serverDate: kept.lastModified,
            responseDate: kept.date, pendingDigests: kept.pendingDigests, originalRequest: request,
            currentRequest: request,
            priority: URLSessionTask.defaultPriority
        ).encoded()
        if data != nil { folders.show(kept.path) }
        return data
    }
}
