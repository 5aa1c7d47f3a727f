import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Ends on another queue than progress` {
    private static let held = OriginScript(FerryFixture.body, always: .hold("go", at: .body(100_000)))

    /// A table row that is updated with progress after the completion would stay incomplete.
    @Test func `come after the progress that is still being delivered`() async throws {
        try await withFerry(Self.held) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            let told = Notes<String>()
            let goesOn = DispatchSemaphore(value: 0)
            defer { goesOn.signal() }
            task.progress(onMainQueue: false) { _ in
                told.add("progress begins")
                // The limit only turns a hang into a failure. Later calls do not wait.
                _ = goesOn.wait(timeout: .now() + 40)
                goesOn.signal()
                told.add("progress ends")
            }
            task.success(onMainQueue: true) { _ in told.add("success") }
            try await told.wait(for: "progress begins")
            fixture.origin.release("go")
            try await task.reaches(.succeeded)
            // Closures that wait for nothing would run on the main queue before this.
            for _ in 0..<3 { await MainActor.run {} }
            #expect(!told.all.contains("success"))
            goesOn.signal()
            try await told.wait(for: "success")
            #expect(told.all.last == "success")
        }
    }
}
