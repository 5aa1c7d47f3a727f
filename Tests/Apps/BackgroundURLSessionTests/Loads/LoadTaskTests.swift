import FerryTesting
import Foundation
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `A data task` {
    private let body = SeededBody(seed: 84, size: 20_000)

    @Test(arguments: [false, true])
    func `41 redirects are asked about, but not in background sessions`(isBackground: Bool) async throws {
        let script = OriginScript(body, .on(.path("/file.bin"), .redirect(to: "/other.bin")))
        try await withLoads(script, isBackground ? .background(withIdentifier: "loads") : .ephemeral) { bed in
            let task = bed.started()
            let story = try await bed.witness.end(of: task)
            #expect(story.error == nil && story.data.elementsEqual(body.bytes))
            #expect(story.calls == (isBackground ? ["response"] : ["redirect", "response"]))
            #expect(task.currentRequest?.url?.path == "/other.bin" && task.originalRequest?.url == bed.url)
        }
    }

    @Test func `§7 a limited task gets its data in small pieces`() async throws {
        try await withLoads(OriginScript(body)) { bed in
            let story = try await bed.witness.end(of: bed.started(preparing: { $0.bytesPerSecondLimit = 64 << 10 }))
            #expect(story.error == nil && story.data.elementsEqual(body.bytes))
            #expect(story.pieces.allSatisfy { $0 <= 1024 })
        }
    }

    @Test func `§7 a limit can be taken from a running task`() async throws {
        let large = SeededBody(seed: 85, size: 4_000_000)
        try await withLoads(OriginScript(large)) { bed in
            let task = bed.started(preparing: { $0.bytesPerSecondLimit = 64 << 10 })
            try await eventually("data come") { !bed.witness[task].data.isEmpty }
            task.bytesPerSecondLimit = nil
            let story = try await bed.witness.end(of: task)
            #expect(story.error == nil && story.data.elementsEqual(large.bytes))
        }
    }
}
