package import FerryCore
package import FerryFoundation

/// A job as all clients see it.
package struct Job: Hashable, Sendable {
    package var id: JobID
    package var token: JobToken
    package var state: TransferState
    /// Why it waits, or `nil` in every other state.
    package var reason: WaitReason?
    package var url: String
    /// The requested or final path of the file.
    package var destination: String
    package var priority: Int
    package var labels: Labels
    package var claims: Claims
    package var bytes: Bytes
    package var times: Times
    package var result: JobResult?
    package var error: ServiceError?
    /// Earlier tries that did not end the job. Only in the details of one job.
    package var history: [Try]?

    /// A claim that did not end its job.
    package struct Try: Hashable, Codable, Sendable {
        package var fence: Int32
        package var worker: String
        /// `rescued`, the reason of a return, or `failed` and `canceled` before a retry.
        package var reason: String
        package var error: ServiceError?
        package var endedAt: Date

        package init(fence: Int32, worker: String, reason: String, error: ServiceError?, endedAt: Date) {
            self.fence = fence
            self.worker = worker
            self.reason = reason
            self.error = error
            self.endedAt = endedAt
        }

        private enum CodingKeys: String, CodingKey {
            case fence, worker, reason, error
            case endedAt = "ended_at"
        }
    }

    package init(
        id: JobID, token: JobToken, state: TransferState, reason: WaitReason?, url: String, destination: String,
        priority: Int, labels: Labels, claims: Claims, bytes: Bytes, times: Times, history: [Try]?
    ) {
        self.id = id
        self.token = token
        self.state = state
        self.reason = reason
        self.url = url
        self.destination = destination
        self.priority = priority
        self.labels = labels
        self.claims = claims
        self.bytes = bytes
        self.times = times
        self.history = history
    }
}

extension Job {
    /// The submitter's names for a job, and the label that its worker must have.
    package struct Labels: Hashable, Sendable {
        package var key: String?
        package var batch: String?
        package var needs: String?

        package init(key: String?, batch: String?, needs: String?) {
            self.key = key
            self.batch = batch
            self.needs = needs
        }
    }

    /// The claims of a job so far.
    package struct Claims: Hashable, Sendable {
        package var fence: Int32
        /// Number of claims.
        package var tries: Int
        /// Number of workers that were lost with it in a row.
        package var rescues: Int
        /// The worker that has it, or ended it.
        package var worker: String?

        package init(fence: Int32, tries: Int, rescues: Int, worker: String?) {
            self.fence = fence
            self.tries = tries
            self.rescues = rescues
            self.worker = worker
        }
    }

    /// The bytes of a running job, as far as its worker has reported them.
    package struct Bytes: Hashable, Sendable {
        package var received: Int64?
        package var expected: Int64?

        package init(received: Int64?, expected: Int64?) {
            self.received = received
            self.expected = expected
        }
    }

    package struct Times: Hashable, Sendable {
        package var created: Date
        /// Earliest time of the next claim.
        package var ready: Date?
        package var finished: Date?

        package init(created: Date, ready: Date? = nil, finished: Date? = nil) {
            self.created = created
            self.ready = ready
            self.finished = finished
        }
    }
}

/// One JSON object without nested groups.
extension Job: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, token, state, reason, url, destination, priority, key, batch, needs, fence, tries, rescues, worker,
            result
        case error, history
        case bytesReceived = "bytes_received"
        case bytesExpected = "bytes_expected"
        case createdAt = "created_at"
        case readyAt = "ready_at"
        case finishedAt = "finished_at"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        id = try box.decode(JobID.self, forKey: .id)
        token = try box.decode(JobToken.self, forKey: .token)
        state = try box.decode(TransferState.self, forKey: .state)
        reason = try box.decodeIfPresent(WaitReason.self, forKey: .reason)
        url = try box.decode(String.self, forKey: .url)
        destination = try box.decode(String.self, forKey: .destination)
        priority = try box.decode(Int.self, forKey: .priority)
        labels = Labels(
            key: try box.decodeIfPresent(String.self, forKey: .key),
            batch: try box.decodeIfPresent(String.self, forKey: .batch),
            needs: try box.decodeIfPresent(String.self, forKey: .needs))
        claims = Claims(
            fence: try box.decode(Int32.self, forKey: .fence), tries: try box.decode(Int.self, forKey: .tries),
            rescues: try box.decode(Int.self, forKey: .rescues),
            worker: try box.decodeIfPresent(String.self, forKey: .worker))
        bytes = Bytes(
            received: try box.decodeIfPresent(Int64.self, forKey: .bytesReceived),
            expected: try box.decodeIfPresent(Int64.self, forKey: .bytesExpected))
        times = Times(
            created: try box.decode(Date.self, forKey: .createdAt),
            ready: try box.decodeIfPresent(Date.self, forKey: .readyAt),
            finished: try box.decodeIfPresent(Date.self, forKey: .finishedAt))
        result = try box.decodeIfPresent(JobResult.self, forKey: .result)
        error = try box.decodeIfPresent(ServiceError.self, forKey: .error)
        history = try box.decodeIfPresent([Try].self, forKey: .history)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(id, forKey: .id)
        try box.encode(token, forKey: .token)
        try box.encode(state.rawValue, forKey: .state)
        try box.encodeIfPresent(reason, forKey: .reason)
        try box.encode(url, forKey: .url)
        try box.encode(destination, forKey: .destination)
        try box.encode(priority, forKey: .priority)
        try box.encodeIfPresent(labels.key, forKey: .key)
        try box.encodeIfPresent(labels.batch, forKey: .batch)
        try box.encodeIfPresent(labels.needs, forKey: .needs)
        try box.encode(claims.fence, forKey: .fence)
        try box.encode(claims.tries, forKey: .tries)
        try box.encode(claims.rescues, forKey: .rescues)
        try box.encodeIfPresent(claims.worker, forKey: .worker)
        try box.encodeIfPresent(bytes.received, forKey: .bytesReceived)
        try box.encodeIfPresent(bytes.expected, forKey: .bytesExpected)
        try box.encode(times.created, forKey: .createdAt)
        try box.encodeIfPresent(times.ready, forKey: .readyAt)
        try box.encodeIfPresent(times.finished, forKey: .finishedAt)
        try box.encodeIfPresent(result, forKey: .result)
        try box.encodeIfPresent(error, forKey: .error)
        try box.encodeIfPresent(history, forKey: .history)
    }
}
