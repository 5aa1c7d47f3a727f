import FerryCore
import FerryService
import FerryStore
import FerryTesting
import Foundation
import Logging
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A journal that fails` {
    /// Overwrites a file with zeros, in place.
    private func destroy(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(count: Int(size)))
        try file.close()
    }

    @Test func `D7 ends the service with journal_failed`() async throws {
        try await withTemporaryFolder { folder in
            var logger = Logger(label: "test")
            logger.handler = SwiftLogNoOpLogHandler()
            let service = try await LocalTransferService.open(
                ServiceConfiguration(
                    stateFolder: folder.path, logger: logger, environment: [:],
                    journal: SQLiteJournal.opening(in: folder.path, logger: logger)))
            var request = TransferRequest(url: "http://127.0.0.1:9/x", folder: folder.file("in"))
            request.timing.paused = true
            _ = try await service.submit([request])
            let running = Task { try await service.run() }
            // New log entries are written after the zeros, so that readers encounter them.
            try destroy(folder.file("journal.sqlite-wal"))
            try destroy(folder.file("journal.sqlite"))
            await #expect(throws: ServiceError.self) {
                for _ in 0..<1000 {
                    _ = try await service.submit([request])
                    _ = try await service.transfers(TransferQuery())
                }
            }
            let error = await #expect(throws: ServiceError.self) { try await running.value }
            #expect(error?.code == .journalFailed)
        }
    }

    @Test func `run ends without an error when the service is shut down`() async throws {
        try await withTemporaryFolder { folder in
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let service = try await LocalTransferService.open(
                ServiceConfiguration(
                    stateFolder: folder.path, logger: logger, environment: [:],
                    journal: SQLiteJournal.opening(in: folder.path, logger: logger)))
            let group = ServiceGroup(services: [service], logger: logger)
            async let running: Void = group.run()
            await group.triggerGracefulShutdown()
            try await running
            let error = await #expect(throws: ServiceError.self) { try await service.submit([]) }
            #expect(error?.code == .daemonUnreachable)
        }
    }
}
