import FerryTesting
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct `A partial file that changed while the daemon was dead` {
    private static let body = SeededBody(seed: 101, size: 4 << 20)
    private static let half: Int64 = 2 << 20

    enum Damage: String, CaseIterable, Sendable {
        case none, removed, shortened, lengthened, replaced, replacedByFolder, replacedByLink
    }

    @Test(arguments: Damage.allCases)
    func `§7 costs at most its bytes, and foreign files stay`(damage: Damage) async throws {
        let script = OriginScript(
            Self.body, .on(.request(1), .stall(after: Self.half)), .on(.request(2), .hold("asked again", at: .head)))
        try await withDaemon(script) { ferry, origin in
            let id = try await ferry.add(origin.url())
            await origin.waitForBytesSent(Self.half)
            try await eventually("the bytes arrived") { try await ferry.info(id).bytes_received == Self.half }
            #expect(try await ferry.run(["pause", id]).status == 0)
            #expect(try await ferry.run(["resume", id]).status == 0)
            await origin.waitForHold("asked again")
            try await ferry.killDaemon()
            let partial = ".ferry-\(id).part"
            try apply(damage, to: ferry.file(partial), outside: ferry.home + "/outside")
            try await ferry.startDaemon()
            let end = try await ferry.run(["wait", id])
            #expect(end.status == 0, "\(end)")
            #expect(try ferry.sha256("file.bin") == Self.body.sha256Hex)
            let keepsForeign = [.replaced, .replacedByFolder, .replacedByLink].contains(damage)
            #expect(ferry.contents == (keepsForeign ? [partial, "file.bin"] : ["file.bin"]))
            // A file modified by another program may differ at any byte.
            #expect(await (origin.allBytesSent == Self.body.size) == (damage == .none))
            if damage == .replacedByLink {
                #expect(FileManager.default.contents(atPath: ferry.home + "/outside") == Data("outside".utf8))
            }
        }
    }

    private func apply(_ damage: Damage, to path: String, outside: String) throws {
        let files = FileManager.default
        switch damage {
        case .none: break
        case .removed: try files.removeItem(atPath: path)
        case .shortened, .lengthened:
            let file = try FileHandle(forUpdating: URL(filePath: path))
            try file.truncate(atOffset: damage == .shortened ? 1000 : UInt64(Self.body.size) + 1000)
            try file.close()
        case .replaced:
            // Moved, not removed, so that the new file does not reuse its inode.
            try files.moveItem(atPath: path, toPath: outside)
            try Data("foreign".utf8).write(to: URL(filePath: path))
        case .replacedByFolder:
            try files.removeItem(atPath: path)
            try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .replacedByLink:
            try files.removeItem(atPath: path)
            try Data("outside".utf8).write(to: URL(filePath: outside))
            try files.createSymbolicLink(atPath: path, withDestinationPath: outside)
        }
    }
}
