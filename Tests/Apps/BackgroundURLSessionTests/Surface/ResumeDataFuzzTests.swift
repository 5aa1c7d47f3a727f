import FerryTesting
@testable import FerryURLSession
import Foundation
import Testing

/// Apps can store resume data anywhere. Altered data must be read or rejected, never crash the app.
@Suite(.timeLimit(.minutes(Mutations.minutes(1)))) struct `Mutated resume data` {
    @Test func `are refused or read`() async throws {
        let sample = [UInt8](try #require(ResumeData.sample().encoded()))
        var mutations = Mutations(seed: 31)
        try await mutations.rounds(1500) { mutations, _ in
            guard let data = ResumeData(Data(mutations.mutate(sample))) else { return }
            #expect(data.received >= 0 && data.expectedLength >= -1)
            #expect(!data.fileName.contains("/"))
            _ = data.encoded()
        }
    }

    @Test(arguments: [100, 100_000])
    func `that are nested deep are refused`(depth: Int) {
        for (open, close) in [("<array>", "</array>"), ("<dict><key>a</key>", "</dict>")] {
            let nested = String(repeating: open, count: depth) + String(repeating: close, count: depth)
            let text = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key>\(nested)</dict></plist>"
            #expect(ResumeData(Data(text.utf8)) == nil)
        }
    }
}
