import FerryCore
import FerryRules

/// The places of a file's workers: first the one that sent the first response, then the other URLs.
struct WorkerPlaces {
    private(set) var all: [WorkerPlace]

    init(_ all: [WorkerPlace]) { self.all = all }

    subscript(index: Int) -> WorkerPlace { all[index] }

    var count: Int { all.count }

    /// Returns the places for a new worker, best first.
    ///
    /// - Parameters:
    ///   - workers: Number of workers at each place.
    ///   - asksHome: Whether the first place serves parts.
    func order(_ workers: [Int: Int], asksHome: Bool, now: Double) -> [Int] {
        let usable = all.indices.filter { index in
            let place = all[index]
            if index == 0 { return asksHome }
            return !place.isDropped && !place.rank.rests(now: now) && (place.isProven || workers[index] == nil)
        }
        return SourceRank.order(usable.map { (all[$0].rank, workers[$0, default: 0]) }).map { usable[$0] }
    }

    // MARK: Ranking

    /// - Parameter speeds: Speeds of the connections to a place.
    mutating func measured(_ index: Int, _ speeds: [Double]) {
        if !speeds.isEmpty { all[index].rank.measured(speeds.reduce(0, +) / Double(speeds.count)) }
    }

    mutating func failed(_ index: Int, now: Double) { all[index].rank.failed(now: now) }

    mutating func rest(_ index: Int, for seconds: Double, now: Double) { all[index].rank.rest(for: seconds, now: now) }

    /// Records that a place has sent a part.
    mutating func proved(_ index: Int) { all[index].isProven = true }

    /// Drops a mirror.
    ///
    /// - Returns: The number of its URL, or `nil` if it was already dropped.
    mutating func drop(_ index: Int) -> Int? {
        guard !all[index].isDropped else { return nil }
        all[index].isDropped = true
        return all[index].number
    }

    // MARK: Expired URLs

    /// Begins to renew the redirect target of a URL. Returns false if another worker is doing that.
    mutating func beginRenewal(of index: Int) -> Bool {
        guard all[index].waiters == nil else { return false }
        all[index].waiters = []
        return true
    }

    /// Suspends a worker until the renewal has finished. Resumes it at once if there is none.
    mutating func wait(for index: Int, _ waiter: CheckedContinuation<Void, Never>) {
        guard all[index].waiters != nil else { return waiter.resume() }
        all[index].waiters?.append(waiter)
    }

    mutating func renewed(_ index: Int, _ course: RequestCourse) {
        all[index].course = course
        all[index].courseNumber += 1
    }

    /// Ends a renewal, successful or not, and resumes the waiting workers.
    mutating func endRenewal(of index: Int) {
        let waiters = all[index].waiters.take() ?? []
        for waiter in waiters { waiter.resume() }
    }
}

/// One source of a file: the request's URL, or a mirror.
struct WorkerPlace {
    /// 0 for the request's URL. Its mirrors follow.
    let number: Int
    /// The start of requests.
    fileprivate(set) var course: RequestCourse
    /// Incremented with each renewal of the redirect target.
    fileprivate(set) var courseNumber = 0
    /// Workers waiting for a renewal. `nil` while there is none.
    fileprivate var waiters: [CheckedContinuation<Void, Never>]?
    /// Whether the place has sent a part. Until then only one worker uses it.
    fileprivate var isProven: Bool
    fileprivate var isDropped = false
    /// Its rank for the choice of places (docs/behaviour/transfers.md#S12).
    fileprivate(set) var rank: SourceRank

    init(number: Int, course: RequestCourse, rank: SourceRank?, isProven: Bool) {
        self.number = number
        self.course = course
        self.rank = rank ?? SourceRank()
        self.isProven = isProven
    }
}
