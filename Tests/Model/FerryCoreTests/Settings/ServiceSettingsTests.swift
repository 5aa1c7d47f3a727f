import FerryCore
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
}
