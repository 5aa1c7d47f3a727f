import FerryCore
import FerryFleet
import FerryFoundation
import FerryTesting
import Testing

/// The contract of both shared queues: submission, actions, lists and intents.
@Suite(.timeLimit(.minutes(2))) struct `Shared queues and their clients` {
    @Test(arguments: QueueUnderTest.kinds)
    func `a key twice is the same job, also after its end`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let requests = [QueueUnderTest.request(1, key: "k"), QueueUnderTest.request(2, key: "k")]
            let results = try await subject.queue.submit(requests)
            let id = try #require(results[0].id)
            #expect(results.map(\.result) == [.added(id), .existing(id)])
            let member = try await subject.join("a")
            #expect(try await subject.finish(subject.claim(5, member), member) == [])
            #expect(
                try await subject.queue.submit([QueueUnderTest.request(3, key: "k")]).map(\.result) == [.existing(id)])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a destination belongs to one unfinished job`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let first = try await subject.add(1)[0]
            let results = try await subject.queue.submit([QueueUnderTest.request(1), QueueUnderTest.request(2)])
            #expect(results[0].error?.code == .destinationExists)
            #expect(results[0].error?.message.contains("Job \(first)") == true)
            #expect(results[1].id != nil, "the others are not affected")
            try await subject.add([QueueUnderTest.request(1, policy: .unique)])
            let member = try await subject.join("a")
            #expect(try await subject.finish(subject.claim(5, member), member) == [])
            try await subject.add(1)
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a destination outside all stores, a secret and an unsafe name are refused`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            var outside = QueueUnderTest.request(1)
            outside.transfer.file.folder = "/srv/results/../other"
            var beside = QueueUnderTest.request(2)
            beside.transfer.file.folder = "/srv/results-of-others"
            var secret = QueueUnderTest.request(3)
            secret.transfer.headers = [HeaderField(name: "Authorization", value: "Bearer x")]
            var path = QueueUnderTest.request(4)
            path.transfer.file.name = "../x"
            let results = try await subject.queue.submit([outside, beside, secret, path])
            #expect(results.map { $0.error?.code } == Array(repeating: .invalidRequest, count: 4))
            #expect(results[0].error?.message.contains("No store of the fleet contains “/srv/other/file-1”") == true)
            #expect(try await subject.queue.jobs(JobQuery()) == [])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `canceling ends a waiting job at once, and a running one through its worker`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(2)
            let member = try await subject.join("a")
            let lease = try await subject.claim(1, member)[0]
            let results = try await subject.queue.act(.cancel, on: ids)
            #expect(results.map(\.state) == [.running, .canceled])
            let wishes = try await subject.beat(member)?.wishes
            #expect(wishes == [Heartbeat.JobWish(key: lease.key, wish: .cancel)])
            #expect(try await subject.stale(.finish([JobEnd(key: lease.key, outcome: .canceled)]), member) == [])
            #expect(try await subject.queue.job(ids[0]).state == .canceled)
            #expect(try await subject.claim(5, member) == [])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a canceled job of a worker that is lost ends too`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(3)
            let (lost, other) = (try await subject.join("lost"), try await subject.join("other"))
            _ = try await subject.claim(3, lost)
            _ = try await subject.queue.act(.cancel, on: [ids[0]])
            _ = try await subject.queue.act(.pause, on: [ids[1]])
            _ = try await subject.queue.act(.remove, on: [ids[2]])
            try await subject.outliveOthers(other)
            #expect(try await subject.rescue(other).map(\.jobs) == [3])
            #expect(try await subject.queue.job(ids[0]).state == .canceled)
            #expect(try await subject.queue.job(ids[1]).state == .suspended)
            await #expect(throws: ServiceError.self) { try await subject.queue.job(ids[2]) }
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a paused job waits until it is resumed`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let id = try await subject.add(1)[0]
            let member = try await subject.join("a")
            #expect(try await subject.queue.act(.pause, on: [id]).map(\.state) == [.suspended])
            #expect(try await subject.claim(1, member) == [])
            #expect(try await subject.queue.act(.resume, on: [id]).map(\.state) == [.waiting])
            let lease = try await subject.claim(1, member)[0]
            _ = try await subject.queue.act(.pause, on: [id])
            _ = try await subject.queue.act(.resume, on: [id])
            #expect(try await subject.beat(member)?.wishes == [])
            _ = try await subject.queue.act(.pause, on: [id])
            #expect(try await subject.stale(.giveBack([JobReturn(key: lease.key, reason: .paused)]), member) == [])
            #expect(try await subject.queue.job(id).state == .suspended)
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `retry makes a failed job wait again, with its number and its token`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let id = try await subject.add(1)[0]
            let member = try await subject.join("a")
            let lease = try await subject.claim(1, member)[0]
            let error = ServiceError(.notFound, "example.org has no such file.")
            #expect(try await subject.stale(.finish([JobEnd(key: lease.key, outcome: .failed(error))]), member) == [])
            #expect(try await subject.queue.job(id).error == error)
            #expect(try await subject.queue.act(.retry, on: [id]).map(\.state) == [.waiting])
            let again = try await subject.claim(1, member)[0]
            #expect(again.key == LeaseKey(job: id, token: lease.key.token, fence: 2) && again.request == lease.request)
            #expect(try await subject.finish([again], member) == [])
            let done = try await subject.queue.act(.retry, on: [id])
            #expect(done.map { $0.error?.code } == [.invalidRequest] && done.map(\.state) == [nil])
            let history = try await subject.queue.job(id).history
            #expect(history?.map(\.reason) == ["failed"] && history?.first?.error == error)
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a begin date holds over pause, resume, cancel and retry`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            var requests = [QueueUnderTest.request(1), QueueUnderTest.request(2)]
            for index in requests.indices { requests[index].notBefore = Date.now.addingTimeInterval(7_000_000_000) }
            requests[1].transfer.timing.paused = true
            let ids = try await subject.add(requests)
            let member = try await subject.join("a")
            for action in [JobAction.pause, .resume, .cancel, .retry, .resume] {
                _ = try await subject.queue.act(action, on: ids)
            }
            let jobs = try await subject.queue.jobs(JobQuery())
            #expect(jobs.map(\.state) == [.waiting, .waiting] && jobs.map(\.reason) == [.beginDate, .beginDate])
            #expect(try await subject.claim(5, member) == [])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a canceled job of the only worker, which is dead, ends once its lease is over`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(2)
            let member = try await subject.join("a")
            let leases = try await subject.claim(1000, member)
            _ = try await subject.queue.act(.cancel, on: [ids[0]])
            try await subject.advance(31)
            #expect(try await subject.queue.job(ids[0]).state == .canceled)
            #expect(try await subject.queue.act(.remove, on: [ids[1]]).map(\.state) == [nil])
            #expect(try await subject.queue.jobs(JobQuery()).map(\.id) == [ids[0]])
            // It was only held up.
            #expect(try await subject.finish(leases, member) == leases.map(\.key))
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `jobs are found by their error, their host and their batch`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let hosts = ["a.example", "b.example", "a.example", "b.example"]
            let ids = try await subject.add(
                hosts.enumerated().map { number, host in
                    var request = QueueUnderTest.request(number, host: host)
                    request.batch = number < 2 ? "first" : nil
                    return request
                })
            let member = try await subject.join("w")
            let leases = try await subject.claim(1000, member)
            let ends = leases.filter { $0.key.job != ids[3] }.map { lease in
                let error = ServiceError(lease.key.job == ids[0] ? .notFound : .serverBusy, "no")
                return JobEnd(key: lease.key, outcome: .failed(error))
            }
            #expect(try await subject.stale(.finish(ends), member) == [])
            func found(_ change: (inout JobQuery) -> Void) async throws -> [JobID] {
                var query = JobQuery()
                change(&query)
                return try await subject.queue.jobs(query).map(\.id)
            }
            #expect(try await found { $0.code = .serverBusy } == [ids[1], ids[2]])
            #expect(try await found { $0.host = "b.example" } == [ids[1], ids[3]])
            #expect(try await found { $0.batch = "first" } == [ids[0], ids[1]])
            #expect(
                try await found {
                    $0.code = .serverBusy
                    $0.host = "a.example"
                } == [ids[2]])
            #expect(
                try await found {
                    $0.batch = "first"
                    $0.states = [.running]
                } == [])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a hold is never shortened by a later answer, and ends when it is released`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let origin = Origin(scheme: "https", host: "example.org", port: 443)
            try await subject.add(1)
            let member = try await subject.join("a")
            try await subject.queue.hold(origin, seconds: 600)
            _ = try await subject.queue.perform(.hold(origin, seconds: 5), as: member)
            let held = try await subject.beat(member)?.holds.first?.seconds
            #expect(held.map { $0 > 590 } == true)
            try await subject.queue.release(origin)
            #expect(try await subject.beat(member)?.holds == [])
            #expect(try await subject.claim(1, member).count == 1)
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a folder is one store`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let error = await #expect(throws: ServiceError.self) {
                try await subject.queue.setStore(Store(name: "other", folder: QueueUnderTest.folder, mark: "m"))
            }
            #expect(error?.code == .invalidRequest && error?.message.contains("“results” already") == true)
            try await subject.queue.setStore(Store(name: "results", folder: QueueUnderTest.folder, mark: "new"))
            #expect(try await subject.queue.stores().map(\.mark) == ["new"])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `the cursor after each end goes on with the next`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let start = try await subject.queue.ends(after: nil, limit: 10).next
            try await subject.add(5)
            let member = try await subject.join("a")
            let leases = try await subject.claim(1000, member)
            #expect(try await subject.finish(leases, member) == [])
            let all = try await subject.queue.ends(after: start, limit: 10).ends
            #expect(all.count == 5)
            for (place, end) in all.enumerated() {
                let rest = try await subject.queue.ends(after: end.cursor, limit: 10).ends.map(\.job.id)
                #expect(rest == all.dropFirst(place + 1).map(\.job.id))
            }
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `retry is refused while another job has the destination`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let id = try await subject.add(1)[0]
            _ = try await subject.queue.act(.cancel, on: [id])
            try await subject.add(1)
            #expect(try await subject.queue.act(.retry, on: [id]).map { $0.error?.code } == [.destinationExists])
            #expect(try await subject.queue.job(id).state == .canceled)
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `lists have pages in both directions, and know states`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(5)
            let member = try await subject.join("a")
            let leases = try await subject.claim(2, member)
            _ = try await subject.finish([leases[0]], member)
            _ = try await subject.queue.act(.pause, on: [ids[4]])
            var query = JobQuery()
            query.limit = 2
            var seen: [JobID] = []
            while true {
                let page = try await subject.queue.jobs(query).map(\.id)
                guard let last = page.last else { break }
                seen += page
                query.after = last
            }
            #expect(seen == ids)
            query = JobQuery()
            query.newestFirst = true
            query.limit = 3
            #expect(try await subject.queue.jobs(query).map(\.id) == Array(ids.reversed().prefix(3)))
            query = JobQuery()
            query.states = [.succeeded, .suspended]
            #expect(try await subject.queue.jobs(query).map(\.state) == [.succeeded, .suspended])
            await #expect(throws: ServiceError.self) { try await subject.queue.job(JobID(99)) }
            #expect(try await subject.queue.act(.cancel, on: [JobID(99)]).map { $0.error?.code } == [.unknownTransfer])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `every end is told once after a cursor`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let ids = try await subject.add(3)
            var cursor = try await subject.queue.ends(after: nil, limit: 10).next
            let member = try await subject.join("a")
            #expect(try await subject.finish(subject.claim(3, member), member) == [])
            var told: [JobID] = []
            for _ in 0..<4 {
                let page = try await subject.queue.ends(after: cursor, limit: 2)
                told += page.ends.map(\.job.id)
                cursor = page.next
            }
            #expect(told.sorted() == ids)
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `intents of all holders of a job are known to each, and a stale one is not recorded`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.add([QueueUnderTest.request(1)])
            let (lost, other) = (try await subject.join("lost"), try await subject.join("other"))
            let lease = try await subject.claim(1, lost)[0]
            let first = Intent(path: "/srv/results/file-1", copy: "first.part", inode: .max, size: 7, sha256: "aa")
            let second = Intent(path: "/srv/results/file-1", copy: "second.part", inode: 12, size: 7, sha256: "bb")
            for _ in 0..<2 {
                let answer = try await subject.queue.perform(
                    .intend([JobIntent(key: lease.key, intent: first)]), as: lost)
                #expect(answer == .intended(known: [lease.key.token: [first]], stale: []))
            }
            try await subject.outliveOthers(other)
            _ = try await subject.rescue(other)
            let again = try await subject.claim(1, other)[0]
            let late = try await subject.queue.perform(.intend([JobIntent(key: lease.key, intent: second)]), as: lost)
            #expect(late == .intended(known: [:], stale: [lease.key]))
            let answer = try await subject.queue.perform(
                .intend([JobIntent(key: again.key, intent: second)]), as: other)
            #expect(answer == .intended(known: [again.key.token: [first, second]], stale: []))
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `a drain reaches workers with their heartbeat, and leaving returns their jobs`(
        kind: QueueUnderTest.Kind
    ) async throws {
        try await QueueUnderTest.with(kind) { subject in
            try await subject.add([QueueUnderTest.request(1)])
            let (first, second) = (try await subject.join("a"), try await subject.join("b"))
            let lease = try await subject.claim(1, first)[0]
            #expect(try await subject.queue.drain("a", patience: 90) == ["a"])
            #expect(try await subject.beat(first)?.patience == 90)
            #expect(try await subject.beat(second)?.patience == nil)
            #expect(try await subject.claim(1, first) == [])
            #expect(try await subject.queue.perform(.leave, as: first) == .done)
            #expect(try await subject.queue.perform(.leave, as: first) == .givenUp)
            #expect(try await subject.finish([lease], first) == [lease.key])
            #expect(try await subject.claim(1, second).map(\.key.fence) == [2])
            let status = try await subject.queue.status()
            #expect(status.workers.map(\.state) == [.gone, .up])
            #expect(status.tenants.map(\.running) == [1])
        }
    }

    @Test(arguments: QueueUnderTest.kinds)
    func `status names full and held origins and the oldest waiting job`(kind: QueueUnderTest.Kind) async throws {
        try await QueueUnderTest.with(kind) { subject in
            let (full, held) = (
                Origin(scheme: "https", host: "example.org", port: 443),
                Origin(scheme: "https", host: "b.example", port: 443)
            )
            try await subject.queue.setOrigin(full, atOnce: 1)
            try await subject.queue.hold(held, seconds: 60)
            let ids = try await subject.add(2)
            let member = try await subject.join("a")
            let lease = try await subject.claim(2, member)[0]
            _ = try await subject.queue.perform(
                .progress([JobProgress(key: lease.key, received: 10, expected: 20)]), as: member)
            let status = try await subject.queue.status()
            #expect(status.origins.map(\.origin) == ["https://b.example:443", "https://example.org:443"])
            #expect(status.oldestWaiting?.id == ids[1] && status.oldestWaiting?.reason == .host)
            #expect(status.tenants.map(\.waiting) == [1])
            let job = try await subject.queue.job(ids[0])
            #expect(job.bytes == Job.Bytes(received: 10, expected: 20) && job.claims.worker == "a")
        }
    }
}
