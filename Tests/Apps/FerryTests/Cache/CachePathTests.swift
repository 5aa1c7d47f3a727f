@testable import Ferry
import FerryTesting
import Foundation
import Testing

@Suite struct `Paths of a cache` {
    @Test(arguments: [
        ("/a/b", "/a/b"), ("/a/b/", "/a/b"), ("file:///a/b", "/a/b"), ("file:///a%20b/", "/a b"),
        ("a", FileManager.default.currentDirectoryPath + "/a"),
    ])
    func `are paths or URLs of files`(given: String, path: String) {
        let cache = Cache("a", downloadPath: given)
        #expect(cache.downloadPath == path)
        #expect(cache.downloadTmpPath == path + "/Tmp" && cache.downloadFilePath == path + "/File")
        let own = Cache("a", downloadPath: "/x", downloadTmpPath: given, downloadFilePath: given)
        #expect(own.downloadPath == "/x" && own.downloadTmpPath == path && own.downloadFilePath == path)
    }

    @Test func `are under the folder of the app and of the identifier`() {
        let path = Cache("a/../b").downloadPath
        #expect(path.hasPrefix(DataFolder.path + "/ferry/") && path.hasSuffix("/a_.._b/Downloads"))
        #expect(path.dropFirst(DataFolder.path.count).split(separator: "/").count == 4)
    }

    @Test func `are where the app's own rule puts a cache without a path`() {
        let usual = Cache.defaultDiskCachePathClosure
        Cache.defaultDiskCachePathClosure = { $0 == "ruled" ? "/by/the/app/" : usual($0) }
        defer { Cache.defaultDiskCachePathClosure = usual }
        #expect(Cache("ruled").downloadPath == "/by/the/app")
        #expect(Cache("ruled", downloadPath: "/x").downloadPath == "/x")
    }

    @Test func `are the tasks' own where a session knows them`() {
        let cache = Cache("a", downloadPath: "/x")
        let url = "http://example.org/a.mp4"
        #expect(cache.fileURL(url: url)?.lastPathComponent == FileNaming.defaultName(for: url))
        cache.link { $0 == url ? "film.mp4" : nil }
        #expect(cache.filePath(url: url) == "/x/File/film.mp4")
        #expect(cache.filePath(url: url + "?") == "/x/File/" + FileNaming.defaultName(for: url + "?"))
        #expect(cache.filePath(url: "ftp://example.org/a") == nil && !cache.fileExists(url: "nonsense"))
    }

    @Test func `lead to files alone`() async throws {
        try await withTemporaryFolder { folder in
            let cache = Cache("a", downloadPath: folder.path, downloadFilePath: folder.path)
            try Data("a".utf8).write(to: URL(filePath: folder.file("a")))
            try FileManager.default.createSymbolicLink(atPath: folder.file("b"), withDestinationPath: folder.file("a"))
            try FileManager.default.createDirectory(atPath: folder.file("c"), withIntermediateDirectories: false)
            #expect(["a", "b", "c", "d"].map { cache.fileExists(fileName: $0) } == [true, false, false, false])
        }
    }
}
