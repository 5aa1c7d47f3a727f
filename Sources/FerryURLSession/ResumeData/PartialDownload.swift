package import FerryCore
import Foundation
package import FoundationNetworking

/// The resume data of downloads that no task of a session carries.
package struct PartialDownload: Sendable {
    /// The request that goes on.
    package let request: URLRequest
    /// What it goes on with.
    package let source: PartialSource

    private static let folders = LocalService.shared.folders

    /// What resume data name; nil for data that are none of Ferry's, or name no bytes.
    ///
    /// - Parameter spool: the folder of the daemon's partial files.
    package init?(resumeData: Data, spool: String) {
        guard let data = ResumeData(resumeData), data.received > 0 else { return nil }
        request = data.currentRequest
        source = data.source(in: data.directory == .spool ? spool : Self.folders.partials)
    }

    /// Gives the partial file to the download that goes on with it.
    package func claim() { Self.folders.claim(source.path, size: source.offset) }

    /// Ends the claim: the service has taken the partial file, or has refused it.
    package func settle() { Self.folders.settle(source.path) }

    /// The resume data of a request whose partial file its service has released; nil if the file cannot be kept.
    ///
    /// - Parameter isInSpool: whether the daemon keeps the file; the file of a service of this process is moved to where it
    ///   outlives the process.
    package static func resumeData(of request: URLRequest, _ source: PartialSource, isInSpool: Bool) -> Data? {
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
