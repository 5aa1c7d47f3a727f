import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct `A full disk` {
    @Test func `L7 makes the transfer wait for room, and a cancel leaves nothing in the folder`() async throws {
        try await withDaemon(OriginScript(SeededBody(seed: 91, size: 8 << 20))) { ferry, origin in
            let folder = ferry.file("small")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            guard unsafe mount("tmpfs", folder, "tmpfs", 0, "size=4m") == 0 else {
                try Test.cancel("This system lets the test mount no small file system.")
            }
            defer { unsafe umount2(folder, Int32(MNT_DETACH)) }
            let id = try await ferry.add(origin.url(), "-d", folder)
            try await eventually("it waits for room") { try await ferry.info(id).reason == "disk" }
            let shown = try await ferry.info(id)
            #expect(shown.state == "waiting")
            let page = try await ferry.run(["info", id])
            #expect(page.stdout.contains("reason:        waits for disk space"), "\(page)")
            #expect(try await ferry.run(["cancel", id]).status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }
}
