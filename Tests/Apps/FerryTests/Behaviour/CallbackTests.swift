import Ferry
import FerryTesting
import Foundation
import SeedKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Callbacks` {
    private static let body = FerryFixture.body
    private static let held = OriginScript(body, always: .hold("go", at: .body(100_000)))

    @Test func `a closure registered on an ended task or manager runs once for it, later`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/bad"), .status(404)))) { fixture in
            let manager = fixture.manager()
            let good = try #require(manager.download(fixture.origin.url("/good")))
            let bad = try #require(manager.download(fixture.origin.url("/bad")))
            try await good.reaches(.succeeded)
            try await bad.reaches(.failed)
            let told = Notes<String>()
            // On the main queue, so that no closure runs there before the registering calls have returned.
            await MainActor.run {
                told.observe(good, as: "good")
                told.observe(bad, as: "bad")
                told.observe(manager)
                told.add("registered")
            }
            let ends = ["good success succeeded", "bad failure failed", "manager failure failed"]
            try await told.wait("all ends") { Set(ends).isSubset(of: $0) }
            try await answer { manager.start("unknown", handler: $0) }
            #expect(told.ends.first == "registered" && Set(told.ends.dropFirst()) == Set(ends) && told.ends.count == 4)
        }
    }

    @Test func `no closure runs inside the call that registers it`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.succeeded)
            let told = Notes<String>()
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                manager.operationQueue.async {
                    told.observe(task, onMainQueue: false)
                    told.observe(manager, onMainQueue: false)
                    told.add("returned")
                    done.resume()
                }
            }
            try await told.wait("both") {
                $0.contains("task success succeeded") && $0.contains("manager success succeeded")
            }
            #expect(told.ends.first == "returned")
        }
    }

    @Test func `completion takes the place of success and failure`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/bad"), .status(404)))) { fixture in
            let manager = fixture.manager()
            let told = Notes<String>()
            told.observe(manager)
            manager.completion { told.add("manager completion \($0.status)") }
            let tasks = manager.multiDownload([fixture.origin.url("/good"), fixture.origin.url("/bad")])
            for (task, name) in zip(tasks, ["good", "bad"]) {
                told.observe(task, as: name)
                task.completion { told.add("\(name) completion \($0.status)") }
            }
            let ends: Set = ["good completion succeeded", "bad completion failed", "manager completion failed"]
            try await told.wait("all ends") { ends.isSubset(of: $0) }
            try await answer { manager.start("unknown", handler: $0) }
            #expect(told.ends.count == 3 && told.ends.last == "manager completion failed")
        }
    }

    /// docs/behaviour/session-manager.md#K1
    @Test func `whether a completion takes another's place is decided when that would be called`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.succeeded)
            let told = Notes<String>()
            await MainActor.run {
                task.success { _ in told.add("task success") }
                task.completion { _ in told.add("task completion") }
                manager.success { _ in told.add("manager success") }
                manager.completion { _ in told.add("manager completion") }
            }
            try await told.wait(count: 2)
            try await answer { manager.start("unknown", handler: $0) }
            #expect(told.all == ["task completion", "manager completion"])
        }
    }

    /// The closures are registered while the ends are being processed.
    @Test func `a closure that is registered with the end is called once`() async throws {
        try await withFerry(OriginScript(Self.body)) { fixture in
            let manager = fixture.manager()
            let told = Notes<String>()
            let tasks = manager.multiDownload((0..<60).map { fixture.origin.url("/\($0)") })
            Thread.detachNewThread {
                for task in tasks {
                    while task.status == .waiting || task.status == .running {}
                    task.completion(onMainQueue: false) { _ in told.add("task") }
                }
                while manager.status == .waiting || manager.status == .running {}
                manager.completion(onMainQueue: false) { _ in told.add("manager") }
            }
            try await told.wait("the manager's end") { $0.contains("manager") }
            try await answer { manager.start("unknown", handler: $0) }
            #expect(told.all == Array(repeating: "task", count: 60) + ["manager"])
        }
    }

    /// docs/behaviour/session-manager.md#K4
    @Test func `each kind of closure has one place`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            let told = Notes<String>()
            for round in 1...2 {
                told.observe(task, as: "task \(round)")
                told.observe(manager, as: "manager \(round)")
            }
            try await told.wait("progress of both") { told in
                told.contains { $0.hasPrefix("task 2 progress") } && told.contains("manager 2 progress")
            }
            manager.suspend(task)
            try await told.wait(for: "manager 2 failure suspended")
            manager.start(task)
            fixture.origin.release("go")
            try await told.wait(for: "manager 2 success succeeded")
            #expect(!told.all.contains { $0.hasPrefix("task 1") || $0.hasPrefix("manager 1") })
            #expect(told.ends.count == 4)
        }
    }

    @Test func `waiting calls neither progress nor failure`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager(limit: 2)
            let tasks = manager.multiDownload(fixture.urls(3))
            let told = Notes<String>()
            told.observe(tasks[2], as: "third")
            told.observe(tasks[1], as: "second")
            try await tasks[0].receives(100_000)
            try await tasks[1].receives(100_000)
            #expect(tasks[2].status == .waiting && !told.all.contains { $0.hasPrefix("third") })
            manager.configuration.maxConcurrentTasksLimit = 1
            try await tasks[1].reaches(.waiting)
            #expect(tasks[1].waitingReason == .slot)
            manager.configuration.maxConcurrentTasksLimit = 3
            try await tasks[1].reaches(.running)
            #expect(told.ends.isEmpty)
            fixture.origin.release("go")
            try await told.wait("both ends") { told in
                told.contains("second success succeeded") && told.contains("third success succeeded")
            }
            #expect(told.ends.count == 2)
        }
    }

    @Test func `progress comes first and whole, then the end, then the check, then the manager`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let told = Notes<String>()
            told.observe(manager)
            let task = try #require(manager.download(fixture.origin.url()))
            told.observe(task)
            task.validateFile(code: Self.body.md5Hex, type: .md5) { told.add("check \($0.validation == .correct)") }
            try await told.wait("progress of the first bytes") { $0.contains("task progress 100000") }
            fixture.origin.release("go")
            try await told.wait(for: "manager success succeeded")
            try await told.wait(for: "check true")
            let all = told.all
            let task0 = all.filter { $0.hasPrefix("task") || $0.hasPrefix("check") }
            #expect(Array(task0.suffix(3)) == ["task progress 300000", "task success succeeded", "check true"])
            let amounts = task0.compactMap { Int64($0.split(separator: " ").last ?? "") }
            #expect(amounts == amounts.sorted())
            let end = try #require(all.firstIndex(of: "task success succeeded"))
            let managerEnd = try #require(all.firstIndex(of: "manager success succeeded"))
            #expect(end < managerEnd && !all[managerEnd...].contains("manager progress"))
        }
    }

    @Test func `each end is reported once, over pauses and starts`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .head))) { fixture in
            let manager = fixture.manager()
            let told = Notes<String>()
            told.observe(manager)
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            told.observe(task)
            for _ in 0..<5 {
                try await task.reaches(.running)
                try await answer { manager.suspend(url, handler: $0) }
                try await answer { manager.suspend(url, handler: $0) }
                try await answer { manager.start(url, handler: $0) }
                try await answer { manager.start(url, handler: $0) }
            }
            fixture.origin.release("go")
            try await told.wait(for: "manager success succeeded")
            for name in ["task", "manager"] {
                #expect(told.all.count { $0 == "\(name) failure suspended" } == 5)
                #expect(told.all.count { $0 == "\(name) success succeeded" } == 1)
            }
            #expect(told.ends.count == 12)
        }
    }

    @Test func `ends of many mixed operations are as many as the transitions`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = fixture.manager()
            let urls = fixture.urls(5)
            let told = Notes<String>()
            let notified = Notes<String>()
            let token = NotificationCenter.default.addObserver(
                forName: DownloadTask.didCompleteNotification, object: nil, queue: nil
            ) { if let task = $0.downloadTask, task.manager === manager { notified.add("\(task.status)") } }
            defer { NotificationCenter.default.removeObserver(token) }
            var isThere = Array(repeating: false, count: urls.count)
            var isPaused = isThere
            var expected = ["canceled": 0, "removed": 0, "suspended": 0]
            var generator = SplitMix(seed: 5)
            for _ in 0..<250 {
                let index = Int.random(in: 0..<urls.count, using: &generator)
                let url = urls[index]
                switch Int.random(in: 0..<6, using: &generator) {
                case 0:
                    try await answer { manager.cancel(url, handler: $0) }
                    if isThere[index] { expected["canceled", default: 0] += 1 }
                    isThere[index] = false
                case 1:
                    try await answer { manager.remove(url, handler: $0) }
                    if isThere[index] { expected["removed", default: 0] += 1 }
                    isThere[index] = false
                case 2, 3:
                    try await answer { manager.suspend(url, handler: $0) }
                    if isThere[index], !isPaused[index] { expected["suspended", default: 0] += 1 }
                    isPaused[index] = true
                default:
                    let task = try #require(manager.download(url))
                    if !isThere[index] { task.failure { told.add("\($0.status)") } }
                    (isThere[index], isPaused[index]) = (true, false)
                }
            }
            try await answer { manager.totalStart(handler: $0) }
            try await notified.wait(count: expected.values.reduce(0, +))
            for (status, count) in expected {
                #expect(told.all.count { $0 == status } == count, "\(status)")
                #expect(notified.all.count { $0 == status } == count, "\(status)")
            }
            #expect(told.count == expected.values.reduce(0, +))
        }
    }

    @Test func `registering again replaces, events may have any number of observers`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            let told = Notes<String>()
            for round in 1...2 {
                task.success { _ in told.add("task \(round)") }
                manager.success { _ in told.add("manager \(round)") }
            }
            let observers = (0..<3).map { _ in Notes<DownloadEvent>() }
            for observer in observers { _ = try await observer.follow(task) }
            fixture.origin.release("go")
            try await told.wait(for: "manager 2")
            #expect(told.all == ["task 2", "manager 2"])
            for observer in observers {
                try await observer.wait("the end") { if case .succeeded? = $0.last { true } else { false } }
            }
        }
    }

    @Test func `closures run on the main queue or on the operation queue`() async throws {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        try await withFerry(OriginScript(Self.body, .on(.path("/bad*"), .status(404)))) { fixture in
            for onMainQueue in [true, false] {
                let queue = DispatchQueue(label: "operations")
                queue.setSpecific(key: key, value: "operations")
                let manager = fixture.manager(identifier: "queues-\(onMainQueue)", queue: queue)
                let places = Notes<String>()
                let note: @Sendable () -> Void = { places.add(DispatchQueue.getSpecific(key: key) ?? "none") }
                manager.progress(onMainQueue: onMainQueue) { _ in note() }
                    .failure(onMainQueue: onMainQueue) { _ in note() }
                let good = try #require(
                    manager.download(fixture.origin.url("/good"), onMainQueue: onMainQueue) { _ in note() })
                good.progress(onMainQueue: onMainQueue) { _ in note() }
                    .success(onMainQueue: onMainQueue) { _ in note() }
                    .validateFile(code: "", type: .md5, onMainQueue: onMainQueue) { _ in note() }
                let bad = try #require(manager.download(fixture.origin.url("/bad")))
                bad.failure(onMainQueue: onMainQueue) { _ in note() }
                try await good.reaches(.succeeded)
                try await bad.reaches(.failed)
                try await answer { manager.totalSuspend(onMainQueue: onMainQueue, handler: $0) }
                try await places.wait(count: 6)
                #expect(Set(places.all) == [onMainQueue ? "main" : "operations"])
            }
        }
    }

    /// On Linux, the thread that posts a notification waits for observers with `queue: .main`. A regression: a closure
    /// that posted on the main queue, but not as an operation of the main operation queue, deadlocked the main queue.
    @Test(arguments: [true, false])
    func `an observer on the main queue is notified whatever thread posts`(operatesOnMain: Bool) async throws {
        try await withFerry { fixture in
            let own = Notification.Name("\(fixture.identifier).closure")
            let told = Notes<String>()
            let tokens = [DownloadTask.didCompleteNotification, own].map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { notification in
                    if let task = notification.downloadTask, task.manager?.identifier != fixture.identifier { return }
                    told.add(notification.name == own ? "closure" : "end")
                }
            }
            defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
            let manager = fixture.manager(queue: operatesOnMain ? .main : DispatchQueue(label: "operations"))
            let task = try #require(manager.download(fixture.origin.url()))
            task.success { _ in NotificationCenter.default.post(name: own, object: nil) }
            try await told.wait("both") { $0.contains("end") && $0.contains("closure") }
        }
    }

    @Test func `closures never overlap, even on a concurrent queue`() async throws {
        try await withFerry { fixture in
            let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
            let manager = fixture.manager(queue: queue)
            let overlap = Overlap()
            let told = Notes<String>()
            let note: @Sendable () -> Void = {
                overlap.visit()
                told.add("called")
            }
            manager.progress(onMainQueue: false) { _ in note() }
            let tasks = manager.multiDownload(fixture.urls(20), onMainQueue: false) { _ in note() }
            for task in tasks {
                task.progress(onMainQueue: false) { _ in note() }.success(onMainQueue: false) { _ in note() }
            }
            try await manager.reaches(.succeeded)
            try await told.wait("all ends") { $0.count >= 21 }
            #expect(overlap.most == 1)
        }
    }

    @Test func `a pause of a run is -999, as a canceled task of a session is, and a new attempt forgets errors`()
        async throws
    {
        let script = OriginScript(
            Self.body, .on(.pathRequests(...1), .status(404)), .on(.pathRequests(2...), .hold("go", at: .body(1000))))
        try await withFerry(script) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.failed)
            #expect(task.error != nil && task.endDate > 0)
            manager.start(task)
            try await task.reaches(.running)
            #expect(task.error == nil)
            let seen = Notes<Bool>()
            task.failure { seen.add($0.status == .suspended && ($0.error as? URLError)?.code == .cancelled) }
            manager.suspend(task)
            #expect(try await seen.wait(count: 1) == [true])
            try await answer { manager.start(task, handler: $0) }
            #expect(task.error == nil)
        }
    }

    @Test func `the handler of a start sees the task running, where nothing keeps it from that`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .body(1000)))) { fixture in
            let manager = fixture.manager(limit: 1)
            let seen = Notes<Status>()
            let first = try #require(manager.download(fixture.origin.url("/1")) { seen.add($0.status) })
            try await seen.wait(count: 1)
            let second = try #require(manager.download(fixture.origin.url("/2")) { seen.add($0.status) })
            try await seen.wait(count: 2)
            try await answer { manager.suspend(first, handler: $0) }
            try await second.reaches(.running)
            try await answer { manager.suspend(second, handler: $0) }
            manager.start(first) { seen.add($0.status) }
            #expect(try await seen.wait(count: 3) == [.running, .waiting, .running])
            manager.suspend(first) { seen.add($0.status) }
            manager.start(second) { seen.add($0.status) }
            manager.cancel(second) { seen.add($0.status) }
            #expect(try await seen.wait(count: 6).last == .canceled)
        }
    }
}
