import ArgumentParser
import FerryCore

/// Options for priority, speed, connections and retries.
struct PaceOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Which transfers go first: low, normal, high or a number from -10 to 10 (default: 0; get: 1).",
            valueName: "priority"),
        completion: .priorities,
        transform: Priority.typed)
    var priority: Priority?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum bytes per second; k, M and G are powers of 1024, as in 500k or 8M.", valueName: "rate"),
        transform: ByteAmount.rate)
    var limitRate: Int64?

    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("connections")], parsing: .unconditional,
        help: ArgumentHelp(
            "Connections per file, 1 to 64 (default: as many as help, up to 8).",
            valueName: "number"),
        transform: NumberArgument.whole(.connections))
    var connections: Int?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Another URL of the same file; can be given several times.", valueName: "url"))
    var mirror: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum number of retries without progress (get: 5, and 2 for refused connections, unknown names and TLS; add: the daemon's limits).",
            valueName: "number"),
        transform: NumberArgument.whole(.retries))
    var retries: Int?

    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-time")], parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum seconds per file, without paused time.", valueName: "seconds"),
        transform: NumberArgument.seconds(.resourceTimeout))
    var maxTime: Double?

    @Option(
        name: [.customShort("Y", allowingJoined: true), .customLong("speed-limit")], parsing: .unconditional,
        help: ArgumentHelp(
            "Bytes per second below which a connection is replaced, such as 10k.", valueName: "rate"),
        transform: ByteAmount.parse)
    var speedLimit: Int64?

    @Option(
        name: [.customShort("y", allowingJoined: true), .customLong("speed-time")], parsing: .unconditional,
        help: ArgumentHelp("Seconds below --speed-limit before that (default: 30).", valueName: "seconds"),
        transform: NumberArgument.seconds(.minSpeedTime, "from \(SettingRange<Double>.minSpeedTime.words)"))
    var speedTime: Double?

    func validate() throws {
        guard speedTime == nil || speedLimit != nil else {
            throw ValidationError("--speed-time needs --speed-limit.")
        }
    }

    func apply(to request: inout TransferRequest) {
        request.timing.priority = priority ?? .normal
        request.transport.rateLimit = limitRate ?? 0
        request.transport.connections = connections
        request.mirrors = mirror
        request.timing.retries = retries
        request.timing.resourceTimeout = maxTime
        request.timing.minSpeed = speedLimit ?? 0
        if let speedTime { request.timing.minSpeedTime = speedTime }
    }
}
