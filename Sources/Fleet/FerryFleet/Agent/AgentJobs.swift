import FerryCore

/// The jobs of the worker, by token, and their transfers.
struct AgentJobs: Hashable, Sendable {
    private var byToken: [JobToken: AgentJob] = [:]
    /// Owners of the daemon's transfers.
    private var tokens: [TransferID: JobToken] = [:]

    subscript(token: JobToken) -> AgentJob? { byToken[token] }

    /// The jobs with a lease, in order of their numbers.
    var held: [AgentJob] { held { _ in true } }

    func held(where isWanted: (AgentJob) -> Bool) -> [AgentJob] {
        Self.sorted(byToken.values.filter { $0.lease != nil && isWanted($0) })
    }

    /// Transfers without a lease, in order of their numbers.
    var strays: [AgentJob] { Self.sorted(byToken.values.filter { $0.lease == nil }) }

    private static func sorted(_ jobs: [AgentJob]) -> [AgentJob] {
        jobs.sorted { ($0.reference.job, $0.token) < ($1.reference.job, $1.token) }
    }

    func containsHeld(where isWanted: (AgentJob) -> Bool) -> Bool {
        byToken.values.contains { $0.lease != nil && isWanted($0) }
    }

    var heldCount: Int { byToken.values.count { $0.lease != nil } }
    /// When jobs ask the store again, or give up waiting for its answer.
    var storeTimes: [Double] { byToken.values.flatMap { [$0.retryDue, $0.answerDue] } }
    var unfinishedCount: Int { byToken.values.count(where: \.isUnfinished) }

    /// The held job of a lease.
    subscript(key: LeaseKey) -> AgentJob? { byToken[key.token].flatMap { $0.key == key ? $0 : nil } }

    func owner(of id: TransferID) -> AgentJob? { tokens[id].flatMap { byToken[$0] } }

    /// Changes a job. One that has neither lease nor transfer afterwards is forgotten, unless the daemon may still store it.
    mutating func update(_ token: JobToken, _ change: (inout AgentJob) -> Void) {
        guard var job = byToken[token] else { return }
        let before = job.transfer?.id
        change(&job)
        set(job, former: before)
    }

    /// Takes up a lease.
    mutating func hold(_ lease: Lease) {
        let token = lease.key.token
        let known = byToken[token]
        var job = AgentJob(JobReference(job: lease.key.job, token: token))
        (job.lease, job.transfer, job.isRemoving) = (lease, known?.transfer, known?.isRemoving ?? false)
        job.hasLanded = lease.hasLanded
        set(job, former: known?.transfer?.id)
    }

    /// Drops the lease of a job. Its transfer stays a stray, also one that the daemon is about to store.
    mutating func drop(_ token: JobToken) {
        guard let job = byToken[token] else { return }
        var stray = AgentJob(job.reference)
        (stray.transfer, stray.isRemoving) = (job.transfer, job.isRemoving)
        if job.step == .submitting { stray.step = .submitting }
        set(stray, former: job.transfer?.id)
    }

    /// Records the daemon's transfer of a job. Another transfer of the same job is ignored.
    ///
    /// - Returns: Whether it is the job's transfer.
    @discardableResult
    mutating func set(_ transfer: LocalTransfer) -> Bool {
        let token = transfer.job.token
        var job = byToken[token] ?? AgentJob(transfer.job)
        // An event about a repeated submission's transfer says nothing about the first.
        if let known = job.transfer, known.id != transfer.id { return false }
        job.transfer = transfer
        set(job, former: nil)
        return true
    }

    /// Replaces all transfers. Returns those of jobs that have another one already: a submission was repeated.
    mutating func replace(with transfers: [LocalTransfer]) -> [TransferID] {
        let former = byToken
        for token in former.keys {
            update(token) { job in
                job.transfer = nil
                (job.isRemoving, job.isLimiting) = (false, false)
            }
        }
        var repeated: [TransferID] = []
        for transfer in transfers {
            // A job's transfer that is still there stays the job's.
            let preferred = former[transfer.job.token]?.transfer?.id
            if let present = byToken[transfer.job.token]?.transfer?.id {
                guard transfer.id == preferred, present != preferred else {
                    repeated.append(transfer.id)
                    continue
                }
                repeated.append(present)
                update(transfer.job.token) { $0.transfer = nil }
            }
            set(transfer)
        }
        return repeated
    }

    private mutating func set(_ job: AgentJob, former: TransferID?) {
        if let former, former != job.transfer?.id { tokens[former] = nil }
        if let id = job.transfer?.id { tokens[id] = job.token }
        let isKnown = job.lease != nil || job.transfer != nil || job.step == .submitting
        byToken[job.token] = isKnown ? job : nil
    }
}

extension JobToken: Comparable {
    package static func < (left: JobToken, right: JobToken) -> Bool { left.words < right.words }
}
