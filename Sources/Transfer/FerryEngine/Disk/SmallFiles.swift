import FerryCore
import FerryDisk
import FerryRules
import Foundation
import NIOCore

/// Creates and places small files from memory.
///
/// Files that arrive while others are being placed form a batch: one thread writes them, one commit records their
/// intents, and each folder is synced once. The order is the same as for any file: the bytes are durable before the
/// intent is recorded, and the intent before the file gets its name.
actor SmallFiles {
    /// A file in memory.
    struct File: Sendable {
        let id: TransferID
        let bytes: ByteBuffer
        /// The facts known before the file is created.
        let known: Boxed<TransferFacts>
        let folder: String
        let makesFolder: Bool
        let folderMode: UInt32
        let allowedFolders: AllowedFolders?
        /// The device that the folder must be on, if that is known.
        var device: UInt64?
        /// The conflict rule for a taken name.
        let rule: ConflictRule
        let attributes: PlacedAttributes
        let verified: [Checksum]
        /// Bytes of the file system to keep free.
        let reserve: Int64
        let journal: any FactsJournal

        var facts: TransferFacts { known.wrappedValue }
        var name: String { (facts.destination ?? facts.name ?? FileName.fallback).lastPathPart }
        var path: String { folder.appendingPathPart(name) }
    }

    /// The outcome of a file.
    enum Result: Sendable {
        /// The file has its name, durably.
        case placed(Boxed<TransferFacts>)
        /// Nothing is recorded, and no file exists.
        case notMade
        /// The complete file is recorded but does not have its name.
        case recorded(Boxed<TransferFacts>, PartialFile)
        /// The state on disk is known only from the recorded facts, or `nil` if none were recorded.
        case failed(ServiceError, Boxed<TransferFacts>?)
    }

    private typealias Waiting = (file: File, continuation: CheckedContinuation<Result, Never>)

    private let disk: DiskQueue
    private nonisolated let home: any Actor
    private let reached: @Sendable (LifecycleStep) -> Void
    private var waiting: [Waiting] = []
    private var isPlacing = false

    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe home.unownedExecutor }

    init(disk: DiskQueue, home: any Actor, reached: @escaping @Sendable (LifecycleStep) -> Void) {
        self.disk = disk
        self.home = home
        self.reached = reached
    }

    /// Creates a file, and returns once it is durably in place or has failed.
    func place(_ file: File) async -> Result {
        await withCheckedContinuation { continuation in
            waiting.append((file, continuation))
            begin()
        }
    }

    private func begin() {
        guard !isPlacing, !waiting.isEmpty else { return }
        isPlacing = true
        let group = waiting
        waiting = []
        Task(name: "placement of small files") {
            let results = await self.place(group.map(\.file))
            for (one, result) in zip(group, results) { one.continuation.resume(returning: result) }
            self.isPlacing = false
            self.begin()
        }
    }

    /// Creates files as one batch.
    ///
    /// - Returns: The outcomes, in order.
    func place(_ files: [File]) async -> [Result] {
        let reached = reached
        let written = await disk.result { system throws(DiskError) in
            var writer = SmallFileWriter(disk: system, reached: reached)
            return writer.write(files)
        }
        guard case .success(let partials) = written, let journal = files.first?.journal else {
            return files.map { _ in .notMade }
        }
        var results = files.map { _ in Result.notMade }
        var made: [(index: Int, file: File, partial: SmallFileWriter.Written, recorded: RecordedFacts)] = []
        for (index, partial) in partials.enumerated() {
            guard let partial else { continue }
            made.append((index, files[index], partial, Self.intent(files[index], partial)))
        }
        guard !made.isEmpty else { return results }
        let isRecorded: [Bool]
        do throws(ServiceError) {
            isRecorded = try await journal.record(made.map(\.recorded), isolation: self)
            reached(.intentCommitted)
        } catch {
            for one in made { results[one.index] = .failed(error, nil) }
            return results
        }
        let group = zip(made, isRecorded).map { ($0, $1) }
        let named = await disk.result { system throws(DiskError) in
            let namer = SmallFileNamer(disk: system, reached: reached)
            return namer.name(group.map { (file: $0.0.file, partial: $0.0.partial, isRecorded: $0.1) })
        }
        guard case .success(let names) = named else {
            for one in made {
                results[one.index] = .failed(
                    DiskError("Placing", one.file.path, errno: ECANCELED).transferError, one.recorded.$facts)
            }
            return results
        }
        for (one, name) in zip(made, names) {
            switch name {
            case .given: results[one.index] = .placed(one.recorded.$facts)
            case .notGiven: results[one.index] = .recorded(one.recorded.$facts, one.partial.file)
            case .removed: results[one.index] = .notMade
            case .inDoubt(let error): results[one.index] = .failed(error.transferError, one.recorded.$facts)
            }
        }
        return results
    }

    /// Returns the facts to record before the file gets its name.
    private static func intent(_ file: File, _ written: SmallFileWriter.Written) -> RecordedFacts {
        var recorded = RecordedFacts(id: file.id, facts: file.known)
        let size = Int64(file.bytes.readableBytes)
        let partial = written.file.facts
        recorded.facts.destination = file.path
        recorded.facts.partial = partial
        recorded.facts.stamp = nil
        if size > 0 { recorded.facts.ranges.insert(0..<size) }
        recorded.facts.advance()
        for note in written.notes { recorded.facts.add(note) }
        recorded.facts.placement = PlacementIntent(
            path: file.path, device: partial.device, inode: partial.inode, size: size, verified: file.verified)
        recorded.facts.placement?.modified = written.modified
        return recorded
    }
}
