import FerryCore
import FerryQueue
import FerryRules
import FerryService
import FerryTesting
import Foundation
import Logging
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The file of conditions` {
    private func withFile(_ text: String?, _ body: (FileConditions, String) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.file("conditions.json")
            if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
            let conditions = FileConditions(path: file, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            conditions.watch(.reachability) {}
            defer { conditions.stop() }
            try await eventually("the file is read") { conditions.report.known == .reachability }
            try await body(conditions, file)
        }
    }

    @Test func `75 replaced by another file`() async throws {
        try await withFile(#"{"cellular": true}"#) { conditions, file in
            #expect(conditions.report.conditions.cellular)
            for isCellular in [false, true, false] {
                try Data(#"{"cellular": \#(isCellular)}"#.utf8).write(to: URL(fileURLWithPath: file + ".new"))
                try #require(unsafe rename(file + ".new", file) == 0)
                try await eventually("the change") { conditions.report.conditions.cellular == isCellular }
            }
        }
    }

    @Test func `75 written in place, piece by piece`() async throws {
        try await withFile(#"{"expensive": true}"#) { conditions, file in
            let handle = try #require(FileHandle(forWritingAtPath: file))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(#"{"expensive": tr"#.utf8))
            try handle.write(contentsOf: Data(#"ue, "constrained": true}"#.utf8))
            try await eventually("the change, with the file still open") { conditions.report.conditions.constrained }
            #expect(conditions.report.conditions.expensive)
            try handle.close()
        }
    }

    @Test func `75 half a file changes nothing`() async throws {
        try await withFile(#"{"reachable": false}"#) { conditions, file in
            try Data("{".utf8).write(to: URL(fileURLWithPath: file))
            conditions.watch(.power) {}
            try await eventually("it is read again") { conditions.report.known == [.reachability, .power] }
            #expect(!conditions.report.conditions.reachable)
        }
    }

    @Test func `75 a file that comes and goes`() async throws {
        try await withFile(nil) { conditions, file in
            #expect(conditions.report.conditions == Conditions())
            try Data(#"{"externalPower": false}"#.utf8).write(to: URL(fileURLWithPath: file))
            try await eventually("it is there") { !conditions.report.conditions.externalPower }
            try FileManager.default.removeItem(atPath: file)
            try await eventually("it is gone") { conditions.report.conditions == Conditions() }
        }
    }

    @Test func `75 changes are reported, and other files of the folder are none`() async throws {
        try await withFile("{}") { conditions, file in
            let told = Mutex(0)
            conditions.watch([.reachability, .kind]) { told.withLock { $0 += 1 } }
            try await eventually("it is read again") { told.withLock { $0 } == 1 }
            try Data("{}".utf8).write(to: URL(fileURLWithPath: file + ".other"))
            try Data(#"{"cellular": true}"#.utf8).write(to: URL(fileURLWithPath: file))
            try await eventually("the change") { conditions.report.conditions.cellular }
            // The notification follows the change of the report.
            try await eventually("it is told") { told.withLock { $0 } >= 2 }
            #expect(told.withLock { $0 } == 2)
        }
    }
}
