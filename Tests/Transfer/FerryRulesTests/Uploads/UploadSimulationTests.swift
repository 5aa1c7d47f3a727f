import FerryCore
import FerryRules
import Foundation
import Testing

/// Random histories of uploads: the server fails, forgets and lies, and the file changes.
@Suite(.timeLimit(.minutes(5))) struct `Simulated uploads` {
    private static let rounds = ProcessInfo.processInfo.environment["FERRY_FUZZ_ROUNDS"].flatMap(Int.init) ?? 10_000

    @Test func `no server ever holds bytes of two versions of a file`() throws {
        var ends: [String: Int] = [:]
        for seed in 0..<Self.rounds {
            var world = try UploadWorld(seed: UInt64(seed))
            ends[world.run(), default: 0] += 1
            try #require(world.fault == nil, "seed \(seed): \(world.fault ?? "")\n\(world.log.joined(separator: "\n"))")
        }
        // The histories reach every outcome, so none of them is too hostile to attempt anything.
        for end in ["accepted", "changed", "upload_conflict"] {
            #expect(ends[end, default: 0] > 0, "\(ends)")
        }
    }

    /// The simulation detects a client that checks the file before reading a piece instead of after it.
    @Test func `a client that looks at the file too early is found`() throws {
        let found = try (0..<2000).contains { seed in
            var world = try UploadWorld(seed: UInt64(seed), looksEarly: true)
            _ = world.run()
            return world.fault != nil
        }
        #expect(found)
    }

    /// The simulation detects a client that does not compare the file after an interruption.
    @Test func `a client that takes the file for the same after a cut is found`() throws {
        let found = try (0..<2000).contains { seed in
            var world = try UploadWorld(seed: UInt64(seed), forgetsVersion: true)
            _ = world.run()
            return world.fault != nil
        }
        #expect(found)
    }
}

private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// One upload, its server and its file, with every possible fault between them.
private struct UploadWorld {
    /// The server's state of an upload. Records for each byte the version of the file and its position in the file.
    private struct Kept {
        var bytes: [(version: Int, position: Int64)] = []
        var isComplete = false
    }

    private(set) var fault: String?
    private(set) var log: [String] = []
    private var random: Numbers
    private let length: Int64
    private let url: HTTPURL
    private let looksEarly: Bool
    private let forgetsVersion: Bool
    private let knowsProtocol: Bool
    private let lies: Bool
    private let limit: Int64?
    private var version = 0
    /// Version of the file when the attempt opened it.
    private var opened = 0
    private var uploads: [String: Kept] = [:]
    private var journal: UploadFacts?

    init(seed: UInt64, looksEarly: Bool = false, forgetsVersion: Bool = false) throws {
        random = Numbers(state: seed)
        length = Int64.random(in: 0...40, using: &random)
        url = try HTTPURL(parsing: "https://a.example/in")
        self.looksEarly = looksEarly
        self.forgetsVersion = forgetsVersion
        knowsProtocol = random.chance(85)
        lies = random.chance(15)
        limit = random.chance(25) ? Int64.random(in: 1...12, using: &random) : nil
    }

    /// Makes attempts until the upload ends. Returns the outcome.
    mutating func run() -> String {
        for _ in 0..<30 {
            if let end = attempt() { return end }
        }
        return "given up"
    }

    private mutating func attempt() -> String? {
        if random.chance(3) { version += 1 }
        // Each attempt reopens the file and compares it with the original.
        guard version == 0 || forgetsVersion else { return "changed" }
        opened = version
        var machine = UploadMachine(journal, url: url.string, method: "PUT", length: length, policy: .init())
        while true {
            let before = machine.facts.reach
            machine.begins()
            journal = machine.facts
            let request = machine.request
            log.append("\(request), reach \(machine.facts.reach)")
            let exchange = carry(request, &machine)
            machine.ended(at: (request.part?.lowerBound ?? 0) + exchange.sent, before: before)
            if fault != nil { return "fault" }
            switch exchange.result {
            case .changed: return "changed"
            case .killed:
                // Only the journal remains.
                log.append("killed")
                return nil
            case .cut:
                journal = machine.facts
                log.append("cut after \(exchange.sent)")
                return nil
            case .head(let head):
                log.append("\(head.status) \(head.fields.map { "\($0.name): \($0.value)" })")
                let step = machine.answered(head, from: url)
                journal = machine.facts
                switch step {
                case .send: continue
                case .accept:
                    if knowsProtocol, !lies, head.status < 300, let kept = uploads.values.first(where: \.isComplete),
                        Int64(kept.bytes.count) != length
                    {
                        fault = "accepted \(kept.bytes.count) bytes of \(length)"
                    }
                    return "accepted"
                case .fail(let error):
                    if error.errorClass == .patient { return nil }
                    return error.code.rawValue
                }
            }
        }
    }

