import FerryCore
import FerryEngine
import FerryRules
import Foundation
import FoundationNetworking

/// The file of a download without a transfer: of a `file` or `data` URL, of a protocol class, or of a data task that
/// became a download.
struct ResourceFile {
    private let file: URL
    private let handle: FileHandle
    private let relay: TaskRelay
    private let expected: Checksum?
    private var digest: RunningDigest?

    /// Creates the file.
    ///
    /// - Throws: `URLError.cannotCreateFile`, or ``TransferError`` `invalid_request` for an invalid expected digest.
    init(in folder: URL, relay: TaskRelay) throws {
        expected = try relay.task.options.expectedDigest?.checksum()
        digest = expected.map { RunningDigest([$0.algorithm]) }
        file = folder.appendingPathComponent("\(UUID().uuidString).download")
        self.relay = relay
        guard (try? Data().write(to: file)) != nil, let handle = try? FileHandle(forWritingTo: file) else {
            throw URLError.failing(.cannotCreateFile, relay.task.currentRequest?.url)
        }
        self.handle = handle
    }

    /// Appends a part of the body and reports the task's progress.
    ///
    /// - Throws: `URLError.cannotWriteToFile`.
    mutating func append(_ data: Data) throws {
        guard (try? handle.write(contentsOf: data)) != nil, let total = try? handle.offset() else {
            throw failing(.cannotWriteToFile)
        }
        unsafe data.withUnsafeBytes { unsafe digest?.update($0) }
        relay.show(.wrote(total: Int64(total), expected: relay.task.response?.expectedContentLength ?? -1))
    }

    /// Makes the file durable, verifies its digest, moves it to its destination and delivers it.
    ///
    /// - Throws: `URLError.cannotWriteToFile` or `.cannotMoveFile`, or ``TransferError`` `digest_mismatch` or
    ///   `destination_exists`.
    func finish() async throws {
        guard (try? handle.synchronize()) != nil, (try? handle.close()) != nil else {
            throw failing(.cannotWriteToFile)
        }
        let status = (relay.task.response as? HTTPURLResponse)?.statusCode
        // The digest does not apply to the body of an error response.
        if (200..<300).contains(status ?? 200), let expected, let found = digest?.finalize().first, found != expected {
            let text = "The file's \(expected.algorithm.rawValue) is \(found.hex), not \(expected.hex)."
            throw TransferError(ServiceError(.digestMismatch, text))
        }
        do {
            let place = try FilePlacement.place(file.path, task: relay.task, status: status)
            if place.stays { await relay.finished(place.file) } else { await relay.finishedTemporary(place.file) }
        } catch let error as URLError {
            throw error.failing(relay.task.currentRequest?.url)
        }
    }

    /// Removes the file of a failed download.
    func remove() {
        try? handle.close()
        try? FileManager.default.removeItem(at: file)
    }

    private func failing(_ code: URLError.Code) -> URLError {
        URLError.failing(code, relay.task.currentRequest?.url)
    }
}
