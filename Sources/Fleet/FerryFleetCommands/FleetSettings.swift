import FerryCommands
package import FerryCore
import FerryFoundation
import Yams

/// The settings of `fleet.yaml`.
package struct FleetSettings: Hashable, Sendable {
    /// Libpq's connection string, or `service=NAME`.
    package var database: String?
    /// The worker's name. `nil` for the host's.
    package var worker: String?
    /// Maximum number of transfers at once.
    package var slots = 64
    /// Maximum number of jobs claimed beyond the slots.
    package var ahead = 1000
    /// Seconds after its last heartbeat until a worker is given up.
    package var lease = 30.0
    /// Seconds between two claims of an idle worker that is not notified of jobs.
    package var poll = 5.0
    /// Free bytes of the spool's disk below which nothing is claimed.
    package var spoolRoom: Int64 = 1 << 30
    /// Labels for which jobs may ask.
    package var labels: [String] = []
    /// Whether to listen for notifications. A worker behind a pooler never does.
    package var listen = true

    /// The addresses from which jobs may be fetched.
    package var addressScope = AddressScope.site
    /// Findings of `doctor` that need no attention.
    var accept: [DoctorFinding.Name] = []

    package init() {}

    /// Parses a file.
    ///
    /// - Parameter name: The file's name, for errors.
    /// - Throws: ``ServiceError`` with code `invalid_request` that names the line.
    package init(_ text: String, name: String) throws(ServiceError) {
        let node: Node?
        do { node = try Yams.compose(yaml: text) } catch {
            throw ServiceError(
                .invalidRequest, "\(name) is not valid YAML: \("\(error)".split(separator: "\n").first ?? "").")
        }
        guard let node, node != Node("") else { return }
        guard let mapping = node.mapping else {
            throw ServiceError(.invalidRequest, "\(name) is not a list of keys with values.")
        }
        for (key, value) in mapping {
            let reader = ValueReader(key: key.string ?? "", value: value, line: key.mark?.line ?? 0, file: name)
            switch key.string {
            case "database": database = try reader.text()
            case "worker": worker = try reader.text()
            case "slots": slots = try reader.whole(1...1000)
            case "ahead": ahead = try reader.whole(0...10_000)
            case "lease": lease = try reader.number(Self.leases)
            case "poll": poll = try reader.number(0.1...600)
            case "spool_room": spoolRoom = try reader.bytes()
            case "labels": labels = try reader.words()
            case "listen": listen = try reader.flag()
            case "address_scope": addressScope = try reader.scope()
            case "accept": accept = try reader.findings()
            default:
                throw ServiceError(
                    .invalidRequest,
                    "\(name), line \(reader.line): there is no setting “\(reader.key.escapingControls)”. Settings: \(Self.keys)."
                )
            }
        }
    }

    private static let keys =
        "database, worker, slots, ahead, lease, poll, spool_room, labels, listen, address_scope, accept"

    /// Allowed lengths of a lease in seconds. Tests use shorter ones.
    private static var leases: ClosedRange<Double> {
        ProcessInfo.processInfo.environment["FERRY_FLEET_SHORT_LEASES"] == nil ? 10...600 : 0.5...600
    }
}

/// Reads the value of one key.
private struct ValueReader {
    let key: String
    let value: Node
    let line: Int
    let file: String

    func text() throws(ServiceError) -> String {
        guard let text = value.string, !text.isEmpty else { throw wrong("a text") }
        return text
    }

    func whole(_ range: ClosedRange<Int>) throws(ServiceError) -> Int {
        guard let number = value.int, range.contains(number) else {
            throw wrong("\(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(_ range: ClosedRange<Double>) throws(ServiceError) -> Double {
        guard let number = value.float ?? value.int.map(Double.init), range.contains(number) else {
            throw wrong("\(range.lowerBound) to \(range.upperBound) seconds")
        }
        return number
    }

    func bytes() throws(ServiceError) -> Int64 {
        guard let bytes = value.string.flatMap({ try? ByteAmount.parse($0) }) else {
            throw wrong("a number of bytes, such as 500M or 10G")
        }
        return bytes
    }

    func words() throws(ServiceError) -> [String] {
        let words = value.sequence?.compactMap(\.string) ?? value.string.map { [$0] } ?? []
        guard words.count == value.sequence?.count ?? 1, words.allSatisfy({ !$0.isEmpty && !$0.hasControls }) else {
            throw wrong("a list of words")
        }
        return words
    }

    func findings() throws(ServiceError) -> [DoctorFinding.Name] {
        let words = try words()
        let names = words.compactMap(DoctorFinding.Name.init)
        guard names.count == words.count else {
            throw wrong("a list of \(DoctorFinding.Name.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return names
    }

    func scope() throws(ServiceError) -> AddressScope {
        guard let scope = value.string.flatMap(AddressScope.init) else {
            throw wrong(AddressScope.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return scope
    }

    func flag() throws(ServiceError) -> Bool {
        guard let flag = value.bool else { throw wrong("true or false") }
        return flag
    }

    private func wrong(_ expected: String) -> ServiceError {
        ServiceError(.invalidRequest, "\(file), line \(line): \(key) is \(expected).")
    }
}
