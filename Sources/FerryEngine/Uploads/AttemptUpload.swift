import FerryCore
import Synchronization

/// The upload that a transfer is.
enum AttemptUpload {
    /// Opens the content, and goes on from what earlier attempts left.
    ///
    /// - Parameters:
    ///   - facts: what earlier attempts left.
    ///   - record: makes facts durable.
    /// - Returns: nil for a transfer that is no upload.
    /// - Throws: ``ServiceError`` with code `file_changed`, or Foundation's code for a file that cannot be sent.
    static func open(
        _ job: TransferJob, _ facts: UploadFacts?, disk: DiskQueue,
        record: @escaping @Sendable (UploadFacts) async throws(ServiceError) -> Void
    ) async throws(ServiceError) -> Upload? {
        let request = job.request
        guard request.direction == .upload, let body = request.body else { return nil }
        let content = try await UploadContent(body, disk: disk)
        let machine = UploadMachine(
            facts, url: request.url, method: request.method, length: content.length, policy: request.redirects)
        let progress = job.progress
        let place = Upload.Place(
            gate: job.gate, onSent: { progress.spent.wrappingAdd(Int64($0), ordering: .relaxed) }, record: record)
        return Upload(machine, content, place)
    }

    /// Counts what the server has of an upload as gained: bytes that it has lost and gets again are no gain.
    static func count(_ upload: UploadFacts?, of job: TransferJob, in cost: inout AttemptCost) {
        guard let body = job.request.body, job.request.direction == .upload else { return }
        // A server that cannot resume may get all of it again, as often as it would send a download.
        cost.frontier = max(cost.frontier, body.length)
        guard let upload else { return }
        let gained = max(0, upload.frontier - (job.facts.upload?.frontier ?? 0))
        cost.gained += max(0, gained - cost.uploaded)
        cost.uploaded = max(cost.uploaded, gained)
    }
}
