import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `An idle daemon` {
    /// Returns the names of a process's threads.
    private func threads(of process: pid_t) throws -> [String] {
        let folder = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { thread in
            // A thread may end after it was listed.
            let name = try? String(contentsOfFile: folder + "/" + thread + "/comm", encoding: .utf8)
            return name?.trimmingCharacters(in: .newlines)
        }
    }

    /// A regression: a task renewed the responses' Date field each second, which kept a pool thread alive.
    ///
    /// A pool thread ends some seconds after its last task. These threads are counted without libdispatch's own timer
    /// thread.
    @Test func `has no thread that runs tasks`() async throws {
        try await withDaemon { ferry in
            try await ferry.startDaemon()
            #expect(try await ferry.run(["list"]).status == 0)
            let daemon = try #require(ferry.daemons.first)
            var names: [String] = []
            try await eventually("the last thread for tasks has ended") {
                names = try self.threads(of: daemon)
                return !names.contains { $0.hasSuffix("default-qos") }
            }
            #expect(names.contains { $0.hasPrefix("NIO") }, "\(names)")
        }
    }
}
