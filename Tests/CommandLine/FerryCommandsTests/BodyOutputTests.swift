import CommandKit
import FerryClient
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryCommands

@Suite(.timeLimit(.minutes(1))) struct `Standard output` {
    private let console = RecordingConsole()
    private let text = "0123456789abcdef"

    private func transfer(_ folder: TemporaryFolder, received: Int64, state: TransferState = .running) -> Transfer {
        var transfer = Transfer.sample(id: 1)
        transfer.folder = folder.path
        transfer.state = state
        transfer.bytesReceived = received
        transfer.destination = state == .succeeded ? folder.file("whole") : nil
        return transfer
    }

    private func put(_ text: String, _ name: String, in folder: TemporaryFolder) throws {
        try Data(text.utf8).write(to: URL(filePath: folder.file(name)))
    }

    private static let part = ".ferry-0000000000000001.part"

    @Test func `L2 gets bytes in order while they come, and the rest at the end`() async throws {
        try await withTemporaryFolder { folder in
            let output = BodyOutput(console)
            await output.take(.snapshot(transfer(folder, received: 0)))
            #expect(console.output.isEmpty)
            try put(String(text.prefix(10)), Self.part, in: folder)
            await output.take(.snapshot(transfer(folder, received: 6)))
            #expect(console.output == "012345")
            // The bytes received so far are not written yet.
            await output.take(.snapshot(transfer(folder, received: 12)))
            #expect(console.output == "0123456789")
            try FileManager.default.moveItem(atPath: folder.file(Self.part), toPath: folder.file("whole"))
            let file = try FileHandle(forUpdating: URL(filePath: folder.file("whole")))
            try file.seekToEnd()
            try file.write(contentsOf: Data("abcdef".utf8))
            await output.take(.snapshot(transfer(folder, received: 16, state: .succeeded)))
            #expect(console.output == text)
            #expect(await output.failure == nil)
        }
    }

    /// A regression: a file that could not be read to its end was a success, and was removed.
    @Test func `L2 fails if the file ends too early`() async throws {
        try await withTemporaryFolder { folder in
            let output = BodyOutput(console)
            try put(String(text.prefix(10)), "whole", in: folder)
            await output.take(.snapshot(transfer(folder, received: 16, state: .succeeded)))
            #expect(await output.failure?.code == .destinationUnwritable)
        }
    }

    @Test func `L2 gets no bytes of two versions`() async throws {
        try await withTemporaryFolder { folder in
            let output = BodyOutput(console)
            try put(text, Self.part, in: folder)
            await output.take(.snapshot(transfer(folder, received: 4)))
            var anew = transfer(folder, received: 8)
            anew.startedOver = 1
            await output.take(.snapshot(anew))
            try put(text, "whole", in: folder)
            await output.take(.snapshot(transfer(folder, received: 16, state: .succeeded)))
            #expect(console.output == "0123")
            #expect(await output.failure?.code == .resourceChanged)
        }
    }

    @Test(
        arguments: [("0123456789abcdef", "0123456789abcdef", nil), ("01x3", "0123", .resourceChanged)]
            as [(String, String, ErrorCode?)])
    func `L2 continues with another file that begins with the written bytes`(
        whole: String, output expected: String, code: ErrorCode?
    ) async throws {
        try await withTemporaryFolder { folder in
            let output = BodyOutput(console)
            try put(text, Self.part, in: folder)
            await output.take(.snapshot(transfer(folder, received: 4)))
            try put(whole, "whole", in: folder)
            await output.take(.snapshot(transfer(folder, received: 16, state: .succeeded)))
            #expect(console.output == expected)
            #expect(await output.failure?.code == code)
        }
    }

    @Test func `L2 waits for the whole file where parts come side by side`() async throws {
        try await withTemporaryFolder { folder in
            let output = BodyOutput(console)
            try put("0123\0\0\0\0", Self.part, in: folder)
            var sharing = transfer(folder, received: 6)
            sharing.segments = [.init(start: 0, end: 8, position: 4), .init(start: 8, end: 16, position: 10)]
            await output.take(.snapshot(sharing))
            #expect(console.output.isEmpty)
            try put(text, "whole", in: folder)
            await output.take(.snapshot(transfer(folder, received: 16, state: .succeeded)))
            #expect(console.output == text)
        }
    }

    @Test func `L2 says when the file is gone`() async throws {
        try await withTemporaryFolder { folder in
            let output = BodyOutput(console)
            await output.take(.snapshot(transfer(folder, received: 16, state: .succeeded)))
            #expect(await output.failure?.code == .destinationUnwritable)
        }
    }

    @Test(
        arguments: [
            (["get", "-o", "-", "http://h/a", "http://h/b"], "-o - writes one file"),
            (["get", "-o-", "-i", "list"], "give one URL"),
            (["get", "-o", "-", "--json", "http://h/a"], "--json"),
            (["get", "-o-", "-x4", "http://h/a"], "leave out -x"),
            (["get", "-o-", "-d", "/data", "http://h/a"], "leave out -d"),
            (["add", "-o", "-", "http://h/a"], "-o ./- names a file"),
        ])
    func `L2 is for one file of get`(words: [String], sentence: String) async {
        let console = RecordingConsole(files: ["list": "http://h/a"])
        let context = CommandContext(console: console, environment: ["HOME": "/home/me"], currentFolder: "/") {
            FakeDaemon()
        }
        #expect(await FerryProgram.run(words, in: context) == 64)
        #expect(console.talk.contains(sentence), "\(console.talk)")
    }
}
