import FerryCore

/// Where the workers of a file may ask: first where the first answer came from, then the other URLs.
struct WorkerPlaces {
    private(set) var all: [WorkerPlace]

    init(_ all: [WorkerPlace]) { self.all = all }

    subscript(index: Int) -> WorkerPlace { all[index] }

    var count: Int { all.count }

    /// Which places a new worker may ask, the most hopeful first.
    ///
    /// - Parameters:
    ///   - workers: how many workers ask each place.
    ///   - asksHome: whether the first place serves parts.
    func order(_ workers: [Int: Int], asksHome: Bool, now: Double) -> [Int] {
        let usable = all.indices.filter { index in
            let place = all[index]
            if index == 0 { return asksHome }
            return !place.isDropped && !place.rank.rests(now: now) && (place.isProven || workers[index] == nil)
        }
        return SourceRank.order(usable.map { (all[$0].rank, workers[$0, default: 0]) }).map { usable[$0] }
    }

    // MARK: How each gets on

    /// - Parameter speeds: what the connections to a place bring.
    mutating func measured(_ index: Int, _ speeds: [Double]) {
        if !speeds.isEmpty { all[index].rank.measured(speeds.reduce(0, +) / Double(speeds.count)) }
    }

    mutating func failed(_ index: Int, now: Double) { all[index].rank.failed(now: now) }

    mutating func rest(_ index: Int, for seconds: Double, now: Double) { all[index].rank.rest(for: seconds, now: now) }

    /// A part has come from a place.
    mutating func proved(_ index: Int) { all[index].isProven = true }

    /// Asks a mirror no more.
    ///
    /// - Returns: the number of its URL; nil if the mirror was dropped before.
    mutating func drop(_ index: Int) -> Int? {
        guard !all[index].isDropped else { return nil }
        all[index].isDropped = true
        return all[index].number
    }

    // MARK: A place that has expired

    /// Begins to ask for where a URL leads; false if another worker does that.
    mutating func beginRenewal(of index: Int) -> Bool {
        guard all[index].waiters == nil else { return false }
        all[index].waiters = []
        return true
    }

    /// Lets a worker wait until the URL has been asked; at once if nothing asks it.
    mutating func wait(for index: Int, _ waiter: CheckedContinuation<Void, Never>) {
        guard all[index].waiters != nil else { return waiter.resume() }
        all[index].waiters?.append(waiter)
    }

    mutating func renewed(_ index: Int, _ course: RequestCourse) {
        all[index].course = course
        all[index].courseNumber += 1
    }

    /// The URL was asked, or that failed: the workers that wait for it go on.
    mutating func endRenewal(of index: Int) {
        let waiters = all[index].waiters.take() ?? []
        for waiter in waiters { waiter.resume() }
    }
}

/// One of the places that a file comes from: the request's URL, or a mirror.
struct WorkerPlace {
    /// 0 is the request's URL, then come its mirrors.
    let number: Int
    /// Where requests begin, and with what.
    fileprivate(set) var course: RequestCourse
    /// Counts up whenever the URL was asked for where it leads.
    fileprivate(set) var courseNumber = 0
    /// The workers that wait until the URL has been asked again; nil while no worker asks it.
    fileprivate var waiters: [CheckedContinuation<Void, Never>]?
    /// Whether a part has come from here; until then one worker finds out.
    fileprivate var isProven: Bool
    fileprivate var isDropped = false
    /// How it gets on, by which it is chosen (docs/behaviour/transfers.md#S12).
    fileprivate(set) var rank: SourceRank

    init(number: Int, course: RequestCourse, rank: SourceRank?, isProven: Bool) {
        self.number = number
        self.course = course
        self.rank = rank ?? SourceRank()
        self.isProven = isProven
    }
}
