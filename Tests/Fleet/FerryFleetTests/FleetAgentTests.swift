import FerryCore
import FerryFleet
import FerryFoundation
import Testing

/// Single decisions that histories of whole fleets seldom come to.
@Suite struct `A fleet's agent` {
    /// A daemon that must be started first lists its transfers late.
    @Test(arguments: 0...8)
    func `removes the transfer of a job whose file was found, whenever the daemon's list comes`(calls: Int) {
        let placed = Intent(path: "/srv/file", copy: ".ferry-fleet-7-1-a-1.part", inode: 9, size: 4, sha256: "00")
        var bed = AgentBed()
        let local = bed.transfer(.succeeded(LocalFile(path: "/spool/5", size: 4)))
        bed.leases = [AgentBed.lease(intents: [placed])]
        bed.take(.started)
        bed.answerCall()
        bed.take(.looked(AgentBed.key, placed.result))
        for _ in 0..<calls { bed.answerCall() }
        bed.take(.listed([local]))
        bed.answerCalls()
        #expect(bed.agent.heldJobs.isEmpty)
        #expect(bed.removed == [local.id])
    }

    /// A file of a few bytes is there before the daemon has answered for its whole batch.
    @Test func `delivers a file that arrived before the daemon answered`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.take(.looked(AgentBed.key, nil))
        bed.answerCalls()
        bed.take(.changed(bed.transfer(.succeeded(LocalFile(path: "/spool/7", size: 4)))))
        bed.take(.submitted([AgentBed.key.token: TransferID(rawValue: 7)]))
        #expect(bed.prepared.count == 1)
    }

    // MARK: Claims

    @Test func `asks the queue little while it is idle, and claims at once when a heartbeat knows of jobs`() {
        var bed = AgentBed(listens: true)
        bed.take(.started)
        bed.take(.listed([]))
        bed.answerCalls()
        let (calls, claims) = (bed.otherCalls, bed.claims)
        bed.pass(600)
        #expect(bed.otherCalls - calls <= 15 && bed.claims > claims, "\(bed.otherCalls - calls) calls in ten minutes")
        let before = bed.claims
        bed.heartbeat.next = 0
        bed.pass(10)
        #expect(bed.claims > before)
        bed.heartbeat.next = .infinity
        bed.pass(5)
        let idle = bed.claims
        bed.take(.notified)
        bed.answerCall()
        #expect(bed.claims == idle + 1)
    }

    @Test func `gives workers up when a heartbeat says that some are late`() {
        var bed = AgentBed.with()
        bed.pass(60)
        let calls = bed.otherCalls - bed.claims
        bed.heartbeat.hasLateWorkers = true
        bed.pass(10)
        #expect(bed.otherCalls - bed.claims == calls + 1)
    }

    // MARK: Ends of the worker

    @Test func `drains until the earliest deadline that it was given`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.fetch()
        // Every heartbeat asks for 600 seconds. A signal asks for 60 in second 41.
        bed.heartbeat.patience = 600
        bed.pass(40)
        bed.take(.stop(patience: 60))
        bed.pass(58)
        #expect(bed.returned.isEmpty)
        bed.pass(4)
        #expect(bed.returned.map(\.reason) == [.drained] && bed.agent.heldJobs.isEmpty)
        #expect(bed.hasExited)
    }

    @Test func `exits soon after it was stopped while the queue is away`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.fetch()
        bed.now = 20
        bed.take(.alarm)
        bed.take(.callFailed(ServiceError(.queueUnreachable, "away")))
        #expect(!bed.hasExited)
        bed.take(.stop(patience: 20))
        #expect(bed.hasExited)
    }

    @Test func `exits some seconds after its patience although a call is never answered`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.fetch()
        bed.now = 11
        bed.take(.alarm)
        #expect(bed.call != nil)
        bed.take(.stop(patience: 20))
        bed.now = 32
        bed.take(.alarm)
        #expect(!bed.hasExited)
        bed.now = 37
        bed.take(.alarm)
        #expect(bed.hasExited)
    }

    // MARK: Destinations

    @Test(arguments: [ConflictPolicy.skip, .fail])
    func `fetches nothing for a destination that is taken`(policy: ConflictPolicy) {
        var bed = AgentBed.with(AgentBed.lease(policy: policy))
        #expect(bed.looks.map(\.policy) == [policy])
        let outcome: JobOutcome
        if policy == .skip {
            let result = JobResult(path: "/srv/file", size: 3, sha256: nil, isUnchanged: true)
            outcome = .succeeded(result)
            bed.take(.looked(AgentBed.key, result))
        } else {
            let error = ServiceError(.destinationExists, "exists")
            outcome = .failed(error)
            bed.take(.lookFailed(AgentBed.key, DeliveryFailure(error, isTemporary: false)))
        }
        bed.answerCalls()
        #expect(bed.ended.map(\.outcome) == [outcome] && bed.submitted.isEmpty)
    }

    @Test func `releases origins in its daemon that the queue holds no longer`() {
        var bed = AgentBed.with()
        bed.heartbeat.holds = [Heartbeat.Hold(origin: "a", seconds: 60), Heartbeat.Hold(origin: "b", seconds: 60)]
        bed.pass(10)
        bed.heartbeat.holds = [Heartbeat.Hold(origin: "b", seconds: 50)]
        bed.pass(10)
        let last = bed.holds.last?.sorted { $0.origin < $1.origin }
        #expect(last == [Heartbeat.Hold(origin: "a", seconds: 0), Heartbeat.Hold(origin: "b", seconds: 50)])
    }

    // MARK: The machine's troubles

    private static let full = ServiceError(.diskFull, "/srv cannot be written: No space left on device.")

    @Test func `claims nothing while its spool is full, says so, and claims at once when it has room again`() {
        var bed = AgentBed()
        bed.take(.checked("The spool is full."))
        bed.take(.started)
        bed.take(.listed([]))
        bed.answerCalls()
        bed.take(.notified)
        bed.pass(10)
        #expect(bed.claims == 0 && bed.reports.last?.condition == "The spool is full.")
        bed.take(.checked(nil))
        bed.answerCalls()
        #expect(bed.claims == 1)
        bed.pass(10)
        #expect(bed.reports.last?.condition == nil)
    }

    @Test func `gives a job back at once that its store does not allow to begin, and claims nothing for a while`() {
        var bed = AgentBed.with(AgentBed.lease())
        let before = bed.claims
        bed.take(.lookFailed(AgentBed.key, DeliveryFailure(Self.full, isTemporary: true)))
        bed.answerCalls()
        #expect(bed.returned.map(\.reason) == [.store] && bed.returned.first?.error == Self.full)
        #expect(bed.returned.first?.delay == 0, "another worker may have it at once")
        bed.take(.notified)
        bed.answerCalls()
        #expect(bed.claims == before)
        bed.pass(10)
        #expect(bed.claims > before)
    }

    @Test func `keeps complete files for a minute while its store fails, then gives them back`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.fetch()
        bed.take(.changed(bed.transfer(.succeeded(LocalFile(path: "/spool/7", size: 4)))))
        for _ in 0..<6 {
            guard let delivery = bed.prepared.last else { break }
            bed.take(.deliveryFailed(delivery, DeliveryFailure(Self.full, isTemporary: true)))
            #expect(bed.returned.isEmpty || bed.now > 60)
            bed.pass(35)
        }
        #expect(bed.prepared.count > 1, "it tries again meanwhile")
        #expect(bed.returned.map(\.reason) == [.store] && bed.agent.heldJobs.isEmpty)
    }

    @Test func `gives a job back at once whose store does not answer`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.pass(55)
        #expect(bed.looks.count == 1 && bed.returned.isEmpty)
        bed.pass(10)
        #expect(bed.returned.map(\.reason) == [.store] && bed.submitted.isEmpty)
        #expect(bed.returned.first?.error?.message.contains("does not answer") == true)
        // An answer that comes at last counts for nothing.
        bed.take(.looked(AgentBed.key, nil))
        bed.answerCalls()
        #expect(bed.agent.heldJobs.isEmpty && bed.submitted.isEmpty)
    }

    @Test func `waits for a copy as long as the store takes more of it, and gives the job back when it hangs`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.fetch()
        bed.take(.changed(bed.transfer(.succeeded(LocalFile(path: "/spool/7", size: 1 << 40)))))
        for _ in 0..<10 {
            bed.pass(50)
            bed.take(.copying(bed.prepared[0]))
        }
        #expect(bed.prepared.count == 1 && bed.abandoned.isEmpty)
        bed.pass(70)
        #expect(bed.abandoned == Array(bed.prepared.prefix(1)) && bed.returned.isEmpty)
        bed.pass(130)
        #expect(bed.returned.map(\.reason) == [.store] && bed.prepared.count == 2)
    }

    /// The file may appear at any time: the job is neither ended nor stopped here.
    @Test func `gives a job back whose file is being placed without end`() {
        var bed = AgentBed.with(AgentBed.lease(tries: 10, spent: Spent(machineFailures: 9)))
        bed.fetch()
        bed.take(.changed(bed.transfer(.succeeded(LocalFile(path: "/spool/7", size: 4)))))
        let intent = Intent(path: "/srv/file", copy: bed.prepared[0].copyName, inode: 9, size: 4, sha256: "00")
        bed.take(.prepared(bed.prepared[0], PreparedFile(intent: intent)))
        bed.answerCalls()
        bed.pass(70)
        #expect(bed.returned.map(\.reason) == [.store] && bed.ended.isEmpty && bed.agent.heldJobs.isEmpty)
    }

    @Test func `gives a job back whose transfer is gone although its bytes had arrived`() {
        var bed = AgentBed.with(AgentBed.lease(isLimited: true))
        bed.fetch()
        bed.take(.changed(bed.transfer(.succeeded(LocalFile(path: "/spool/7", size: 1 << 30)))))
        bed.answerCalls()
        bed.take(.deliveryFailed(bed.prepared[0], DeliveryFailure(Self.full, isTemporary: true)))
        bed.take(.removed(TransferID(rawValue: 7)))
        bed.answerCalls()
        #expect(bed.returned.map(\.reason) == [.local] && bed.submitted.count == 1)
    }

    @Test func `gives a job back that its daemon cannot store`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.fetch()
        bed.take(.changed(bed.transfer(.failed(ServiceError(.diskIO, "The disk fails.")))))
        bed.answerCalls()
        #expect(bed.returned.map(\.reason) == [.local] && bed.removed == [TransferID(rawValue: 7)])
        bed.pass(3)
        #expect(bed.agent.report(at: bed.now).condition == "The disk fails.")
    }

    @Test func `ends a job that no machine can run`() {
        var bed = AgentBed.with(AgentBed.lease(tries: 10, spent: Spent(machineFailures: 9)))
        bed.fetch()
        let error = ServiceError(.fileTooLarge, "The file system's files are smaller.")
        bed.take(.changed(bed.transfer(.failed(error))))
        bed.answerCalls()
        #expect(bed.ended.map(\.outcome) == [.failed(error)])
    }

    @Test func `never ends a job because its store is away`() {
        var bed = AgentBed.with(AgentBed.lease(tries: 100, spent: Spent(machineFailures: 99)))
        bed.take(.lookFailed(AgentBed.key, DeliveryFailure(Self.full, isTemporary: true)))
        bed.answerCalls()
        #expect(bed.returned.map(\.reason) == [.store] && bed.ended.isEmpty)
    }

    @Test func `fetches jobs with which workers were lost one after the other, and tells the queue before`() {
        let leases = (1...3).map {
            AgentBed.lease(AgentBed.key($0), rescues: $0 == 3 ? 0 : 2) { $0.file.onConflict = .unique }
        }
        var bed = AgentBed.with(leases[0], leases[1], leases[2])
        bed.fetch()
        #expect(bed.submitted.map(\.key) == [leases[2].key, leases[0].key] && bed.begun == [leases[0].key])
        bed.take(.changed(bed.transfer(.failed(ServiceError(.notFound, "no")), of: leases[0].key)))
        bed.answerCalls()
        #expect(bed.begun == [leases[0].key, leases[1].key])
        #expect(bed.submitted.map(\.key) == [leases[2].key, leases[0].key, leases[1].key])
    }

    // MARK: The lease of the daemon's session

    @Test func `lets limited transfers run until the worker's own leases may be over`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.fetch()
        // A tenth of the lease before its end: the daemon needs a moment to stop.
        #expect(bed.renewals == [27.1])
        bed.pass(40)
        #expect(bed.renewals.count > 2 && bed.renewals == bed.renewals.sorted())
        #expect(bed.renewals.last == bed.agent.standing.validUntil - 3)
        // A daemon that was started again knows no lease.
        let count = bed.renewals.count
        bed.take(.daemonLost)
        bed.take(.listed([bed.transfer(.active(received: 0, expected: nil))]))
        #expect(bed.renewals.count == count + 1)
    }

    /// It may be another worker's by now.
    @Test func `lets no limited transfer run while a transfer without a lease may go on`() {
        var bed = AgentBed()
        bed.take(.started)
        bed.leases = [AgentBed.lease(AgentBed.key(8))]
        bed.take(.listed([bed.transfer(.active(received: 5, expected: nil))]))
        bed.answerCall()
        #expect(bed.renewals.isEmpty && bed.removed.isEmpty)
        bed.answerCalls()
        #expect(bed.removed == [TransferID(rawValue: 7)] && bed.renewals == [27.1])
    }

    @Test func `lets no limited transfer run while a submission without a lease may arrive`() {
        var bed = AgentBed.with(AgentBed.lease())
        bed.take(.looked(AgentBed.key, nil))
        bed.answerCalls()
        let count = bed.renewals.count
        bed.leases = [AgentBed.lease(AgentBed.key(8))]
        bed.now = 40
        bed.take(.alarm)
        bed.take(.answered(.givenUp))
        bed.answerCalls()
        bed.take(.looked(AgentBed.key(8), nil))
        #expect(bed.renewals.count == count)
        bed.take(.submitted([AgentBed.key.token: TransferID(rawValue: 7)]))
        #expect(bed.removed == [TransferID(rawValue: 7)] && bed.renewals.count == count + 1)
    }

    @Test func `removes transfers without a lease while it drains`() {
        var bed = AgentBed()
        bed.take(.started)
        bed.take(.stop(patience: 60))
        bed.take(.listed([bed.transfer(.active(received: 5, expected: nil))]))
        bed.answerCalls()
        bed.pass(10)
        #expect(bed.removed == [TransferID(rawValue: 7)] && bed.hasExited)
    }

    /// Its server was limited after the job had been handed over.
    @Test func `limits a transfer that it adopts, once`() {
        var bed = AgentBed()
        bed.leases = [AgentBed.lease(isLimited: true)]
        bed.take(.started)
        bed.take(.listed([bed.transfer(.active(received: 5, expected: nil))]))
        bed.answerCalls()
        bed.take(.looked(AgentBed.key, nil))
        bed.take(.changed(bed.transfer(.active(received: 9, expected: nil))))
        #expect(bed.limited == [TransferID(rawValue: 7)])
        bed.take(.daemonLost)
        var limited = bed.transfer(.active(received: 9, expected: nil))
        limited.isLimited = true
        bed.take(.listed([limited]))
        #expect(bed.limited.count == 1)
    }

    /// A restarted agent adopts a job whose place at the server is another's by now.
    @Test func `gives a job back that it adopts without the file that had arrived`() {
        var bed = AgentBed()
        var lease = AgentBed.lease(isLimited: true)
        lease.hasLanded = true
        bed.leases = [lease]
        bed.take(.started)
        bed.answerCalls()
        bed.take(.looked(AgentBed.key, nil))
        #expect(bed.returned.isEmpty, "the daemon has not listed its transfers yet")
        bed.take(.listed([]))
        bed.answerCalls()
        #expect(bed.returned.map(\.reason) == [.local] && bed.submitted.isEmpty)
    }

    // MARK: Limits

    @Test func `counts the attempts and times of earlier claims against the limits of a request`() {
        let lease = AgentBed.lease(spent: Spent(attempts: 3, failing: 100, sinceStart: 250)) {
            $0.timing.retries = 5
            $0.timing.statusRetries = 2
            $0.timing.giveUpAfter = 600
            $0.timing.resourceTimeout = 300
        }
        let timing = lease.limited()?.timing
        #expect(timing?.retries == 2 && timing?.statusRetries == 0)
        #expect(timing?.giveUpAfter == 500 && timing?.resourceTimeout == 50)
    }

    @Test(arguments: [0, 1, 4, 5])
    func `ends a job whose doubtful failures are more than a transfer may have`(spent: Int) {
        var bed = AgentBed.with(AgentBed.lease(spent: Spent(attempts: spent)))
        bed.fetch()
        var error = ServiceError(.badResponse, "The answer makes no sense.")
        error.details.attempts = 1
        bed.take(.changed(bed.transfer(.waiting(seconds: 61, received: 0, error: error))))
        bed.answerCalls()
        if spent + 1 > RetryPolicy.doubtfulRetries {
            #expect(bed.ended.map(\.outcome) == [.failed(error)] && bed.returned.isEmpty)
        } else {
            #expect(bed.returned.map(\.attempts) == [1] && bed.ended.isEmpty)
        }
    }
}
