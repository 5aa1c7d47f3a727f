import FerryCore
import FerryRules
import Synchronization

/// The upload of a transfer.
enum AttemptUpload {
    /// Opens the content, and continues from the state of earlier attempts.
    ///
    /// - Parameters:
    ///   - facts: The state of earlier attempts.
    ///   - record: Makes facts durable.
    /// - Returns: `nil` for a transfer that is not an upload.
    /// - Throws: ``ServiceError`` with code `file_changed`, or Foundation's code for a file that cannot be sent.
    static func open(
        isolation: isolated (any Actor)? = #isolation, _ job: TransferJob, _ facts: UploadFacts?, disk: DiskQueue,
        record: @escaping @Sendable (UploadFacts) async throws(ServiceError) -> Void
    ) async throws(ServiceError) -> Upload? {
        let request = job.request
        guard request.direction == .upload, let body = request.body else { return nil }
        let content = try await UploadContent(body, disk: disk)
        let machine = UploadMachine(
            facts, url: request.url, method: request.method, length: content.length, policy: request.transport.redirects
        )
        let progress = job.progress
        let place = Upload.Place(
            gate: job.gate, onSent: { progress.spent.wrappingAdd(Int64($0), ordering: .relaxed) }, record: record)
        return Upload(machine, content, place)
    }

    /// Counts the uploaded bytes that the server has as gained. Bytes that it lost and receives again are not counted.
    static func count(_ upload: UploadFacts?, of job: TransferJob, in cost: inout AttemptCost) {
        guard let body = job.request.body, job.request.direction == .upload else { return }
        // A server that cannot resume may receive all bytes again, as often as it may send all bytes of a download.
        cost.frontier = max(cost.frontier, body.length)
        guard let upload else { return }
        let gained = max(0, upload.frontier - (job.facts.sending.upload?.frontier ?? 0))
        cost.gained += max(0, gained - cost.uploaded)
        cost.uploaded = max(cost.uploaded, gained)
    }
}
