import FerryCore
import FerryFleet
import FerryFoundation
import FerryTesting
import Testing

/// The contract of both shared queues: claims, leases and ends.
@Suite(.timeLimit(.minutes(2))) struct `Shared queues` {
    @Test(arguments: QueueUnderTest.kinds)
    func `a claimed job is nobody else's, and ends once`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(3)
            let (first, second) = (try await subject.join("a"), try await subject.join("b"))
            let leases = try await subject.claim(2, first)
            #expect(leases.map(\.key.job) == Array(ids.prefix(2)))
            #expect(leases.allSatisfy { $0.key.fence == 1 && $0.tries == 1 && !$0.isLimited })
            #expect(try await subject.claim(9, second).map(\.key.job) == [ids[2]])
            #expect(try await subject.finish(leases, first) == [])
            #expect(try await subject.finish(leases, first) == leases.map(\.key), "a second end counts for nothing")
            let job = try await subject.queue.job(ids[0])
            #expect(job.state == .succeeded && job.claims.worker == "a" && job.claims.fence == 1)
            #expect(job.result == JobResult(path: "/srv/results/file-1", size: 1, sha256: "00"))
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a request arrives as it was submitted`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            var request = QueueUnderTest.request(1)
            request.transfer.headers = [HeaderField(name: "X-Odd", value: #"quotes " and \ and {braces}, 木"#)]
            request.transfer.tags = ["nightly"]
            try await subject.add([request])
            let lease = try await subject.claim(1, subject.join("a"))[0]
            #expect(lease.request == (try request.admitted().request.transfer))
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `jobs of a worker that missed its heartbeats run elsewhere, and its ends are stale`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(2)
            let (lost, other) = (try await subject.join("lost"), try await subject.join("other"))
            let leases = try await subject.claim(2, lost)
            for _ in 0..<2 {
                try await subject.advance(14)
                #expect(try await subject.beat(other) != nil)
            }
            #expect(try await subject.rescue(other) == [], "nobody is late yet")
            try await subject.advance(3)
            #expect(try await subject.rescue(other) == [Rescue(name: "lost", jobs: 2)])
            #expect(try await subject.finish(leases, lost) == leases.map(\.key))
            #expect(try await subject.beat(lost) == nil)
            #expect(try await subject.queue.perform(.claim(1), as: lost) == .givenUp)
            let again = try await subject.claim(2, other)
            #expect(again.map(\.key.job) == ids && again.allSatisfy { $0.key.fence == 2 && $0.tries == 2 })
            let history = try await subject.queue.job(ids[0]).history
            #expect(history?.map(\.worker) == ["lost"] && history?.map(\.reason) == ["rescued"])
        }
    }

    /// The prototype gave workers up as soon as the database was back, before anybody could send a heartbeat.
    @Test(arguments: QueueUnderTest.kinds)
    func `after an outage nobody is given up before everybody had the time to send a heartbeat`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.add([QueueUnderTest.request(1)])
            let (first, second) = (try await subject.join("a"), try await subject.join("b"))
            let leases = try await subject.claim(1, first)
            try await subject.advance(3600)
            #expect(try await subject.beat(second) != nil)
            #expect(try await subject.rescue(second) == [])
            try await subject.advance(20)
            #expect(try await subject.beat(second) != nil)
            #expect(try await subject.rescue(second) == [])
            #expect(try await subject.beat(first) != nil, "it was late, and nobody has taken its jobs")
            #expect(try await subject.finish(leases, first) == [])
        }
    }

    /// Nobody's lease ends in such an outage but that of a worker that had its last heartbeat a moment before the others.
    @Test(arguments: QueueUnderTest.kinds)
    func `an outage that is shorter than a lease costs nobody its jobs`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.add([QueueUnderTest.request(1)])
            let (first, second) = (try await subject.join("a"), try await subject.join("b"))
            let leases = try await subject.claim(1, first)
            for _ in 0..<4 {
                try await subject.advance(10)
                _ = try await subject.beat(first)
                try await subject.advance(5)
                _ = try await subject.beat(second)
            }
            try await subject.advance(27)
            #expect(try await subject.beat(second) != nil)
            #expect(try await subject.rescue(second) == [])
            #expect(try await subject.beat(first) != nil)
            #expect(try await subject.finish(leases, first) == [])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a worker that was given up joins again with a new epoch, and takes back what still waits`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(2)
            let (lost, other) = (try await subject.join("lost"), try await subject.join("other"))
            let leases = try await subject.claim(2, lost)
            try await subject.outliveOthers(other)
            #expect(try await subject.rescue(other).count == 1)
            #expect(try await subject.claim(1, other).map(\.key.job) == [ids[0]])
            let (member, adopted) = try await subject.join(QueueUnderTest.worker("lost"))
            #expect(adopted == [] && member.epoch > lost.epoch)
            let wanted = leases.map { JobReference(job: $0.key.job, token: $0.key.token) }
            guard case .reclaimed(let back) = try await subject.queue.perform(.reclaim(wanted), as: member) else {
                Issue.record("not reclaimed")
                return
            }
            #expect(back.map(\.key.job) == [ids[1]] && back[0].key.fence == 2)
        }
    }

    /// The prototype's second life of a name left the leases of the first one to nobody.
    @Test(arguments: QueueUnderTest.kinds)
    func `a worker that is restarted adopts its leases`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.add([QueueUnderTest.request(1)])
            let old = try await subject.join("a")
            let leases = try await subject.claim(1, old)
            let (new, adopted) = try await subject.join(QueueUnderTest.worker("a"))
            #expect(adopted.map(\.key) == leases.map(\.key) && adopted.map(\.request) == leases.map(\.request))
            #expect(try await subject.finish(leases, old) == leases.map(\.key), "its former life is over")
            #expect(try await subject.finish(adopted, new) == [])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a copied disk image is refused while the original lives`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let original = try await subject.join(QueueUnderTest.worker("a", identity: "m/boot1/i")).0
            let copy = QueueUnderTest.worker("a", identity: "m/boot2/i")
            for _ in 0..<4 {
                await #expect(throws: ServiceError.self) { try await subject.join(copy) }
                try await subject.advance(9)
                #expect(try await subject.beat(original) != nil)
            }
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a rebooted machine gets its name back once no heartbeat has come for half a lease`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.add([QueueUnderTest.request(1)])
            let before = try await subject.join(QueueUnderTest.worker("a", identity: "m/boot1/i")).0
            let leases = try await subject.claim(1, before)
            let rebooted = QueueUnderTest.worker("a", identity: "m/boot2/i")
            await #expect(throws: ServiceError.self) { try await subject.join(rebooted) }
            try await subject.advance(16)
            let (member, adopted) = try await subject.join(rebooted)
            // A fence is one boot's: names of files contain it.
            #expect(adopted == [])
            let wanted = leases.map { JobReference(job: $0.key.job, token: $0.key.token) }
            guard case .reclaimed(let back) = try await subject.queue.perform(.reclaim(wanted), as: member) else {
                Issue.record("not reclaimed")
                return
            }
            #expect(back.map(\.key.fence) == [2])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a job with which three workers in a row were lost fails and names them`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let id = try await subject.add(1)[0]
            let witness = try await subject.join("witness")
            for name in ["a", "b", "c"] {
                let lost = try await subject.join(name)
                let lease = try await subject.claim(1, lost)[0]
                #expect(lease.key.job == id && lease.isSuspect == (name == "c"))
                if lease.isSuspect { #expect(try await subject.stale(.begin([lease.key]), lost) == []) }
                try await subject.outliveOthers(witness)
                #expect(try await subject.rescue(witness) == [Rescue(name: name, jobs: 1)])
            }
            let job = try await subject.queue.job(id)
            #expect(job.state == .failed && job.error?.code == .workerLost)
            #expect(job.error?.message.contains("a, b, c") == true)
            #expect(try await subject.claim(1, witness) == [])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `no more jobs of an origin run than its limit allows, until one ends or its bytes have arrived`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.queue.setOrigin(Origin(scheme: "https", host: "example.org", port: 443), atOnce: 3)
            let ids = try await subject.add(8)
            let (first, second) = (try await subject.join("a"), try await subject.join("b"))
            let leases = try await subject.claim(2, first)
            #expect(leases.map(\.key.job) == Array(ids.prefix(2)) && leases.allSatisfy(\.isLimited))
            let more = try await subject.claim(8, second)
            #expect(more.count == 1)
            #expect(try await subject.claim(8, first) == [])
            #expect(try await subject.queue.job(ids[7]).reason == .host)
            #expect(try await subject.finish([leases[0]], first) == [])
            #expect(try await subject.claim(8, second).count == 1)
            #expect(try await subject.stale(.landed([leases[1].key]), first) == [])
            #expect(try await subject.claim(8, first).count == 1)
            #expect(try await subject.finish([leases[1]], first) == [], "a landed job ends like others")
            #expect(try await subject.claim(8, first) == [], "its place was given away already")
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `origins take turns, and each gives a quarter of a claim`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            for host in ["one.example", "two.example", "three.example"] {
                try await subject.add((1...40).map { QueueUnderTest.request($0, host: host, policy: .unique) })
            }
            let member = try await subject.join("a")
            func hosts(_ leases: [Lease]) -> [String: Int] {
                Dictionary(
                    leases.compactMap { $0.request?.url.split(separator: "/")[1] }.map { (String($0), 1) },
                    uniquingKeysWith: +)
            }
            #expect(
                hosts(try await subject.claim(24, member)) == ["one.example": 6, "two.example": 6, "three.example": 6])
            var next: [[String: Int]] = []
            for _ in 0..<3 { next.append(hosts(try await subject.claim(4, member))) }
            #expect(Set(next) == [["one.example": 4], ["two.example": 4], ["three.example": 4]])
        }
    }

    /// Workers claim jobs beyond their slots: a loss says nothing about those that had not begun.
    @Test(arguments: QueueUnderTest.kinds)
    func `of the jobs of three lost workers, only the one that was at work fails`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(20)
            let witness = try await subject.join("witness")
            for name in ["a", "b", "c"] {
                let lost = try await subject.join(name)
                let leases = try await subject.claim(1000, lost) + subject.claim(1000, lost)
                #expect(leases.count == 20)
                if name == "c" { #expect(try await subject.stale(.begin([leases[3].key]), lost) == []) }
                try await subject.outliveOthers(witness)
                #expect(try await subject.rescue(witness).map(\.jobs) == [20])
            }
            var query = JobQuery()
            query.code = .workerLost
            #expect(try await subject.queue.jobs(query).map(\.id) == [ids[3]])
            query = JobQuery()
            query.states = [.waiting]
            #expect(try await subject.queue.jobs(query).count == 19)
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `higher priorities go first, then the oldest`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let low = try await subject.add([QueueUnderTest.request(1, priority: .low)])[0]
            let high = try await subject.add((2...5).map { QueueUnderTest.request($0, priority: .high) })
            let member = try await subject.join("a")
            var taken: [JobID] = []
            for _ in 0..<5 { taken += try await subject.claim(1, member).map(\.key.job) }
            #expect(taken == high + [low])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `an idle worker has no moment at which it must ask again`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let member = try await subject.join("a")
            let answer = try await subject.queue.perform(.claim(5), as: member)
            #expect(answer == .claimed([], next: .infinity))
        }
    }

    /// A database that is restarted makes every worker join again.
    @Test(arguments: QueueUnderTest.kinds)
    func `a drain holds over a rejoin, until the worker has left`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.add(2)
            _ = try await subject.join("a")
            #expect(try await subject.queue.drain(nil, patience: 90) == ["a"])
            let member = try await subject.join("a")
            #expect(try await subject.claim(1, member) == [])
            #expect(try await subject.beat(member)?.patience == 90)
            #expect(try await subject.queue.status().workers.map(\.state) == [.draining])
            #expect(try await subject.queue.perform(.leave, as: member) == .done)
            let next = try await subject.join("a")
            #expect(try await subject.claim(1, next).count == 1)
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `failed attempts and times of earlier claims come with a lease`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let id = try await subject.add(1)[0]
            let member = try await subject.join("a")
            for attempts in [2, 3] {
                let lease = try await subject.claim(1, member)[0]
                let error = ServiceError(.serverBusy, "busy")
                let given = JobReturn(key: lease.key, reason: .retry, error: error, attempts: attempts)
                #expect(try await subject.stale(.giveBack([given]), member) == [])
            }
            let spent = try await subject.claim(1, member)[0].spent
            #expect(spent.attempts == 5 && spent.failing != nil && spent.sinceStart != nil)
            #expect(try await subject.queue.job(id).history?.map(\.error?.code) == [.serverBusy, .serverBusy])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `status shows slots in use, held jobs, and why a worker claims nothing`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.add(5)
            let member = try await subject.join("a")
            _ = try await subject.claim(1000, member)
            let report = WorkerReport(running: 2, condition: "The disk is full.")
            _ = try await subject.queue.perform(.beat(report), as: member)
            let worker = try #require(try await subject.queue.status().workers.first)
            #expect(worker.running == 2 && worker.held == 5 && worker.condition == "The disk is full.")
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a job that needs a label runs on a worker that has it`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let id = try await subject.add([QueueUnderTest.request(1, needs: "inside")])[0]
            let plain = try await subject.join("plain")
            #expect(try await subject.claim(1, plain) == [])
            #expect(try await subject.queue.job(id).reason == .label)
            let inside = try await subject.join(QueueUnderTest.worker("inside", labels: ["inside", "fast"])).0
            #expect(try await subject.claim(1, inside).map(\.key.job) == [id])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a held origin is skipped until its time is over, and every worker learns of it`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let id = try await subject.add(1)[0]
            let member = try await subject.join("a")
            let origin = Origin(scheme: "https", host: "example.org", port: 443)
            _ = try await subject.queue.perform(.hold(origin, seconds: 120), as: member)
            guard case .claimed([], let next) = try await subject.queue.perform(.claim(1), as: member) else {
                Issue.record("claimed from a held origin")
                return
            }
            #expect((110...120).contains(next))
            let holds = try await subject.beat(member)?.holds
            #expect(holds?.map(\.origin) == ["https://example.org:443"])
            #expect(try await subject.queue.job(id).reason == .server)
            try await subject.advance(25)
            _ = try await subject.beat(member)
            try await subject.advance(25)
            _ = try await subject.beat(member)
            try await subject.advance(25)
            _ = try await subject.beat(member)
            try await subject.advance(25)
            _ = try await subject.beat(member)
            try await subject.advance(25)
            #expect(try await subject.claim(1, member).map(\.key.job) == [id])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a job that is given back waits for its time, with its reason`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let id = try await subject.add(1)[0]
            let member = try await subject.join("a")
            let lease = try await subject.claim(1, member)[0]
            let error = ServiceError(.serverBusy, "example.org asked for a pause.")
            let given = JobReturn(key: lease.key, reason: .retry, delay: 20, error: error)
            #expect(try await subject.stale(.giveBack([given]), member) == [])
            #expect(try await subject.stale(.giveBack([given]), member) == [lease.key])
            let job = try await subject.queue.job(id)
            #expect(job.state == .waiting && job.reason == .retry && job.times.ready != nil)
            #expect(job.history?.first?.error == error && job.history?.first?.reason == "retry")
            #expect(try await subject.claim(1, member) == [])
            try await subject.advance(21)
            #expect(try await subject.claim(1, member).map(\.key.fence) == [2])
        }
    }
}
