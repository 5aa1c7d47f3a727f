import FerryCore
@testable import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Logging
import Synchronization
import Testing

/// An engine with its disk, its journal and a folder. Runs a transfer attempt by attempt, without delays in between.
final class EngineHarness: Sendable {
    static let id = TransferID(rawValue: 0x1234)
    static let partialName = PartialFile.name(of: id)

    let outside: TemporaryFolder
    /// Folder for the files. It lies in `outside`, where escaped files would show.
    let folder: String
    let disk = FaultyDisk()
    let journal: RecordingJournal
    let engine: Engine

    init(_ change: (inout Engine.Configuration) -> Void = { _ in }) throws {
        outside = try TemporaryFolder()
        folder = outside.file("in")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        journal = RecordingJournal(disk: disk)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var configuration = Engine.Configuration(disk: disk, environment: [:], logger: logger)
        change(&configuration)
        engine = Engine(configuration, loops: 1)
    }

    // MARK: Transfers

    func request(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRequest {
        var request = TransferRequest(url: url, folder: folder)
        change(&request)
        return request
    }

    func job(
        _ request: TransferRequest, facts: TransferFacts = TransferFacts(), credentials: Credentials? = nil
    ) -> TransferJob {
        var record = TransferRecord(id: Self.id, createdAt: Date(), request: request, credentials: credentials)
        record.facts = facts
        return TransferJob(record, gate: RateGate([], priority: .normal), progress: TransferProgress())
    }

    func makeRun(_ job: TransferJob) -> TransferRun { TransferRun(job, engine: engine, journal: journal) }

    /// Creates the run that the engine chooses for a job.
    func makeAttempt(_ job: TransferJob) -> any AttemptRun { engine.makeRun(job, journal: journal) }

    /// Makes attempts until the transfer has finished or the limit is reached.
    func transfer(
        _ request: TransferRequest, from facts: TransferFacts = TransferFacts(), tries: Int = 20,
        credentials: Credentials? = nil, adjust: (inout TransferJob) -> Void = { _ in }
    ) async -> History {
        var reports: [RunReport] = []
        var ledger = FailureLedger()
        let policy = RetryPolicy(
            retries: request.timing.retries, statusRetries: request.timing.statusRetries,
            giveUpAfter: request.timing.giveUpAfter)
        let start = Date()
        var last = ServiceError(.internal, "No try was made.")
        while reports.count < tries {
            var job = job(request, facts: reports.last?.facts ?? facts, credentials: credentials)
            job.digest = reports.last?.digest
            job.budget = ledger.budget ?? TransferBudget()
            adjust(&job)
            let report = await makeAttempt(job).run()
            reports.append(report)
            ledger.attempted(report.cost, now: start)
            switch report.result {
            case .succeeded(let success): return History(reports: reports, end: .succeeded(success))
            case .stopped: return History(reports: reports, end: .stopped)
            case .challenged(let challenge): return History(reports: reports, end: .challenged(challenge))
            case .failed(let error, _):
                last = error
                guard case .fail = ledger.failed(error, policy: policy, now: start, random: 0.5) else { continue }
                // If its name was taken at the end, a complete file waits for another destination.
                if error.code.row.kept == .none, report.facts.ranges.isEmpty || error.code != .destinationExists,
                    let partial = report.facts.partial
                {
                    try? await engine.files.removePartialFile(partial)
                }
                return History(reports: reports, end: .failed(error))
            }
        }
        return History(reports: reports, end: .unfinished(last))
    }

    /// Changes a job so that its response is expected to be short, unless an earlier attempt has left something.
    static func expectShort(_ job: inout TransferJob) {
        job.expectsShortResponse = true
        job.mayHaveLeftovers = job.facts != TransferFacts()
    }

    // MARK: What is on disk

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Writes to the partial file and makes it durable, as a worker would.
    func write(_ bytes: [UInt8], at offset: Int64) throws {
        let file = try disk.openFile(Self.partialName, in: disk.openFolder(folder))
        let count = try unsafe bytes.withUnsafeBytes { try unsafe disk.write($0, to: file, at: offset) }
        #expect(count == bytes.count)
        try disk.syncData(file)
    }

    /// Number of bytes written, including bytes written again.
    var writtenBytes: Int64 {
        disk.events.reduce(0) { if case .written(let range) = $1 { $0 + Int64(range.count) } else { $0 } }
    }

    var contents: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    func put(_ name: String, _ text: String = "old", mode: Int = 0o644) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    /// Returns the file's extended attributes as strings.
    func extendedAttributes(_ name: String) throws -> [String: String] {
        let key = FileAttributeKey(rawValue: "NSFileExtendedAttributes")
        let found = try FileManager.default.attributesOfItem(atPath: path(name))[key] as? [String: Data]
        return found?.mapValues { String(decoding: $0, as: UTF8.self) } ?? [:]
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    func target(ofLink name: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path(name))
    }

    // MARK: What must hold

    /// Checks that the file is complete and the only one in its folder.
    func expectFile(
        _ history: History, _ body: SeededBody, name: String = "file.bin", among others: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let success = try #require(
            history.success, "the tries ended with \(history.errors)", sourceLocation: location)
        #expect(success.path == path(name), sourceLocation: location)
        #expect(success.size == body.size, sourceLocation: location)
        #expect(try sha256(success.path) == body.sha256Hex, sourceLocation: location)
        #expect(contents == ([name] + others).sorted(), sourceLocation: location)
    }

