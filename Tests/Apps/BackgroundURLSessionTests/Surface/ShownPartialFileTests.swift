import FerryCore
import FerryTesting
import Foundation
import Glibc
import Testing

@testable import FerryURLSession

@Suite struct `Partial files that apps look for` {
    private let name = "\(UUID().uuidString).partial"

    /// Runs `body` with the apps' folders and a partial file of 100 bytes.
    private func withPartial(_ body: (LocalFolders, _ kept: String, _ shown: String) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let folders = LocalFolders(temporary: folder.path)
            try folders.open()
            let kept = folders.partials + "/" + name
            try Data(count: 100).write(to: URL(fileURLWithPath: kept))
            try body(folders, kept, folder.file(name))
        }
    }

    private func exists(_ path: String) -> Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }

    @Test func `a partial file has its name among the temporary files until a task goes on with it`() async throws {
        try await withPartial { folders, kept, shown in
            folders.show(kept)
            let found = try Data(contentsOf: URL(fileURLWithPath: shown))
            #expect(found.count == 100)
            folders.show(kept)
            folders.claim(kept, size: 100)
            #expect(!exists(shown) && exists(kept))
        }
    }

    /// An app that has not acknowledged the previous task's completion receives it again.
    @Test func `a partial file that a task has claimed gets no second name until its service has answered`()
        async throws
    {
        try await withPartial { folders, kept, shown in
            folders.claim(kept, size: 100)
            folders.show(kept)
            #expect(!exists(shown))
            folders.settle(kept)
            #expect(exists(shown), "The service has refused it.")
            folders.claim(kept, size: 100)
            try FileManager.default.removeItem(atPath: kept)
            folders.settle(kept)
            #expect(!exists(shown), "The service has taken it.")
        }
    }

    @Test func `a file on another file system is shown by a link that is followed`() async throws {
        try await withPartial { folders, _, _ in
            // procfs is a separate file system on every machine.
            folders.show("/proc/self/status")
            let shown = folders.temporary + "/status"
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: shown)
            #expect(target == "/proc/self/status")
            folders.claim("/proc/self/status", size: 0)
            #expect(!exists(shown))
        }
    }

    @Test func `a copy that an app has restored replaces a missing partial file`() async throws {
        try await withPartial { folders, kept, shown in
            folders.show(kept)
            try FileManager.default.copyItem(atPath: shown, toPath: shown + "-backup")
            try FileManager.default.removeItem(atPath: shown)
            try FileManager.default.removeItem(atPath: kept)
            try FileManager.default.moveItem(atPath: shown + "-backup", toPath: shown)
            folders.claim(kept, size: 101)
            #expect(!exists(kept), "It has too few bytes.")
            try Data(count: 50).write(to: URL(fileURLWithPath: kept))
            folders.claim(kept, size: 100)
            #expect(try #require(FileManager.default.contents(atPath: kept)).count == 100, "A cut copy is replaced.")
            #expect(!exists(shown))
        }
    }

    @Test func `a file with a second name, a folder and a link are not brought back`() async throws {
        try await withPartial { folders, kept, shown in
            try FileManager.default.moveItem(atPath: kept, toPath: shown + "-other")
            #expect(unsafe link(shown + "-other", shown) == 0)
            folders.claim(kept, size: 100)
            #expect(!exists(kept) && exists(shown))
            try FileManager.default.removeItem(atPath: shown)
            #expect(unsafe symlink(shown + "-other", shown) == 0)
            folders.claim(kept, size: 0)
            #expect(!exists(kept))
            try FileManager.default.removeItem(atPath: shown)
            #expect(unsafe mkdir(shown, 0o700) == 0)
            folders.claim(kept, size: 0)
            #expect(!exists(kept) && exists(shown))
        }
    }

    @Test func `the name of a file that is gone is shown to nobody`() async throws {
        try await withPartial { folders, kept, shown in
            try FileManager.default.removeItem(atPath: kept)
            folders.show(kept)
            #expect(!exists(shown))
        }
    }

    @Test func `names that no task has used for a week go, and no other file does`() async throws {
        try await withPartial { folders, kept, shown in
            let old = Date(timeIntervalSinceNow: -8 * 86_400)
            folders.show(kept)
            let other = folders.temporary + "/mine.partial"
            try Data().write(to: URL(fileURLWithPath: other))
            for path in [kept, other] {
                try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
            }
            let young = folders.temporary + "/0123456789abcdef.partial"
            try Data().write(to: URL(fileURLWithPath: young))
            folders.sweep()
            #expect(!exists(kept) && !exists(shown) && exists(other) && exists(young))
        }
    }
}
