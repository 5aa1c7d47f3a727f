import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Cache of a manager` {
    private static let body = FerryFixture.body

    private func contents(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `the default folders are of the application and the identifier`() {
        let cache = Cache("an identifier of tests")
        let folder = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? NSHomeDirectory() + "/.local/share"
        #expect(cache.downloadPath.hasPrefix(folder + "/ferry/") && cache.downloadPath.hasSuffix("/Downloads"))
        #expect(cache.downloadTmpPath == cache.downloadPath + "/Tmp")
        #expect(cache.downloadFilePath == cache.downloadPath + "/File")
        #expect(Cache("a").downloadPath != Cache("b").downloadPath && Cache("a").identifier == "a")
        #expect(!FileManager.default.fileExists(atPath: cache.downloadPath))
    }

    @Test(arguments: [false, true])
    func `folders are made when needed, for their owner only, also from file strings`(asURL: Bool) async throws {
        try await withFerry { fixture in
            let path = fixture.daemon.file("some/where")
            let cache = Cache("a", downloadPath: asURL ? "file://" + path : path)
            #expect(cache.downloadPath == path)
            let manager = fixture.manager(cache: cache)
            #expect(!FileManager.default.fileExists(atPath: path))
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.succeeded)
            #expect(task.filePath.hasPrefix(path + "/File/") && task.digest == Self.body.sha256Hex)
            #expect(try mode(cache.downloadFilePath) == 0o700 && mode(cache.downloadTmpPath) == 0o700)
        }
    }

    @Test(arguments: ["both", "unfinished", "finished"])
    func `a folder that cannot be made fails before any byte, and a start continues once it can`(which: String)
        async throws
    {
        try await withFerry { fixture in
            let path = fixture.daemon.file("blocked")
            try Data("a file".utf8).write(to: URL(filePath: path))
            let cache =
                switch which {
                case "both": Cache("a", downloadPath: path)
                case "unfinished": Cache("a", downloadPath: fixture.cacheFolder, downloadTmpPath: path)
                default: Cache("a", downloadPath: fixture.cacheFolder, downloadFilePath: path + "/below")
                }
            let manager = fixture.manager(cache: cache)
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.failed)
            guard case .cacheError? = task.ferryError else {
                Issue.record("\(String(describing: task.error))")
                return
            }
            #expect(fixture.origin.requests.isEmpty && manager.tasks == [task])
            try FileManager.default.removeItem(atPath: path)
            manager.start(task)
            try await task.reaches(.succeeded)
            #expect(task.digest == Self.body.sha256Hex)
        }
    }

    @Test func `partial and finished files may be on two file systems`() async throws {
        let memory = "/dev/shm/ferry-test-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: memory) }
        try await withFerry { fixture in
            let cache = Cache(
                "a", downloadPath: fixture.cacheFolder, downloadTmpPath: memory,
                downloadFilePath: fixture.daemon.file("finished"))
            let manager = fixture.manager(cache: cache)
            let tasks = manager.multiDownload(fixture.urls(3))
            try await manager.reaches(.succeeded)
            for task in tasks { #expect(task.digest == Self.body.sha256Hex) }
            #expect(contents(memory).isEmpty && contents(fixture.daemon.file("finished")).count == 3)
        }
    }

    @Test func `names and URLs lead to files`() async throws {
        try await withFerry { fixture in
            let cache = fixture.cache()
            let manager = fixture.manager(cache: cache)
            let url = fixture.origin.url("/a.bin")
            let folder = cache.downloadFilePath
            #expect(cache.filePath(fileName: "x.mp4") == folder + "/x.mp4")
            #expect(cache.fileURL(fileName: "x.mp4")?.path == folder + "/x.mp4")
            #expect(cache.filePath(fileName: "") == nil && cache.fileURL(fileName: "") == nil)
            #expect(!cache.fileExists(fileName: "") && !cache.fileExists(fileName: "x.mp4"))
            #expect(cache.filePath(url: "nonsense") == nil && !cache.fileExists(url: "nonsense"))
            #expect(cache.fileURL(url: "nonsense") == nil && cache.fileURL(url: "ftp://example.org/a") == nil)
            let unnamed = try #require(cache.filePath(url: url))
            #expect(unnamed.hasSuffix(".bin") && !cache.fileExists(url: url))
            let task = try #require(manager.download(url, fileName: "named.bin"))
            try await task.reaches(.succeeded)
            #expect(cache.filePath(url: url) == task.filePath && cache.fileExists(url: url))
            #expect(cache.fileExists(fileName: "named.bin") && cache.fileURL(url: url)?.path == folder + "/named.bin")
        }
    }

    @Test func `the default name is the digest of the URL with its extension`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = fixture.manager()
            for (path, suffix) in [("/a.mp4", ".mp4"), ("/plain", ""), ("/a.tar.gz?x=1.zip", ".gz")] {
                let task = try #require(manager.download(fixture.origin.url(path)))
                let name = task.fileName
                #expect(name.hasSuffix(suffix) && name.dropLast(suffix.count).wholeMatch(of: /[0-9a-f]{32}/) != nil)
                #expect(task.pathExtension == (suffix.isEmpty ? nil : String(suffix.dropFirst())))
            }
        }
    }

    @Test(arguments: [
        ("../x.bin", "_x.bin"), ("a/b\\c.bin", "a_b_c.bin"), ("..hidden", "hidden"),
        ("tab\there\u{0}.bin", "tab_here_.bin"),
    ])
    func `names are made harmless`(given: String, shown: String) async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url(), fileName: given))
            #expect(task.fileName == shown)
            try await task.reaches(.succeeded)
            #expect(task.filePath == manager.cache.downloadFilePath + "/" + shown && task.hasFile)
            #expect(contents(manager.cache.downloadFilePath) == [shown])
        }
    }

    @Test func `long names keep their extension, empty ones give the default name`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let long = try #require(
                manager.download(fixture.origin.url("/1"), fileName: String(repeating: "ü", count: 200) + ".mp4"))
            #expect(long.fileName.utf8.count <= 255 && long.fileName.hasSuffix("ü.mp4"))
            let empty = try #require(manager.download(fixture.origin.url("/2.bin"), fileName: "..."))
            #expect(empty.fileName.wholeMatch(of: /[0-9a-f]{32}\.bin/) != nil)
            try await manager.reaches(.succeeded)
            #expect(long.hasFile && empty.hasFile)
        }
    }

    @Test(arguments: [FileConflictPolicy.unique, .replace, .fail])
    func `a strange file under the name is treated by the policy`(policy: FileConflictPolicy) async throws {
        try await withFerry { fixture in
            let manager = fixture.manager { $0.fileConflictPolicy = policy }
            let folder = manager.cache.downloadFilePath
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let strange = Data("strange".utf8)
            try strange.write(to: URL(filePath: folder + "/film.mp4"))
            let task = try #require(manager.download(fixture.origin.url(), fileName: "film.mp4"))
            try await task.reaches(policy == .fail ? .failed : .succeeded)
            let old = FileManager.default.contents(atPath: folder + "/film.mp4")
            switch policy {
            case .unique:
                #expect(task.fileName == "film-1.mp4" && task.digest == Self.body.sha256Hex && old == strange)
            case .replace:
                #expect(task.fileName == "film.mp4" && task.digest == Self.body.sha256Hex)
            case .fail:
                #expect(old == strange)
                guard case .fileConflict(folder + "/film.mp4")? = task.ferryError else {
                    Issue.record("\(String(describing: task.error))")
                    return
                }
            }
        }
    }

    @Test func `two tasks with one name have two files`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let tasks = manager.multiDownload(fixture.urls(3), fileNames: ["film.mp4", "film.mp4", "film.mp4"])
            try await manager.reaches(.succeeded)
            #expect(Set(tasks.map(\.fileName)) == ["film.mp4", "film-1.mp4", "film-2.mp4"])
            for task in tasks { #expect(task.digest == Self.body.sha256Hex) }
        }
    }

    @Test func `a strange file under a default name is replaced`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url("/a.bin")
            let path = try #require(manager.cache.filePath(url: url))
            try FileManager.default.createDirectory(
                atPath: manager.cache.downloadFilePath, withIntermediateDirectories: true)
            try Data("strange".utf8).write(to: URL(filePath: path))
            let task = try #require(manager.download(url))
            try await task.reaches(.succeeded)
            #expect(task.filePath == path && task.digest == Self.body.sha256Hex && fixture.origin.requests.count == 1)
        }
    }

    @Test func `clearing removes the tasks and their files and nothing else`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/held*"), .hold("never", at: .body(1000))))) { fixture in
            let manager = fixture.manager()
            let done = try #require(manager.download(fixture.origin.url("/done")))
            try await done.reaches(.succeeded)
            let kept = try #require(manager.download(fixture.origin.url("/kept")))
            try await kept.reaches(.succeeded)
            let held = try #require(manager.download(fixture.origin.url("/held")))
            try await held.receives(1000)
            let other = manager.cache.downloadFilePath + "/mine.txt"
            try Data("mine".utf8).write(to: URL(filePath: other))
            let seen = try await answer { manager.cache.clearDiskCache(handler: $0) }
            #expect(seen === manager.cache)
            #expect(manager.tasks.isEmpty && [done, kept, held].allSatisfy { $0.status == .removed })
            #expect(contents(manager.cache.downloadFilePath) == ["mine.txt"])
            #expect(contents(manager.cache.downloadTmpPath).isEmpty)
        }
    }

    @Test func `clearing a cache without a folder calls its handler`() async throws {
        try await withFerry { fixture in
            let cache = Cache("a", downloadPath: fixture.daemon.file("nowhere"))
            let first = try await answer { cache.clearDiskCache(handler: $0) }
            #expect(first === cache)
            _ = fixture.manager(cache: cache)
            let second = try await answer { cache.clearDiskCache(onMainQueue: false, handler: $0) }
            #expect(second === cache)
        }
    }

    @Test(arguments: ["cancel", "remove", "remove completely"])
    func `partial files go with their task`(call: String) async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .body(100_000)))) { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let task = try #require(manager.download(url))
            try await task.receives(100_000)
            #expect(!contents(manager.cache.downloadTmpPath).isEmpty)
            try await answer { handler in
                switch call {
                case "cancel": manager.cancel(url, handler: handler)
                case "remove": manager.remove(url, handler: handler)
                default: manager.remove(url, completely: true, handler: handler)
                }
            }
            #expect(contents(manager.cache.downloadTmpPath).isEmpty)
            #expect(contents(manager.cache.downloadFilePath).isEmpty)
        }
    }

    @Test func `a removed task's file stays for the next download, unless it was removed completely`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let first = try #require(manager.download(url, fileName: "film.mp4"))
            try await first.reaches(.succeeded)
            let path = first.filePath
            try await answer { manager.remove(url, handler: $0) }
            #expect(FileManager.default.fileExists(atPath: path) && manager.tasks.isEmpty)
            let second = try #require(manager.download(url, fileName: "film.mp4"))
            try await second.reaches(.succeeded)
            #expect(second !== first && second.filePath == path && second.digest == Self.body.sha256Hex)
            #expect(fixture.origin.requests.count == 1)
            try await answer { manager.remove(url, completely: true, handler: $0) }
            #expect(!FileManager.default.fileExists(atPath: path))
            try await #require(manager.download(url, fileName: "film.mp4")).reaches(.succeeded)
            #expect(fixture.origin.requests.count == 2)
        }
    }

    @Test func `a kept file that has changed is a strange one`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager()
            let url = fixture.origin.url()
            let first = try #require(manager.download(url, fileName: "film.mp4"))
            try await first.reaches(.succeeded)
            try await answer { manager.remove(url, handler: $0) }
            let mine = Data("mine".utf8)
            try mine.write(to: URL(filePath: first.filePath))
            let second = try #require(manager.download(url, fileName: "film.mp4"))
            try await second.reaches(.succeeded)
            #expect(second.fileName == "film-1.mp4" && second.digest == Self.body.sha256Hex)
            #expect(FileManager.default.contents(atPath: first.filePath) == mine)
            #expect(fixture.origin.requests.count == 2)
        }
    }

    @Test func `a link under the name is not followed`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager { $0.fileConflictPolicy = .replace }
            let folder = manager.cache.downloadFilePath
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let other = fixture.daemon.file("other")
            try Data("other".utf8).write(to: URL(filePath: other))
            try FileManager.default.createSymbolicLink(atPath: folder + "/film.mp4", withDestinationPath: other)
            let task = try #require(manager.download(fixture.origin.url(), fileName: "film.mp4"))
            try await task.reaches(.succeeded)
            #expect(FileManager.default.contents(atPath: other) == Data("other".utf8))
            #expect(task.digest == Self.body.sha256Hex)
        }
    }
}
