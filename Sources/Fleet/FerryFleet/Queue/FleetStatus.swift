package import FerryCore
package import FerryFoundation

/// The fleet as `ferry fleet status` shows it.
package struct FleetStatus: Hashable, Codable, Sendable {
    package var workers: [Worker]
    package var tenants: [Tenant]
    /// Origins that are full or held.
    package var origins: [BusyOrigin]
    package var oldestWaiting: OldestWaiting?
    package var endsInLastMinute: Int
    /// Number of jobs taken so far from workers that were given up.
    package var rescues: Int

    package struct Worker: Hashable, Codable, Sendable {
        /// `late` has missed heartbeats, `gone` was given up or has left.
        package enum State: String, CaseIterable, Codable, Sendable { case up, draining, late, gone }

        package var name: String
        package var machine: String?
        package var version: String
        package var state: State
        package var slots: Int
        /// Number of slots in use, as the worker has reported.
        package var running: Int
        /// Number of jobs that it has claimed and that have not ended.
        package var held: Int
        package var lastBeat: Date
        /// Why it claims nothing, or `nil`.
        package var condition: String?

        package init(
            name: String, machine: String?, version: String, state: State, slots: Int, running: Int, held: Int,
            lastBeat: Date, condition: String?
        ) {
            self.name = name
            self.machine = machine
            self.version = version
            self.state = state
            self.slots = slots
            self.running = running
            self.held = held
            self.lastBeat = lastBeat
            self.condition = condition
        }

        private enum CodingKeys: String, CodingKey {
            case name, machine, version, state, slots, running, held, condition
            case lastBeat = "last_beat"
        }
    }

    package struct Tenant: Hashable, Codable, Sendable {
        package var name: String
        package var waiting: Int
        package var running: Int
        /// Share of the running jobs, 0 to 1.
        package var share: Double

        package init(name: String, waiting: Int, running: Int, share: Double) {
            self.name = name
            self.waiting = waiting
            self.running = running
            self.share = share
        }
    }

    package struct BusyOrigin: Hashable, Codable, Sendable {
        package var origin: String
        package var running: Int
        package var atOnce: Int?
        package var heldUntil: Date?

        package init(origin: String, running: Int, atOnce: Int?, heldUntil: Date?) {
            self.origin = origin
            self.running = running
            self.atOnce = atOnce
            self.heldUntil = heldUntil
        }

        private enum CodingKeys: String, CodingKey {
            case origin, running
            case atOnce = "at_once"
            case heldUntil = "held_until"
        }
    }

    package struct OldestWaiting: Hashable, Codable, Sendable {
        package var id: JobID
        package var createdAt: Date
        package var reason: WaitReason?

        package init(id: JobID, createdAt: Date, reason: WaitReason?) {
            self.id = id
            self.createdAt = createdAt
            self.reason = reason
        }

        private enum CodingKeys: String, CodingKey {
            case id, reason
            case createdAt = "created_at"
        }
    }

    package init(
        workers: [Worker], tenants: [Tenant], origins: [BusyOrigin], oldestWaiting: OldestWaiting?,
        endsInLastMinute: Int,
        rescues: Int
    ) {
        self.workers = workers
        self.tenants = tenants
        self.origins = origins
        self.oldestWaiting = oldestWaiting
        self.endsInLastMinute = endsInLastMinute
        self.rescues = rescues
    }

    private enum CodingKeys: String, CodingKey {
        case workers, tenants, origins, rescues
        case oldestWaiting = "oldest_waiting"
        case endsInLastMinute = "ends_in_last_minute"
    }
}
