// Ferry: FerryURLSession
// Transports for tasks that are new.

import FerryCore
import Foundation
import FoundationNetworking

extension TransferTransport {
    /// Carries a download.
    ///
    /// - Returns: nil for resume data that name no bytes.
    static func download(
        _ task: URLSessionTask, _ request: URLRequest, relay: TaskRelay, transfers: SessionTransfers,
        continuing data: ResumeData?
    ) -> TransferTransport? {
        guard let record = TaskRecord(task) else { return nil }
        if let data, data.received <= 0 { return nil }
        let source = data.map { $0.source(in: transfers.place.folder($0.directory)) }
        let transfer = transfers.mapping.download(request, task: task.taskIdentifier, record: record, continues: source)
        return TransferTransport(
            transfer, kind: .download, offset: data?.received, relay: relay, transfers: transfers)
    }

    /// Carries an upload.
    ///
    /// - Throws: `URLError` if the file cannot be sent.
    static func upload(
        _ task: URLSessionTask, _ request: URLRequest, file: URL, relay: TaskRelay, transfers: SessionTransfers
    ) throws -> TransferTransport {
        guard let record = TaskRecord(task) else { throw URLError(.badURL) }
        let transfer = try transfers.mapping.upload(request, file: file, task: task.taskIdentifier, record: record)
        return TransferTransport(transfer, kind: .upload, offset: nil, relay: relay, transfers: transfers)
    }
}