    private enum Result {
        case head(ResponseHead)
        case cut
        case killed
        case changed
    }

    private mutating func carry(
        _ request: UploadRequest, _ machine: inout UploadMachine
    ) -> (result: Result, sent: Int64) {
        if random.chance(5) { return (.cut, 0) }
        var name = machine.facts.resource.map { String($0.dropFirst("https://a.example".count)) }
        if case .create = request {
            guard knowsProtocol else {
                let sent = send(request.part ?? 0..<0, to: nil)
                return (sent.end ?? .head(head(200)), sent.count)
            }
            if let limit, (request.part?.count ?? 0) > limit {
                return (.head(head(413, ("Upload-Limit", "max-append-size=\(limit)"))), 0)
            }
            let new = "/uploads/\(uploads.count)"
            uploads[new] = Kept()
            if random.chance(90) {
                if machine.informed(head(104, ("Location", new)), from: url, sent: 0) { journal = machine.facts }
            }
            name = new
        }
        // Some servers lose uploads, or the fact that one is complete.
        if let kept = name, random.chance(3) { uploads[kept] = nil }
        if let kept = name, random.chance(5), uploads[kept]?.isComplete == false {
            let count = uploads[kept]?.bytes.count ?? 0
            uploads[kept]?.bytes.removeLast(Int.random(in: 0...count, using: &random))
        }
        guard let name, let kept = uploads[name] else { return (.head(head(404)), 0) }
        if random.chance(5) { return (.head(head([500, 503].randomElement(using: &random) ?? 500)), 0) }
        switch request {
        case .offset: return (.head(stated(kept, 204)), 0)
        case .cancel: return (.head(head(204)), 0)
        case .append(let start, _):
            if start != Int64(kept.bytes.count) || kept.isComplete { return (.head(stated(kept, 409)), 0) }
        case .create: break
        }
        let part = request.part ?? 0..<0
        let sent = send(part, to: name)
        check(uploads[name]?.bytes ?? [])
        if let end = sent.end { return (end, sent.count) }
        guard part.upperBound == length else {
            return (.head(stated(uploads[name] ?? kept, 201, ("Location", name))), sent.count)
        }
        uploads[name]?.isComplete = true
        if random.chance(5) { return (.cut, sent.count) }
        return (.head(head(200, ("Upload-Complete", "?1"))), sent.count)
    }

    /// Sends a part in pieces. The file may change before, during and after.
    private mutating func send(_ part: Range<Int64>, to name: String?) -> (end: Result?, count: Int64) {
        var position = part.lowerBound
        while position < part.upperBound {
            let end = min(part.upperBound, position + Int64.random(in: 1...6, using: &random))
            if looksEarly, version != opened { return (.changed, position - part.lowerBound) }
            if random.chance(3) { version += 1 }
            let piece = (position..<end).map { (version: version, position: $0) }
            if random.chance(3) { version += 1 }
            // The piece counts only if the file is unchanged after reading it.
            if !looksEarly, version != opened { return (.changed, position - part.lowerBound) }
            position = end
            let arrives = random.chance(5) ? Int.random(in: 0...piece.count, using: &random) : piece.count
            if let name { uploads[name]?.bytes += piece.prefix(arrives) }
            if arrives < piece.count || random.chance(3) {
                return (random.chance(50) ? .killed : .cut, position - part.lowerBound)
            }
        }
        return (nil, position - part.lowerBound)
    }

    private mutating func stated(_ kept: Kept, _ status: Int, _ others: (String, String)...) -> ResponseHead {
        var offset = Int64(kept.bytes.count)
        if lies, random.chance(30) { offset += Int64.random(in: -3...30, using: &random) }
        let fields = [("Upload-Offset", "\(offset)"), ("Upload-Complete", kept.isComplete ? "?1" : "?0")] + others
        return head(status, fields)
    }

    private mutating func check(_ bytes: [(version: Int, position: Int64)]) {
        if Set(bytes.map(\.version)).count > 1 { fault = "the server has bytes of two versions" }
        if !lies, bytes.enumerated().contains(where: { $0.element.position != Int64($0.offset) }) {
            fault = "the server has bytes at wrong positions"
        }
    }

    private func head(_ status: Int, _ fields: (String, String)...) -> ResponseHead { head(status, fields) }

    private func head(_ status: Int, _ fields: [(String, String)]) -> ResponseHead {
        ResponseHead(
            status: status, fields: fields.map { HeaderField(name: $0.0, value: $0.1) }, url: url.string,
            origin: url.origin)
    }
}
