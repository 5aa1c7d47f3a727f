import ArgumentParser
import FerryCore

/// Options for priority, speed, connections and retries.
struct PaceOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Which transfers go first: low, normal (default), high or a number from -10 to 10.", valueName: "priority"),
        transform: Priority.typed)
    var priority: Priority = .normal

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Bytes per second at most; k, M and G are powers of 1024, as 500k or 8M.", valueName: "rate"),
        transform: ByteAmount.rate)
    var limitRate: Int64?

    @Option(
        name: [.customShort("x", allowingJoined: true), .customLong("connections")], parsing: .unconditional,
        help: ArgumentHelp(
            "Connections for one file, 1 to 64, all at once (default: as many as bring something, up to 8).",
            valueName: "number"),
        transform: NumberArgument.whole(.connections))
    var connections: Int?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Another URL of the same file; can be given again.", valueName: "url"))
    var mirror: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Failures in a row without progress that are tried again (get: 5, and 2 of refused connections, unknown names and TLS; add: the daemon's own limits).",
            valueName: "number"),
        transform: NumberArgument.whole(.retries))
    var retries: Int?

    @Option(
        name: [.customShort("m", allowingJoined: true), .customLong("max-time")], parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds that a file may take at most, without those in which it is paused.", valueName: "seconds"),
        transform: NumberArgument.seconds(.resourceTimeout))
    var maxTime: Double?

    @Option(
        name: [.customShort("Y", allowingJoined: true), .customLong("speed-limit")], parsing: .unconditional,
        help: ArgumentHelp(
            "Bytes per second below which a connection is replaced, as 10k.", valueName: "rate"),
        transform: ByteAmount.parse)
    var speedLimit: Int64?

    @Option(
        name: [.customShort("y", allowingJoined: true), .customLong("speed-time")], parsing: .unconditional,
        help: ArgumentHelp("Seconds for which it may be below --speed-limit (default: 30).", valueName: "seconds"),
        transform: NumberArgument.seconds(.minSpeedTime, "from \(SettingRange<Double>.minSpeedTime.words)"))
    var speedTime: Double?

    func validate() throws {
        guard speedTime == nil || speedLimit != nil else {
            throw ValidationError("--speed-time is the time of --speed-limit; give both.")
        }
    }

    func apply(to request: inout TransferRequest) {
        request.priority = priority
        request.rateLimit = limitRate ?? 0
        request.connections = connections
        request.mirrors = mirror
        request.retries = retries
        request.resourceTimeout = maxTime
        request.minSpeed = speedLimit ?? 0
        if let speedTime { request.minSpeedTime = speedTime }
    }
}
