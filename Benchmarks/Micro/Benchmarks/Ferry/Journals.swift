import Benchmark
import FerryCore
import FerryStore
import Foundation
import Logging

/// Transfers as a command hands them over, and the journal that they go into.
enum Sample {
    static let quiet = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
    static let moment = Date(timeIntervalSince1970: 1_700_000_000.125)

    static func record(_ number: UInt64) -> TransferRecord {
        let request = TransferRequest(url: "https://example.com/files/\(number).iso", folder: "/home/u/Downloads")
        return TransferRecord(
            id: TransferID(rawValue: 1_700_000_000_000 << 20 + number), createdAt: moment, request: request,
            credentials: nil)
    }
}

/// Callers at the same time share a transaction; the journal is in memory, so that the disk is not measured.
func journalBenchmarks() {
    for callers in [1, 64] as [UInt64] {
        Benchmark("journal-commits-\(callers)", configuration: .init(scalingFactor: .one)) { benchmark in
            for _ in benchmark.scaledIterations {
                let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
                benchmark.startMeasurement()
                try await withThrowingTaskGroup { group in
                    for number in 0..<callers {
                        group.addTask {
                            try await journal.commit { transaction throws(ServiceError) in
                                try transaction.insert(Sample.record(number))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                benchmark.stopMeasurement()
                await journal.close()
            }
        }
    }
}
