import FerryTesting
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(3)))
struct `A cache whose processes are killed` {
    @Test func `19 has whole responses alone, and room for them, however often they die among 10,000`() async throws {
        try await withApp(OriginScript(SeededBody(seed: 1, size: 1))) { app in
            let folder = app.daemon.file("responses")
            for round in 0..<4 {
                let start = app.story.count
                let writers = try (0..<2).map { _ in try app.launch("store=\(folder) 10000", "exit") }
                let target = Int.random(in: 1..<40)
                try await eventually(within: .seconds(60), "\(target) hundreds are stored in round \(round)") {
                    app.story.count - start > target
                }
                for writer in writers { await app.kill(writer) }
                _ = try await app.launch("look=\(folder) 10000", "exit").result()
            }
            let looks = app.lines("found")
            #expect(looks.count == 4 && looks.allSatisfy { $0 == "found true wrong 0 fits true" }, "\(looks)")
            let sizes = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                $0 != "ferry-responses.log"
            }.map {
                name in
                try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int ?? 0
            }
            #expect(sizes.count > 100 && sizes.reduce(0, +) <= 4 << 20)
        }
    }
}
