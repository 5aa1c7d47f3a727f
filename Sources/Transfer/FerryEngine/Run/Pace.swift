import FerryCore

/// Detects a connection that stays below the request's minimum speed for too long.
struct Pace {
    private let minimum: Int64
    private let window: Double
    private var since: (position: Int64, at: UInt64)?

    init(request: TransferRequest) {
        minimum = request.timing.minSpeed
        window = request.timing.minSpeedTime
    }

    /// Checks the position periodically. Returns an error if the connection should be replaced.
    mutating func judge(position: Int64, now: UInt64) -> ServiceError? {
        guard minimum > 0 else { return nil }
        guard let start = since else {
            since = (position, now)
            return nil
        }
        let seconds = Double(now - start.at) / 1e9
        if Double(position - start.position) >= Double(minimum) * seconds {
            since = (position, now)
            return nil
        }
        guard seconds >= window else { return nil }
        since = nil
        return ServiceError(.tooSlow, "Less than \(minimum) bytes per second arrived for \(Int(window)) s.")
    }
}
