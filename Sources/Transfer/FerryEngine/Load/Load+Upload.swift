import FerryCore
import FerryRules
import Foundation

extension Load {
    /// Performs an upload. If the server has announced an upload resource, resumes after each lost connection, as long
    /// as there is progress within the request's own timeout.
    func upload(_ body: LoadBody, to url: HTTPURL, _ shared: Correspondence) async throws(ServiceError)
        -> ConversationEnd
    {
        let content: UploadContent
        switch body {
        case .bytes(let data): content = .bytes(data)
        case .file(let path):
            content = try await UploadContent(path: path, disk: engine.disk)
            if let given = request.sentFile, case .file(let file, _) = content { try file.check(is: given) }
        case .none, .stream: throw ServiceError(.internal, "The content of an upload cannot be read twice.")
        }
        var facts = request.continues
        var outage = UploadOutage(facts)
        while true {
            let machine = UploadMachine(
                facts, url: request.url, method: request.method, length: content.length,
                policy: RedirectPolicy(allowPrivateRedirects: true))
            let upload = Upload(machine, content, Upload.Place())
            carries(upload)
            let ended: Result<ConversationEnd, ServiceError>
            do throws(ServiceError) {
                ended = .success(try await upload.carry(to: url, by: LoadConnection(self, upload), shared, engine))
            } catch {
                ended = .failure(error)
            }
            facts = upload.facts
            let (error, later): (ServiceError, RetryAfterResponse?)
            switch ended {
            case .success(.failed(let failure, let asked)): (error, later) = (failure, asked)
            case .success(let end): return end
            case .failure(let failure): (error, later) = (failure, nil)
            }
            try checkCanceled()
            guard upload.isResumable, [.patient, .wait].contains(error.errorClass) else { throw error }
            let patience = request.idleTimeout ?? .infinity
            guard let pause = outage.pause(after: upload.facts, patience: patience, now: .now) else { throw error }
            let asked = later.flatMap { RetryAfter(parsing: $0.value, now: Date()) }?.seconds ?? 0
            await pauses.wait(seconds: max(pause, min(asked, patience)))
            try checkCanceled()
        }
    }
}

/// A period without upload progress.
struct UploadOutage {
    private var frontier: Int64
    private var failures = 0
    private var began: SuspendingClock.Instant?

    init(_ facts: UploadFacts?) { frontier = facts?.frontier ?? 0 }

    /// Records a failure.
    ///
    /// - Parameter patience: Seconds without progress after which the upload fails.
    /// - Returns: Seconds until the next attempt, or `nil` for none.
    mutating func pause(after facts: UploadFacts, patience: Double, now: SuspendingClock.Instant) -> Double? {
        if facts.frontier > frontier {
            frontier = facts.frontier
            (failures, began) = (0, nil)
        }
        let since = began ?? now
        began = since
        failures += 1
        guard since.duration(to: now) / .seconds(1) < patience else { return nil }
        return RetryDelay.seconds(afterFailures: failures, random: .random(in: 0..<1))
    }
}
