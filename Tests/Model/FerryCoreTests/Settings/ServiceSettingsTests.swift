import FerryCore
import Foundation
import Testing

@Suite struct `The daemon's settings` {
    @Test(arguments: [(0, false, 0), (0, true, 4096), (2048, true, 2048), (8192, true, 4096), (8192, false, 8192)])
    func `let the slower of both speeds count while they are slow`(rate: Int64, isSlow: Bool, counts: Int64) {
        var settings = ServiceSettings()
        settings.rateLimit = rate
        settings.slowRateLimit = 4096
        settings.isSlow = isSlow
        #expect(settings.currentRateLimit == counts)
    }

    @Test func `refuse a slow speed that is none`() {
        var settings = ServiceSettings()
        settings.slowRateLimit = 0
        #expect(throws: ServiceError.self) { try settings.validate() }
    }

    // MARK: Small files at a time

    @Test(arguments: [
        ("{}", 100), (#"{"connections_per_host":8}"#, 8), (#"{"connections_per_host":32}"#, 32),
        (#"{"active_transfers":16}"#, 16), (#"{"active_transfers":500}"#, 100), (#"{"rate_limit":4096}"#, 100),
        (#"{"connections_per_host":32,"active_transfers":4}"#, 4),
        (#"{"connections_per_host":4,"small_files_per_host":50}"#, 50),
    ])
    func `are no more than a chosen number of connections or transfers`(change: String, most: Int) throws {
        let change = try JSONDecoder().decode(ServiceSettingsChange.self, from: Data(change.utf8))
        #expect(ServiceSettings().applying(change).smallFilesPerHost == most)
    }

    @Test func `stay what they were chosen to be when they are stored and read`() throws {
        for most in [1, 8, 16, 100, 1000] {
            var settings = ServiceSettings()
            settings.smallFilesPerHost = most
            let stored = try JSONEncoder().encode(settings)
            #expect(try JSONDecoder().decode(ServiceSettings.self, from: stored) == settings)
        }
    }

    @Test(arguments: [(8, 16, 100), (4, 16, 4), (8, 5, 5), (64, 1000, 64)])
    func `follow the other numbers in settings that a version without them has stored`(
        connections: Int, transfers: Int, most: Int
    ) throws {
        let stored =
            #"{"connections_per_host":\#(connections),"active_transfers":\#(transfers),"connections_total":128}"#
        let settings = try JSONDecoder().decode(ServiceSettings.self, from: Data(stored.utf8))
        #expect(settings.smallFilesPerHost == most)
        #expect(settings.connectionsPerHost == connections && settings.activeTransfers == transfers)
    }
}
