import FerryCore
import FerryFleet
import Testing

/// Single decisions that histories of whole fleets seldom come to.
@Suite struct `A fleet's agent` {
    /// An agent with a queue that has no jobs to claim.
    private struct Bed {
        var agent = FleetAgent(
            FleetAgent.Configuration(
                worker: WorkerDescription(name: "w", identity: "i", version: "1", lease: 30, slots: 4)), seed: 1)
        var leases: [Lease] = []
        private(set) var removed: [TransferID] = []
        private(set) var returned: [JobReturn] = []
        private(set) var claims = 0
        var patience: Double?
        var now = 0.1
        /// The call in flight. Answered by ``answerCalls()``.
        private var call: WorkerCall?

        mutating func take(_ input: FleetAgent.Input) {
            for effect in agent.take([input], at: now) {
                switch effect {
                case .call(let next, _):
                    call = next
                    if case .giveBack(let returns) = next { returned += returns }
                    if case .claim = next { claims += 1 }
                case .remove(let ids):
                    removed += ids
                    for id in ids { take(.removed(id)) }
                default: break
                }
            }
        }

        /// Answers one call, and returns whether there was one.
        @discardableResult
        mutating func answerCall() -> Bool {
            guard let call else { return false }
            self.call = nil
            take(.answered(answer(to: call)))
            return true
        }

        mutating func answerCalls() { while answerCall() {} }

        private var heartbeat: Heartbeat {
            var heartbeat = Heartbeat(server: "s")
            heartbeat.patience = patience
            return heartbeat
        }

        private func answer(to call: WorkerCall) -> WorkerAnswer {
            switch call {
            case .join: .joined(Membership(worker: 1, epoch: 2, server: "s"), leases)
            case .beat: .beaten(heartbeat)
            case .rescue: .rescued([])
            case .claim: .claimed([], next: 600)
            case .reclaim: .reclaimed([])
            case .finish, .giveBack, .landed: .stale([])
            case .intend, .progress, .hold, .leave: .done
            }
        }
    }

    /// A daemon that must be started first lists its transfers late.
    @Test(arguments: 0...8)
    func `removes the transfer of a job whose file was found, whenever the daemon's list comes`(calls: Int) {
        let key = LeaseKey(job: JobID(7), token: JobToken(high: 1, low: 2), fence: 1)
        let placed = Intent(path: "/srv/file", copy: ".ferry-fleet-7-1-a-1.part", inode: 9, size: 4, sha256: "00")
        var request = TransferRequest(url: "https://example.org/file", folder: "/srv")
        request.file.name = "file"
        let local = LocalTransfer(
            id: TransferID(rawValue: 5), job: JobReference(job: key.job, token: key.token),
            state: .succeeded(LocalFile(path: "/spool/5", size: 4)))
        var bed = Bed()
        bed.leases = [Lease(key: key, tries: 1, isLimited: false, request: request, intents: [placed])]
        bed.take(.started)
        bed.answerCall()
        bed.take(.looked(key, placed.result))
        for _ in 0..<calls { bed.answerCall() }
        bed.take(.listed([local]))
        bed.answerCalls()
        #expect(bed.agent.jobs.isEmpty)
        #expect(bed.removed == [local.id])
    }

    @Test func `drains until the earliest deadline that it was given`() {
        let key = LeaseKey(job: JobID(7), token: JobToken(high: 1, low: 2), fence: 1)
        let request = TransferRequest(url: "https://example.org/file", folder: "/srv")
        var bed = Bed()
        bed.leases = [Lease(key: key, tries: 1, isLimited: false, request: request)]
        bed.take(.started)
        bed.take(.listed([]))
        bed.answerCalls()
        bed.take(.submitted([key.token: TransferID(rawValue: 5)]))
        // Every heartbeat asks for 600 seconds. A signal asks for 60 in second 41.
        bed.patience = 600
        for time in stride(from: 11.0, through: 50, by: 10) {
            bed.now = time
            bed.take(.alarm)
            bed.answerCalls()
        }
        bed.take(.drain(patience: 60))
        for time in stride(from: 60.0, through: 100, by: 10) {
            bed.now = time
            bed.take(.alarm)
            bed.answerCalls()
        }
        #expect(bed.returned.isEmpty)
        bed.now = 102
        bed.take(.alarm)
        bed.answerCalls()
        #expect(bed.returned.map(\.reason) == [.drained] && bed.agent.jobs.isEmpty)
    }

    @Test func `claims nothing while the spool's disk is full, and at once when it has room again`() {
        var bed = Bed()
        bed.take(.room(false))
        bed.take(.started)
        bed.take(.listed([]))
        bed.answerCalls()
        bed.take(.notified)
        bed.answerCalls()
        #expect(bed.claims == 0)
        bed.take(.room(true))
        bed.answerCalls()
        #expect(bed.claims == 1)
    }
}
