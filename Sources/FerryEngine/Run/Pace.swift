import FerryCore

/// Notices that a connection has been below the request's minimum speed for its time.
struct Pace {
    private let minimum: Int64
    private let window: Double
    private var since: (position: Int64, at: UInt64)?

    init(request: TransferRequest) {
        minimum = request.minSpeed
        window = request.minSpeedTime
    }

    /// Looks at the position now and then; an error says that the connection is to be replaced.
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
        return ServiceError(.tooSlow, "Less than \(minimum) bytes a second arrived for \(Int(window)) s.")
    }
}
