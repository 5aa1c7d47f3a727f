import FerryCore
import FerryRules
import Testing

struct `A window of writes` {
    @Test func `advances by the written bytes`() {
        var window = WriteWindow(from: 10, limit: 100)
        let claimed = window.claim(30)
        #expect(claimed == 30)
        #expect(window.position == 10)
        window.settle(isWritten: true)
        #expect(window.position == 40)
        #expect(window.room == 60)
    }

    @Test func `stays where a write failed`() {
        var window = WriteWindow(from: 10, limit: 100)
        let claimed = window.claim(30)
        #expect(claimed == 30)
        window.settle(isWritten: false)
        #expect(window.position == 10)
        let isLowered = window.lower(to: 20)
        #expect(isLowered)
    }

    @Test func `drops what lies beyond its limit`() {
        var window = WriteWindow(from: 10, limit: 100)
        let cutAtLimit = window.claim(120)
        #expect(cutAtLimit == 90)
        window.settle(isWritten: true)
        #expect(window.excess == 30)
        let whileFull = window.claim(5)
        #expect(whileFull == 0)
        #expect(window.excess == 35)
        #expect(window.position == 100)
    }

    @Test(arguments: [(39, false), (40, true), (70, true), (200, true)] as [(Int64, Bool)])
    func `does not end before the bytes that are being written`(limit: Int64, isLowered: Bool) {
        var window = WriteWindow(from: 10, limit: 100)
        let claimed = window.claim(30)
        #expect(claimed == 30)
        let result = window.lower(to: limit)
        #expect(result == isLowered)
        #expect(window.limit == (isLowered ? min(limit, 100) : 100))
        window.settle(isWritten: true)
        #expect(window.position == 40)
    }

    @Test func `closes behind the bytes that are being written and takes no more`() {
        var window = WriteWindow(from: 10, limit: 100)
        let whileOpen = window.claim(30)
        #expect(whileOpen == 30)
        let end = window.close()
        #expect(end == 40)
        #expect(window.position == 10)
        window.settle(isWritten: true)
        #expect(window.position == 40)
        let afterClose = window.claim(30)
        #expect(afterClose == 0)
        #expect(window.excess == 0)
    }
}
