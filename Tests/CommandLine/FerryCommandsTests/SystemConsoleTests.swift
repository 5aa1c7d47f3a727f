import ArgumentParser
import Foundation
import Glibc
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `The console of a process` {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        .path

    /// Runs `body` with a path in a temporary folder.
    private func withPath(_ body: (String) async throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder + "/list")
    }

    @Test func `reads a pipe, and leaves out the mark of the order of bytes`() async throws {
        try await withPath { path in
            #expect(unsafe mkfifo(path, 0o600) == 0)
            let writer = Thread {
                guard let pipe = FileHandle(forWritingAtPath: path) else { return }
                try? pipe.write(contentsOf: Data([0xEF, 0xBB, 0xBF] + Array("http://a/1\r\n".utf8)))
                try? pipe.close()
            }
            writer.start()
            let text = try SystemConsole().read(path)
            #expect(text == "http://a/1\r\n")
            #expect(URLList(text).urls == ["http://a/1"])
        }
    }

    @Test func `says why a file cannot be read`() async throws {
        try await withPath { path in
            #expect(throws: (any Error).self) { try SystemConsole().read(path) }
            do {
                _ = try SystemConsole().read(path)
            } catch {
                #expect("\(error)".contains("cannot be read: No such file or directory."))
            }
        }
    }

    @Test func `knows which files others may read`() async throws {
        try await withPath { path in
            try Data().write(to: URL(fileURLWithPath: path))
            #expect(unsafe chmod(path, 0o640) == 0)
            #expect(SystemConsole().othersMayRead(path))
            #expect(unsafe chmod(path, 0o600) == 0)
            #expect(!SystemConsole().othersMayRead(path) && !SystemConsole().othersMayRead(path + "-none"))
        }
    }

    /// A regression: an endless file took all memory.
    @Test func `a file without end is refused with a sentence`() {
        let error = #expect(throws: ValidationError.self) { try SystemConsole().read("/dev/zero") }
        #expect(error?.message == "The file “/dev/zero” has more than 64 MiB.")
    }
}
