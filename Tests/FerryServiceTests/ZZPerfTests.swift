import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.serialized) struct `ZZPerf` {
    private func rss() -> String {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("VmRSS") || $0.hasPrefix("VmHWM") }.joined(separator: " ")
    }

    @Test(arguments: ServiceKind.allCases) func submit(_ kind: ServiceKind) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(SeededBody(seed: 1, size: 2000), always: .hold("x", at: .head))) { origin in
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    FileHandle.standardError.write(Data(("\(["PERF \(kind) before", rss()] as [Any])\n").utf8))
                    for round in 0..<3 {
                        let requests = (0..<10_000).map { bed.request("/\(round)/\($0)") }
                        let clock = ContinuousClock()
                        let time = try await clock.measure { _ = try await bed.service.submit(requests) }
                        FileHandle.standardError.write(Data(("\(["PERF \(kind) 10,000 submitted in", time, rss()] as [Any])\n").utf8))
                    }
                    let clock = ContinuousClock()
                    let time = try await clock.measure { _ = try await bed.service.transfers(TransferQuery()) }
                    FileHandle.standardError.write(Data(("\(["PERF \(kind) page of 100", time] as [Any])\n").utf8))
                    let p = try await clock.measure { _ = try await bed.service.act(.cancel, on: TransferSelection()) }
                    FileHandle.standardError.write(Data(("\(["PERF \(kind) cancel all 30,000", p, rss()] as [Any])\n").utf8))
                }
            }
        }
    }
    @Test(arguments: [false, true]) func follow(_ ends: Bool) async throws {
        try await withTemporaryFolder { outside in
            try await withOrigin(OriginScript(SeededBody(seed: 1, size: 2000))) { origin in
                try await withService(.inProcess, origin, outside, keepsState: true) { bed in
                    let clock = ContinuousClock()
                    let time = try await clock.measure {
                        let ids = try await bed.add((0..<2000).map { number in bed.request("/\(number)") { $0.paused = true } }).map(\.id)
                        var s = EventSubscription()
                        s.ids = Set(ids)
                        s.endsWithTransfers = ends
                        let stream = try await bed.service.events(s)
                        async let act = bed.service.act(.resume, on: TransferSelection())
                        var n = 0
                        for try await e in stream where e.kind == .succeeded {
                            n += 1
                            if n == 2000 && !ends { break }
                        }
                        _ = try await act
                    }
                    FileHandle.standardError.write(Data(("\(["PERF 2,000 small transfers followed, endsWithTransfers \(ends):", time] as [Any])\n").utf8))
                }
            }
        }
    }
}