    /// Checks that each commit claims only bytes that were written before the start of an already successful sync.
    func expectHonestJournal(_ location: SourceLocation = #_sourceLocation) {
        let events = disk.events
        let files = Set(journal.commits.compactMap { $0.facts.partial?.name })
        guard files.count < 2 else { return expectSyncForEach(location) }
        var written = ByteRangeSet()
        var syncing = ByteRangeSet()
        var durable = ByteRangeSet()
        var next = 0
        for commit in journal.commits {
            while next < commit.diskEvents {
                switch events[next] {
                case .created(PartialFile.copyName(of: Self.id)): break
                case .created(let name) where name.hasPrefix(".ferry-owner-"): break
                case .created:
                    written.removeAll()
                    durable.removeAll()
                case .written(let range): written.insert(range)
                case .truncated(let size):
                    written.remove(size..<Int64.max)
                    syncing.remove(size..<Int64.max)
                    durable.remove(size..<Int64.max)
                case .syncBegan: syncing = written
                case .syncEnded: for range in syncing.ranges { durable.insert(range) }
                case .failed(.syncData):
                    // After a failed sync, earlier writes must not count.
                    syncing.removeAll()
                    written = durable
                default: break
                }
                next += 1
            }
            for range in commit.facts.ranges.ranges {
                #expect(
                    durable.contains(range), "\(range) was recorded, \(durable) was durable",
                    sourceLocation: location)
            }
        }
    }

    /// Checks that every file of a batch was synced before its first commit, at which it is complete.
    private func expectSyncForEach(_ location: SourceLocation) {
        let events = disk.events
        var recorded: Set<String> = []
        for commit in journal.commits where !commit.facts.ranges.isEmpty {
            if let name = commit.facts.partial?.name { recorded.insert(name) }
            var (made, durable) = (0, 0)
            for event in events.prefix(commit.diskEvents) {
                switch event {
                case .created: made += 1
                case .syncEnded: durable += 1
                case .fileSystemSynced: durable = max(durable, made)
                default: break
                }
            }
            #expect(durable >= recorded.count, sourceLocation: location)
        }
    }

    func shutdown() async {
        await engine.shutdown()
        outside.remove()
    }
}

extension AttemptRun {
    func stop() { stop(with: nil) }
}

/// Runs `body` with an engine, shuts it down, and checks that nothing was written outside its folder.
func withEngine<Result>(
    configured change: (inout Engine.Configuration) -> Void = { _ in },
    _ location: SourceLocation = #_sourceLocation, _ body: (EngineHarness) async throws -> Result
) async throws -> Result {
    let harness = try EngineHarness(change)
    do {
        let result = try await body(harness)
        harness.expectHonestJournal(location)
        await harness.shutdown()
        return result
    } catch {
        await harness.shutdown()
        throw error
    }
}

/// Runs `body` with an engine and a scripted origin, then checks the requests.
func withEngine<Result>(
    _ script: OriginScript, tls: TLSFault? = nil, configured change: (inout Engine.Configuration) -> Void = { _ in },
    _ location: SourceLocation = #_sourceLocation, _ body: (EngineHarness, ScriptedOrigin) async throws -> Result
) async throws -> Result {
    try await withClient(script, tls: tls, configured: change, location) { harness, origin in
        let result = try await body(harness, origin)
        expectCleanRequests(origin, location)
        return result
    }
}

/// Checks the rules for every request of a transfer without custom fields.
func expectCleanRequests(_ origin: ScriptedOrigin, _ location: SourceLocation = #_sourceLocation) {
    for request in origin.requests {
        #expect(request.method == "GET", sourceLocation: location)
        #expect(request.values("Accept-Encoding") == ["identity"], sourceLocation: location)
        #expect(request.values("Host").count == 1, sourceLocation: location)
        #expect(request.values("Range").count <= 1, sourceLocation: location)
        if let validator = request.value("If-Range") {
            #expect(request.value("Range") != nil, sourceLocation: location)
            #expect(!validator.hasPrefix("W/"), sourceLocation: location)
        }
    }
}

/// Returns the SHA-256 of a file in hexadecimal.
func sha256(_ path: String) throws -> String { try FerryTesting.FileDigest.sha256(path) }
