import FerryTesting
import Foundation
import Testing

/// A temporary-file cleaner or a person deletes the socket while the daemon runs.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct `A daemon whose socket was deleted` {
    @Test(arguments: ["/run/ferryd.sock", "/run"]) func `can be reached again and stopped`(lost: String) async throws {
        try await withDaemon { ferry in
            try await ferry.startDaemon()
            let first = ferry.daemons
            try lose(ferry.home + lost)
            let list = try await ferry.run(["list"])
            #expect(list.status == 0, "\(list)")
            #expect(ferry.daemons == first)
            try lose(ferry.home + lost)
            let status = try await ferry.run(["daemon", "status", "--json"])
            #expect(status.status == 0, "\(status)")
            try lose(ferry.home + lost)
            #expect(try await ferry.run(["daemon", "stop"]) == CommandResult.said("The daemon has stopped."))
            #expect(ferry.daemons.isEmpty)
        }
    }

    /// Deletes a socket or its folder. Renames it first, because the daemon recreates it meanwhile.
    private func lose(_ path: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".lost")
        try FileManager.default.removeItem(atPath: path + ".lost")
    }

    @Test func `creates it again once the obstacle in its place is gone`() async throws {
        try await withDaemon { ferry in
            try await ferry.startDaemon()
            let pid = try #require(ferry.daemons.first)
            // Replaced in one step, because the daemon recreates a missing socket at once.
            let obstacle = ferry.home + "/obstacle"
            try Data("in the way".utf8).write(to: URL(filePath: obstacle))
            #expect(unsafe rename(obstacle, ferry.home + "/run/ferryd.sock") == 0)
            let status = try await ferry.run(["daemon", "status"])
            #expect(status.status == 14)
            #expect(status.stderr.contains("is not a socket"), "\(status)")
            try FileManager.default.removeItem(atPath: ferry.home + "/run/ferryd.sock")
            #expect(ferry.daemons == [pid])
            #expect(try await ferry.run(["daemon", "stop"]) == CommandResult.said("The daemon has stopped."))
        }
    }
}
