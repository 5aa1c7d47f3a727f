import Testing

/// A run's state belongs to its actor, so a caller on the actor must be back on it after each call.
///
/// With Swift 6.3.1, a `nonisolated(nonsending)` function that throws leaves its caller on another executor
/// (swiftlang/swift#88259). `NonisolatedNonsendingByDefault` makes every asynchronous function one, so this package
/// does not enable that feature. These functions are compiled with the package's settings. They show when a compiler is
/// ready for it.
@Suite struct `Code of an actor` {
    @Test func `is on its actor again after calls that fail`() async {
        await #expect(processExitsWith: .success) { await Caller().failAndGoOn() }
    }

    private struct Failure: Error {}

    private actor Other {
        func fail() throws { throw Failure() }
    }

    private struct Callee {
        func viaTask() async throws { try await Task<Void, any Error> { throw Failure() }.value }
        func viaActor(_ other: Other) async throws { try await other.fail() }
        func typed(_ other: Other) async throws(Failure) {
            do { try await other.fail() } catch { throw Failure() }
        }
        func viaContinuation() async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Task.detached { continuation.resume(throwing: Failure()) }
            }
        }
        var property: Int {
            get async throws {
                try await viaTask()
                return 0
            }
        }
    }

    /// Functions that run on their caller's actor.
    private struct Guest {
        func viaCallee(isolation: isolated (any Actor)? = #isolation, _ callee: Callee) async throws {
            try await callee.viaTask()
        }
        func typed(
            isolation: isolated (any Actor)? = #isolation, _ callee: Callee, _ other: Other
        ) async throws(Failure) {
            do throws(Failure) { try await callee.typed(other) } catch {
                isolation?.preconditionIsolated("in the guest")
                throw error
            }
        }
    }

    private actor Caller {
        func failAndGoOn() async {
            let (callee, other) = (Callee(), Other())
            do { try await callee.viaTask() } catch { preconditionIsolated("after a task") }
            do { try await callee.viaActor(other) } catch { preconditionIsolated("after another actor") }
            do { try await callee.typed(other) } catch { preconditionIsolated("after a typed error") }
            do { try await callee.viaContinuation() } catch { preconditionIsolated("after a continuation") }
            do { _ = try await callee.property } catch { preconditionIsolated("after a property") }
            let guest = Guest()
            do { try await guest.viaCallee(callee) } catch { preconditionIsolated("after a guest") }
            do { try await guest.typed(callee, other) } catch { preconditionIsolated("after a guest's typed error") }
        }
    }
}
