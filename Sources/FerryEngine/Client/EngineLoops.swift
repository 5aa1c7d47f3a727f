import NIOCore
import NIOPosix
import Synchronization

/// The event loops of an engine, some for each file system that bodies are written to.
///
/// A body is written on the loop that reads it, without a hop. A write that blocks holds up everything on its loop, so only
/// what is written to the same file system is there.
final class EngineLoops: Sendable {
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

    /// Beyond this number of file systems some have their loops in common.
    private static let mostGroups = 16

    private let count: Int
    private let state = Mutex(State())

    /// - Parameter count: loops of each file system.
    init(count: Int) { self.count = count }

    /// The number of a loop for bodies that are written to a file system, each in its turn; nil is for bodies that no
    /// disk holds up.
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
        // NIO ends the process where the system refuses a thread. Loops in common are only slower.
        guard state.groups.count < Self.mostGroups, state.groups.isEmpty || BlockingThread.areAvailable(count) else {
            return Share(first: state.shares.count % state.groups.count * count)
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        let first = state.seats.count
        state.groups.append(group)
        for loop in group.makeIterator() { state.seats.append(Seat(loop: loop, clock: WatchClock(loop: loop))) }
        return Share(first: first)
    }

    subscript(number: Int) -> any EventLoop { state.withLock { $0.seats[number].loop } }

    /// The watches of a loop.
    func clock(_ number: Int) -> WatchClock { state.withLock { $0.seats[number].clock } }

    /// Ends all loops.
    func shutdown() async {
        let groups = state.withLock(\.groups)
        await withTaskGroup(of: Void.self) { tasks in
            for group in groups { tasks.addTask { _ = try? await group.shutdownGracefully() } }
        }
    }
}
