@testable import Ferry
import FerryTesting
import Foundation
import Glibc
import Testing

@Suite struct `Codes of files` {
    private typealias Failure = FileChecksumHelper.FileVerificationError

    private static let empty: [(FileChecksumHelper.VerificationType, String)] = [
        (.md5, "d41d8cd98f00b204e9800998ecf8427e"), (.sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (
            .sha512,
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
    ]

    @Test(arguments: empty)
    func `of nothing are those of the algorithms`(type: FileChecksumHelper.VerificationType, code: String) async throws
    {
        try await withTemporaryFolder { folder in
            try Data().write(to: URL(filePath: folder.file("a")))
            #expect(try FileCode.hex(of: folder.file("a"), type) == code)
        }
    }

    @Test(arguments: [1, 1 << 20, (1 << 20) + 1, 3_000_000])
    func `are those of all blocks`(size: Int) async throws {
        let body = SeededBody(seed: 5, size: Int64(size))
        try await withTemporaryFolder { folder in
            try Data(body.bytes).write(to: URL(filePath: folder.file("a")))
            #expect(try FileCode.hex(of: folder.file("a"), .md5) == body.md5Hex)
            #expect(try FileCode.hex(of: folder.file("a"), .sha512) == body.sha512Hex)
        }
    }

    /// docs/behaviour/session-manager.md#V3: a sparse file, which takes no disk space.
    @Test func `are right beyond 4 GiB`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.file("a")
            try Data().write(to: URL(filePath: path))
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.truncate(atOffset: (4 << 30) + 3)
            try file.seek(toOffset: 4 << 30)
            try file.write(contentsOf: Data("end".utf8))
            try file.close()
            #expect(try FileCode.hex(of: path, .sha1) == "4e1b7c19caa60a8d636152096a2d808468ef7158")
        }
    }

    @Test func `are none of a path that is no file, and a pipe is not waited for`() async throws {
        try await withTemporaryFolder { folder in
            let pipe = folder.file("pipe")
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            #expect(throws: Failure.readDataFailed(path: pipe)) { try FileCode.hex(of: pipe, .md5) }
            #expect(throws: Failure.readDataFailed(path: folder.path)) { try FileCode.hex(of: folder.path, .md5) }
            #expect(throws: Failure.fileDoesnotExist(path: folder.file("b"))) {
                try FileCode.hex(of: folder.file("b"), .md5)
            }
            #expect(throws: Failure.fileDoesnotExist(path: pipe + "/b")) { try FileCode.hex(of: pipe + "/b", .md5) }
        }
    }

    @Test(arguments: ["", " \n"])
    func `are not compared with nothing`(code: String) async throws {
        let told: Failure? = await withCheckedContinuation { continuation in
            FileChecksumHelper.validateFile("/nowhere", code: code, type: .md5) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: error)
                } else {
                    continuation.resume(returning: nil)
                }
            }
        }
        #expect(told == .codeEmpty)
        let sentence = try #require(told).localizedDescription
        #expect(sentence.hasSuffix("."))
    }
}
