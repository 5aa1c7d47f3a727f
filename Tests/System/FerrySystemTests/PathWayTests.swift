import FerryCore
import Foundation
import Testing

@testable import FerrySystem

@Suite struct `The way to a path` {
    /// Runs `body` with a temporary folder.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = "/tmp/fw-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test func `has every folder from the root to what stands at the end`() throws {
        try withFolder { folder in
            let way = PathWay(to: folder + "//./")
            #expect(way.errorNumber == 0)
            #expect(way.parts.map(\.path) == ["/", "/tmp", folder])
            #expect(way.parts.last?.kind == .folder)
            #expect(way.parts.last?.owner == geteuid())
            #expect(way.parts.last.map { $0.mode & 0o777 } == 0o700)
        }
    }

    @Test func `leads through links and their targets, but not through the last`() throws {
        try withFolder { folder in
            let files = FileManager.default
            try files.createDirectory(atPath: folder + "/real", withIntermediateDirectories: false)
            try files.createSymbolicLink(atPath: folder + "/near", withDestinationPath: "real/../real")
            try files.createSymbolicLink(atPath: folder + "/far", withDestinationPath: folder + "/near")
            try files.createSymbolicLink(atPath: folder + "/real/end", withDestinationPath: folder)
            let way = PathWay(to: folder + "/far/end")
            #expect(way.errorNumber == 0)
            let names = way.parts.map { $0.path.replacingOccurrences(of: folder, with: "F") }
            #expect(
                names == ["/", "/tmp", "F", "F/far", "/tmp", "F", "F/near", "F/real", "F/real", "F/real/end"])
            #expect(way.parts.last?.kind == .link)
        }
    }

    @Test func `ends where something is missing, and at links without end`() throws {
        try withFolder { folder in
            let missing = PathWay(to: folder + "/a/b")
            #expect(missing.errorNumber == ENOENT)
            #expect(missing.parts.last?.path == folder)
            try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: "loop")
            #expect(PathWay(to: folder + "/loop/x").errorNumber == ELOOP)
        }
    }

    @Test func `a group is private to the user whose name it bears, not to another`() {
        #expect(PrivateGroup.isPrivate(0, of: 0))
        #expect(!PrivateGroup.isPrivate(1, of: 0))
        #expect(!PrivateGroup.isPrivate(0, of: 1))
        #expect(!PrivateGroup.isPrivate(.max - 7, of: .max - 7))
    }

    @Test func `a private folder is made below folders that can be trusted alone`() throws {
        try withFolder { folder in
            try PrivateFolder.make(folder + "/a/b")
            #expect(PathFacts(at: folder + "/a/b").map { $0.mode & 0o777 } == 0o700)
            try FileManager.default.setAttributes([.posixPermissions: 0o772], ofItemAtPath: folder)
            let error = #expect(throws: ServiceError.self) { try PrivateFolder.make(folder + "/a/b") }
            #expect(error?.message.contains("chmod go-w") == true)
            #expect(throws: ServiceError.self) { try PrivateFolder.make(folder + "/c/d") }
            #expect(!FerryPaths.isFolder(folder + "/c"))
        }
    }
}
