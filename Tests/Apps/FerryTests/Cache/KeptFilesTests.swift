@testable import Ferry
import FerryTesting
import Foundation
import Testing

@Suite struct `Kept files` {
    private static let url = "http://example.org/a"

    private func withKept(_ body: (KeptFiles, TemporaryFolder) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try write("a", to: folder.file("a"))
            try body(KeptFiles(folder: folder.file("index"), files: folder.path), folder)
        }
    }

    private func write(_ text: String, to path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    @Test func `are found by their URL, also by other caches of the folder and by later processes`() async throws {
        try await withKept { kept, folder in
            let other = KeptFiles(folder: folder.file("index"), files: folder.path)
            #expect(kept.name(of: Self.url) == nil && other.name(of: Self.url) == nil)
            kept.keep([(name: "a", url: Self.url)])
            #expect(kept.name(of: Self.url) == "a" && kept.name(of: Self.url + "b") == nil)
            #expect(other.name(of: Self.url) == "a")
            try write("b", to: folder.file("b"))
            other.keep([(name: "b", url: Self.url + "b")])
            #expect(kept.name(of: Self.url + "b") == "b" && kept.name(of: Self.url) == "a")
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file("index"))[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
    }

    @Test(arguments: ["size", "date", "gone", "link", "folder"])
    func `are not found if they were touched`(change: String) async throws {
        try await withKept { kept, folder in
            let path = folder.file("a")
            kept.keep([(name: "a", url: Self.url)])
            switch change {
            case "size": try write("ab", to: path)
            case "date":
                try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: path)
            default: try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            }
            if change == "link" {
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".away")
            }
            if change == "folder" {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            #expect(kept.name(of: Self.url) == nil)
            kept.deleteAll()
            #expect(FileManager.default.fileExists(atPath: path) == (change != "gone"))
        }
    }

    @Test func `are deleted, and nothing else is`() async throws {
        try await withKept { kept, folder in
            try write("b", to: folder.file("b"))
            kept.keep([(name: "a", url: Self.url), (name: "missing", url: Self.url)])
            kept.deleteAll()
            #expect(folder.contents == ["b", "index"] && kept.name(of: Self.url) == nil)
            try write("a", to: folder.file("a"))
            #expect(KeptFiles(folder: folder.file("index"), files: folder.path).name(of: Self.url) == nil)
        }
    }

    @Test func `of some URLs are deleted, and the others stay`() async throws {
        try await withKept { kept, folder in
            for name in ["b", "c"] { try write(name, to: folder.file(name)) }
            kept.keep(["a", "b", "c"].map { (name: $0, url: "http://example.org/" + $0) })
            try write("changed", to: folder.file("b"))
            kept.delete([Self.url, Self.url.dropLast() + "b", "http://example.org/unknown"])
            #expect(folder.contents == ["b", "c", "index"] && kept.name(of: Self.url) == nil)
            #expect(kept.name(of: "http://example.org/c") == "c")
        }
    }

    @Test(arguments: ["", "no JSON", #"{"../a":{"url":"http://example.org/a","file":{"size":1,"modified":1}}}"#])
    func `are none if their index is unreadable or names files elsewhere`(index: String) async throws {
        try await withKept { kept, folder in
            let inner = folder.file("inner")
            try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1e-9)], ofItemAtPath: folder.file("a"))
            try write(index, to: inner + "/kept-files.json")
            let kept = KeptFiles(folder: inner, files: inner)
            #expect(kept.name(of: Self.url) == nil)
            kept.deleteAll()
            #expect(folder.contents == ["a", "inner"])
        }
    }
}
