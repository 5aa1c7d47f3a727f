import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Validation` {
    private static let body = FerryFixture.body
    private static let held = OriginScript(body, always: .hold("go", at: .body(100_000)))
    private static let codes: [(FileChecksumHelper.VerificationType, String)] = [
        (.md5, body.md5Hex), (.sha1, body.sha1Hex), (.sha256, body.sha256Hex), (.sha512, body.sha512Hex),
    ]

    @Test(arguments: codes)
    func `a code is decided, stored, and compared without case and white space`(
        type: FileChecksumHelper.VerificationType, code: String
    ) async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let tasks = manager.multiDownload(fixture.urls(2))
            let told = Notes<String>()
            tasks[0].validateFile(code: " \(code.uppercased())\n", type: type) { told.add("0 \($0.validation)") }
            tasks[1].validateFile(code: String(code.reversed()), type: type) { told.add("1 \($0.validation)") }
            #expect(tasks.allSatisfy { $0.validation == .unknown })
            fixture.origin.release("go")
            try await told.wait(count: 2)
            #expect(Set(told.all) == ["0 correct", "1 incorrect"] && tasks[1].status == .succeeded && tasks[1].hasFile)
            #expect(await fixture.relaunch().tasks.map(\.validation) == [.correct, .incorrect])
        }
    }

    @Test func `an empty code is incorrect and logged`() async throws {
        try await withFerry { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let task = try #require(manager.download(fixture.origin.url()))
            let seen = try await answer { task.validateFile(code: "", type: .md5, handler: $0) }
            #expect(seen === task && task.validation == .incorrect)
            try await notes.wait("codeEmpty") { $0.contains { $0.contains("codeEmpty") } }
        }
    }

    @Test func `a code of an unfinished task is kept while no process has the session`() async throws {
        try await withFerry(Self.held) { fixture in
            let first = fixture.manager()
            let tasks = first.multiDownload(fixture.urls(2))
            tasks[0].validateFile(code: Self.body.md5Hex, type: .md5) { _ in }
            tasks[1].validateFile(code: String(repeating: "0", count: 32), type: .md5) { _ in }
            try await answer { first.start(tasks[1], handler: $0) }
            try await fixture.daemon.killDaemon()
            let second = await fixture.relaunch()
            fixture.origin.release("go")
            try await second.reaches(.succeeded)
            try await eventually("both are decided") { second.tasks.map(\.validation) == [.correct, .incorrect] }
        }
    }

    @Test func `a mismatch fails the task where the configuration says so`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager { $0.checksumMismatchPolicy = .fail }
            let task = try #require(manager.download(fixture.origin.url()))
            let wrong = String(repeating: "0", count: 64)
            let told = Notes<String>()
            told.observe(task)
            task.validateFile(code: wrong, type: .sha256) { told.add("check \($0.validation)") }
            try await answer { manager.start(task, handler: $0) }
            fixture.origin.release("go")
            try await told.wait(for: "check incorrect")
            #expect(told.ends == ["task failure failed", "check incorrect"])
            guard case .checksumMismatch(let expected, let actual)? = task.ferryError else {
                Issue.record("\(String(describing: task.error))")
                return
            }
            #expect(expected == wrong && actual == Self.body.sha256Hex && !task.hasFile)
        }
    }

    @Test(arguments: ["0123abc", "no code at all", String(repeating: "0", count: 65)])
    func `a code that no file has fails the task where the configuration says so`(code: String) async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager { $0.checksumMismatchPolicy = .fail }
            let task = try #require(manager.download(fixture.origin.url()))
            let told = Notes<String>()
            told.observe(task)
            task.validateFile(code: code, type: .sha256) { told.add("check \($0.validation)") }
            // When this call completes, the daemon has the code.
            try await answer { manager.start(task, handler: $0) }
            fixture.origin.release("go")
            try await told.wait(for: "check incorrect")
            #expect(told.ends == ["task failure failed", "check incorrect"] && !task.hasFile)
            let expected = FerryError.checksumMismatch(expected: code, actual: Self.body.sha256Hex)
            #expect(task.ferryError == expected)
            #expect(await fixture.relaunch().tasks.first?.ferryError == expected)
        }
    }

    @Test func `the code of a spec always fails the task, and an older file stays`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let path = fixture.daemon.file("report.bin")
            let old = Data("old".utf8)
            try old.write(to: URL(filePath: path))
            var spec = try DownloadSpec(fixture.origin.url())
            spec.destination = .file(URL(fileURLWithPath: path))
            spec.conflict = .replace
            spec.checksum = Checksum(.md5, String(repeating: "0", count: 32))
            let task = try await manager.enqueue(spec)
            try await task.reaches(.failed)
            guard case .checksumMismatch? = task.ferryError else {
                Issue.record("\(String(describing: task.error))")
                return
            }
            #expect(FileManager.default.contents(atPath: path) == old)
        }
    }

    @Test func `a finished file is read, off the main queue`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.succeeded)
            #expect(task.validation == .unknown)
            try await answer { task.validateFile(code: Self.body.sha1Hex, type: .sha1, handler: $0) }
            #expect(task.validation == .correct)
            try await answer { task.validateFile(code: Self.body.sha1Hex, type: .sha256, handler: $0) }
            #expect(task.validation == .incorrect)
            try await answer { task.validateFile(code: Self.body.md5Hex, type: .md5, onMainQueue: false, handler: $0) }
            #expect(task.validation == .correct)
            let done = DispatchSemaphore(value: 0)
            await MainActor.run {
                task.validateFile(code: "00", type: .sha512, onMainQueue: false) { _ in done.signal() }
                // The main queue is blocked until the file was read.
                done.wait()
            }
            #expect(task.validation == .incorrect)
            try await answer { task.validateFile(code: Self.body.md5Hex, type: .md5, handler: $0) }
            #expect(await fixture.relaunch().tasks.first?.validation == .correct)
        }
    }

    @Test func `an array needs as many codes as tasks`() async throws {
        try await withFerry { fixture in
            let notes = Notes<String>()
            let manager = fixture.manager(logger: NotingLogger(notes: notes))
            let tasks = manager.multiDownload(fixture.urls(3))
            let told = Notes<String>()
            tasks.validateFile(codes: [Self.body.md5Hex], type: .md5) { told.add("\($0.validation == .unknown)") }
            #expect(try await told.wait(count: 3) == ["true", "true", "true"])
            try await notes.wait("an entry") { $0.contains { $0.hasPrefix("error") } }
            let decided = Notes<String>()
            tasks.validateFile(codes: [Self.body.md5Hex, "00", Self.body.md5Hex], type: .md5) { task in
                decided.add("\(task.url.lastPathComponent) \(task.validation)")
            }
            #expect(
                try await Set(decided.wait(count: 3)) == [
                    "file-0.bin correct", "file-1.bin incorrect", "file-2.bin correct",
                ])
        }
    }

    @Test func `callbacks of an array are those of each task`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/bad"), .status(404)))) { fixture in
            let manager = fixture.manager()
            let told = Notes<String>()
            let tasks = manager.multiDownload([fixture.origin.url("/good"), fixture.origin.url("/bad")])
            tasks.progress { _ in told.add("progress") }
                .success { told.add("success \($0.url.lastPathComponent)") }
                .failure { told.add("failure \($0.url.lastPathComponent)") }
            try await told.wait("both ends") { Set($0).isSuperset(of: ["success good", "failure bad"]) }
            #expect(told.ends.count == 2)
        }
    }

    private enum Told: Equatable {
        case correct, empty, mismatch(String), missing(String), other
    }

    @Test func `any file can be checked without a manager`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.file("file")
            try Data(Self.body.bytes).write(to: URL(filePath: path))
            let cases: [(String, String, Told)] = [
                (path, Self.body.sha512Hex, .correct), (path, "", .empty), (path, "abc", .mismatch("abc")),
                (folder.file("none"), Self.body.sha512Hex, .missing(folder.file("none"))),
            ]
            for (path, code, expected) in cases {
                let inside = Notes<Bool>()
                let results = Notes<Told>()
                await MainActor.run {
                    let main = pthread_self()
                    FileChecksumHelper.validateFile(path, code: code, type: .sha512) { result in
                        inside.add(pthread_self() == main)
                        switch result {
                        case .success(true): results.add(.correct)
                        case .failure(.codeEmpty): results.add(.empty)
                        case .failure(.codeMismatch(let code)): results.add(.mismatch(code))
                        case .failure(.fileDoesnotExist(let path)): results.add(.missing(path))
                        default: results.add(.other)
                        }
                    }
                }
                #expect(try await results.wait(count: 1) == [expected] && inside.all == [false])
            }
        }
    }
}
