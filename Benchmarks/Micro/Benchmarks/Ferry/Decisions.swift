import Benchmark
import FerryCore

/// The decision table, with heads as servers send them.
func decisionBenchmarks() {
    let origin = Origin(scheme: "https", host: "example.com", port: 443)
    func head(_ status: Int, _ fields: [(String, String)]) -> ResponseHead {
        let common = [
            ("Server", "nginx"), ("Date", "Tue, 14 Nov 2023 22:13:20 GMT"),
            ("Content-Type", "application/octet-stream"),
            ("Last-Modified", "Tue, 14 Nov 2023 20:00:00 GMT"), ("ETag", "\"6553d2a0-40000000\""),
        ]
        return ResponseHead(
            status: status, fields: (common + fields).map { HeaderField(name: $0.0, value: $0.1) },
            url: "https://example.com/file.iso", origin: origin)
    }
    let whole = head(200, [("Content-Length", "1073741824"), ("Accept-Ranges", "bytes")])
    let part = head(206, [("Content-Length", "536870912"), ("Content-Range", "bytes 536870912-1073741823/1073741824")])

    Benchmark("decision-200-first-request") { benchmark in
        let situation = ResumeSituation(asked: .whole, response: .success(whole))
        for _ in benchmark.scaledIterations { blackHole(ResumeTable.decide(situation)) }
    }
    Benchmark("decision-206-segment") { benchmark in
        var situation = ResumeSituation(
            asked: .range(from: 536_870_912, to: 1_073_741_823, ifRange: .etag("\"6553d2a0-40000000\"")),
            response: .success(part))
        situation.identity = ResourceIdentity(whole)
        situation.ranges = ByteRangeSet(0..<536_870_912)
        situation.isExtraWorker = true
        for _ in benchmark.scaledIterations { blackHole(ResumeTable.decide(situation)) }
    }
}
