import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A list of URLs` {
    private func list(
        _ bed: ServiceBed, _ urls: [String], _ change: (inout TransferRequest) -> Void = { _ in }
    ) -> TransferBatch {
        var template = TransferRequest(url: "", folder: bed.folder)
        change(&template)
        return TransferBatch(template: template, urls: URLLines(urls))
    }

    @Test(arguments: ServiceKind.allCases)
    func `is fetched URL by URL, with what its request says`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let urls = (1...40).map { bed.origin.url("/\($0).bin") }
            let report = try await bed.service.submit(
                list(bed, urls) {
                    $0.tags = ["all"]
                    $0.headers = [HeaderField(name: "X-Kind", value: "listed")]
                })
            #expect(report.runs.map(\.count) == [40])
            var tagged = TransferQuery()
            tagged.tag = "all"
            let transfers = try await bed.service.transfers(tagged).transfers
            #expect(transfers.map(\.id) == report.ids)
            #expect(transfers.map(\.url) == urls)
            for id in report.ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.files == (1...40).map { "\($0).bin" }.sorted())
            #expect(bed.origin.requests.allSatisfy { $0.value("X-Kind") == "listed" })
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `more than are kept in memory come one after the other, the oldest first`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let paths = (1...700).map { "/\($0)" }
            let report = try await bed.service.submit(list(bed, paths.map { bed.origin.url($0) }))
            #expect(report.ids.count == 700)
            try await bed.wait(for: try #require(report.ids.last), .succeeded)
            for id in report.ids { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked == paths)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `waiting transfers of the journal continue after a restart, suspended ones do not`(_ kind: ServiceKind)
        async throws
    {
        let paths = (1...600).map { "/\($0)" }
        let script = OriginScript(SeededBody(seed: 3, size: 100), .on(.request(1), .hold("never", at: .body(50))))
        try await withTemporaryFolder { outside in
            try await withOrigin(script) { origin in
                var ids: [TransferID] = []
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    // The first one never finishes, so the others wait.
                    try await bed.changeSettings { $0.activeTransfers = 1 }
                    ids = try await bed.service.submit(list(bed, paths.map { origin.url($0) })).ids
                    try await bed.wait(for: ids[0], received: 50)
                    try await bed.act(.pause, ids[500])
                }
                try await withService(kind, origin, outside, keepsState: true) { bed in
                    for (index, id) in ids.enumerated() {
                        try await bed.wait(for: id, index == 500 ? .suspended : .succeeded)
                    }
                    #expect(!bed.asked.contains("/501"))
                    try await bed.act(.resume, ids[500])
                    try await bed.wait(for: ids[500], .succeeded)
                }
            }
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `one that is paused, or changed, while it waits in the journal is that`(_ kind: ServiceKind) async throws {
        let script = OriginScript(SeededBody(seed: 3, size: 100), .on(.request(1), .hold("gate", at: .body(50))))
        try await withService(kind, script) { bed in
            try await bed.changeSettings { $0.activeTransfers = 1 }
            let report = try await bed.service.submit(list(bed, (1...700).map { bed.origin.url("/\($0)") }))
            let ids = report.ids
            try await bed.wait(for: ids[0], received: 50)
            try await bed.act(.pause, ids[600])
            var change = TransferChange()
            change.priority = .high
            _ = try await bed.service.change(ids[650], change)
            try await bed.act(.cancel, ids[601])
            bed.origin.release("gate")
            for id in ids[..<600] + ids[602...] { try await bed.wait(for: id, .succeeded) }
            #expect(bed.asked[1] == "/651")
            #expect(try await bed.service.transfer(ids[600]).state == .suspended)
            #expect(try await bed.service.transfer(ids[601]).state == .canceled)
            #expect(bed.asked.count == 698)
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a URL that is refused holds back no other`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            let urls = [
                "ftp://a.example/", "http://a.example/1", "http://a.example/x y", "http://a.example/z z",
                "http://user:secret@b.example/2", "http://b.example/3",
            ]
            let report = try await bed.service.submit(list(bed, urls) { $0.timing.paused = true })
            #expect(report.runs.map(\.count) == [1, 1, 1, 1, 2])
            #expect(report.runs.map(\.error?.code) == [.unsupportedScheme, nil, .invalidURL, .invalidURL, nil])
            let transfers = try await bed.service.transfers(TransferQuery()).transfers
            #expect(transfers.map(\.id) == report.ids)
            #expect(transfers.map(\.url) == ["http://a.example/1", "http://b.example/2", "http://b.example/3"])
            #expect(transfers.allSatisfy { $0.state == .suspended })
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a folder that is refused refuses all`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            #expect(FileManager.default.createFile(atPath: bed.outside.file("file"), contents: nil))
            let urls = ["http://a.example/1", "none", "http://a.example/2"]
            let report = try await bed.service.submit(
                list(bed, urls) { $0.file.folder = bed.outside.file("file/below") })
            #expect(report.runs.map(\.error?.code) == [.destinationUnwritable, .invalidURL, .destinationUnwritable])
            let transfers = try await bed.service.transfers(TransferQuery()).transfers
            #expect(transfers == [])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `a request that a list cannot have refuses the call`(_ kind: ServiceKind) async throws {
        try await withService(kind) { bed in
            for change: (inout TransferRequest) -> Void in [
                { $0.file.name = "all.bin" }, { $0.mirrors = ["http://b.example/"] }, { $0.file.spooled = true },
                { $0.file.folder = "below" },
            ] {
                let error = await #expect(throws: ServiceError.self) {
                    try await bed.service.submit(list(bed, ["http://a.example/"], change))
                }
                #expect(error?.code == .invalidRequest)
            }
            let empty = try await bed.service.submit(list(bed, []))
            #expect(empty.runs == [])
        }
    }
}
