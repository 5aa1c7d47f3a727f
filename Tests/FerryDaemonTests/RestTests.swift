import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `A daemon at rest` {
    /// The names of a process's threads.
    private func threads(of process: pid_t) throws -> [String] {
        let folder = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { thread in
            // A thread may end between the list and the look.
            let name = try? String(contentsOfFile: folder + "/" + thread + "/comm", encoding: .utf8)
            return name?.trimmingCharacters(in: .newlines)
        }
    }

    /// The date of its answers was renewed each second by a task, so that there was always a thread for tasks.
    ///
    /// Such a thread ends some seconds after its last task. libdispatch's own timer, which counts these threads, has none.
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
