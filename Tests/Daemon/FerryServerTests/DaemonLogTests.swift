import Foundation
import Logging
import Testing

@testable import FerryServer

@Suite final class `The daemon's log` {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `has a line for each entry, whatever its text has in it`() {
        let line = DaemonLogHandler.line(
            .notice, "failed\nagain", ["b": "x\u{1B}[2J", "a": "1"], at: Date(timeIntervalSince1970: 0))
        #expect(line == "1970-01-01T00:00:00Z notice: failed\\u{a}again a=1 b=x\\u{1b}[2J\n")
    }

    @Test func `begins a new file once it has grown, and keeps the one before`() throws {
        let path = folder + "/ferryd.log"
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let output = LogOutput(descriptor: file, path: path, largest: 100)
        for number in 0..<25 {
            output.append("line \(number)\n")
            output.flush()
        }
        let (old, new) = (
            try String(contentsOfFile: path + ".1", encoding: .utf8), try String(contentsOfFile: path, encoding: .utf8)
        )
        #expect(old.utf8.count <= 108 && new.utf8.count < 100)
        #expect(new.hasSuffix("line 24\n"))
        #expect(old.hasSuffix("\n") && !old.isEmpty)
    }

    @Test func `loses no output line of many tasks`() async throws {
        let path = folder + "/ferryd.log"
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let output = LogOutput(descriptor: file, path: path, largest: 6000)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        output.append("\(task) \(number) end\n")
                        if number % 10 == 0 { output.flush() }
                    }
                }
            }
        }
        output.flush()
        let text =
            try String(contentsOfFile: path + ".1", encoding: .utf8) + String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(Set(lines).count == 800 && lines.count == 800)
        #expect(lines.allSatisfy { $0.hasSuffix(" end") })
    }

    @Test func `continues with a new file where an earlier attempt left none`() throws {
        let path = folder + "/ferryd.log"
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let output = LogOutput(descriptor: file, path: path, largest: 10)
        try FileManager.default.removeItem(atPath: path)
        for number in 0..<3 {
            output.append("line \(number)\n")
            output.flush()
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "line 2\n")
    }

    @Test func `is not rotated where it is no file of the daemon's`() throws {
        let file = unsafe open(folder + "/other", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let output = LogOutput(descriptor: file, path: folder + "/ferryd.log", largest: 10)
        for number in 0..<25 {
            output.append("line \(number)\n")
            output.flush()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["other"])
    }
}
