import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct `A daemon at rest` {
    /// Seconds until each timer of a process rings that is set.
    private func timers(of process: pid_t) throws -> [Double] {
        let folder = "/proc/\(process)/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            // A descriptor may be closed between the list and the look.
            guard let text = try? String(contentsOfFile: folder + "/" + name, encoding: .utf8),
                let value = text.firstMatch(of: /it_value: \((\d+), (\d+)\)/),
                let seconds = Double(value.1), let nanoseconds = Double(value.2), seconds + nanoseconds > 0
            else { return nil }
            return seconds + nanoseconds / 1e9
        }
    }

    /// The date of its answers was renewed by a timer each second.
    @Test func `has no timer that rings soon`() async throws {
        try await withDaemon { ferry in
            try await ferry.startDaemon()
            #expect(try await ferry.run(["list"]).status == 0)
            let daemon = try #require(ferry.daemons.first)
            var timers: [Double] = []
            try await eventually("no timer of the daemon rings soon") {
                timers = try self.timers(of: daemon)
                return timers.allSatisfy { $0 > 5 }
            }
            // That its start was a good one is noted after a minute.
            #expect(!timers.isEmpty)
        }
    }
}
