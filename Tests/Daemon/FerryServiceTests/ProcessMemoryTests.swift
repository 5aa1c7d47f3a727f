import FerryService
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The memory of the process` {
    /// Returns the size of the program's mapped code, in KiB.
    private func mappedCode() throws -> Int {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let text = try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)
        var sum = 0
        var isCode = false
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count > 4, words[0].contains("-") {
                isCode = words[1] == "r-xp" && line.hasSuffix(program)
            } else if isCode, words.first == "Rss:" {
                sum += words.dropFirst().first.flatMap { Int($0) } ?? 0
            }
        }
        return sum
    }

    @Test func `holds less of the program's code once that is given back, and the program continues`() async throws {
        let before = try mappedCode()
        #expect(before > 0)
        ProcessMemory.giveBack()
        try await eventually("less of the code") { try mappedCode() < before }
        #expect(try mappedCode() > 0)
    }
}
