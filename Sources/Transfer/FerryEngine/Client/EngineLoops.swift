import NIOCore
import NIOPosix
import Synchronization

/// The event loops of an engine, grouped by the file system that bodies are written to.
///
/// The loop that reads a body also writes it. A blocking write stalls its whole loop, so a loop serves only one file
/// system. The home loop writes no bodies: it runs the decisions of runs and their service, and reads responses that fit
/// in memory.
final class EngineLoops: Sendable {
    /// Index of the home loop.
    static let home = 0

    private struct Seat {
        let loop: any EventLoop
        let clock: WatchClock
    }

    /// The loops of one file system.
    private struct Share {
        let first: Int
        var next = 0
    }

    private struct State {
        var seats: [Seat] = []
        var groups: [MultiThreadedEventLoopGroup] = []
        var shares: [UInt64?: Share] = [:]
    }

    /// Maximum number of groups. Beyond it, file systems share loops.
    private static let mostGroups = 16

    /// The runs that use the loops.
    let runs = ActiveRuns()
    private let count: Int
    private let state = Mutex(State())

    /// - Parameter count: Number of loops per file system.
    init(count: Int, home: HomeLoop) {
        self.count = count
        state.withLock { $0.seats.append(Seat(loop: home.loop, clock: WatchClock(loop: home.loop))) }
    }

    /// Returns the index of a loop for bodies written to a file system, round-robin. `nil` stands for bodies that are
    /// not written to disk.
    func take(_ device: UInt64?) -> Int {
        state.withLock { state in
            var share: Share
            if let known = state.shares[device] { share = known } else { share = add(to: &state) }
            let number = share.first + share.next
            share.next = (share.next + 1) % count
            state.shares[device] = share
            return number
        }
    }

    private func add(to state: inout State) -> Share {
        // NIO terminates the process if the system refuses a thread. Shared loops are only slower.
        guard state.groups.count < Self.mostGroups, state.groups.isEmpty || BlockingThread.areAvailable(count) else {
            return Share(first: 1 + state.shares.count % state.groups.count * count)
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        let first = state.seats.count
        state.groups.append(group)
        for loop in group.makeIterator() { state.seats.append(Seat(loop: loop, clock: WatchClock(loop: loop))) }
        return Share(first: first)
    }

    subscript(number: Int) -> any EventLoop { state.withLock { $0.seats[number].loop } }

    /// Returns the watches of a loop.
    func clock(_ number: Int) -> WatchClock { state.withLock { $0.seats[number].clock } }

    /// Shuts down all loops except the home loop, once no run uses them.
    func shutdown() async {
        await runs.allEnded()
        let groups = state.withLock(\.groups)
        await withTaskGroup(of: Void.self) { tasks in
            for group in groups { tasks.addTask { _ = try? await group.shutdownGracefully() } }
        }
    }
}
