import FerryCore
import Testing

struct `A window of writes` {
    @Test func `advances by the written bytes`() {
        var window = WriteWindow(from: 10, limit: 100)
        let claimed1 = window.claim(30)
        #expect(claimed1 == 30)
        #expect(window.position == 10)
        window.settle(isWritten: true)
        #expect(window.position == 40)
        #expect(window.room == 60)
    }

    @Test func `stays where a write failed`() {
        var window = WriteWindow(from: 10, limit: 100)
        let claimed2 = window.claim(30)
        #expect(claimed2 == 30)
        window.settle(isWritten: false)
        #expect(window.position == 10)
        let isLowered = window.lower(to: 20)
        #expect(isLowered)
    }

    @Test func `drops what lies beyond its limit`() {
        var window = WriteWindow(from: 10, limit: 100)
        let claimed3 = window.claim(120)
        #expect(claimed3 == 90)
        window.settle(isWritten: true)
        #expect(window.excess == 30)
        let claimed4 = window.claim(5)
        #expect(claimed4 == 0)
        #expect(window.excess == 35)
        #expect(window.position == 100)
    }

    @Test(arguments: [(39, false), (40, true), (70, true), (200, true)] as [(Int64, Bool)])
    func `does not end before the bytes that are being written`(limit: Int64, isLowered: Bool) {
        var window = WriteWindow(from: 10, limit: 100)
        let claimed5 = window.claim(30)
        #expect(claimed5 == 30)
        let result = window.lower(to: limit)
        #expect(result == isLowered)
        #expect(window.limit == (isLowered ? min(limit, 100) : 100))
        window.settle(isWritten: true)
        #expect(window.position == 40)
    }

    @Test func `closes behind the bytes that are being written and takes no more`() {
        var window = WriteWindow(from: 10, limit: 100)
        let claimed6 = window.claim(30)
        #expect(claimed6 == 30)
        let end = window.close()
        #expect(end == 40)
        #expect(window.position == 10)
        window.settle(isWritten: true)
        #expect(window.position == 40)
        let claimed7 = window.claim(30)
        #expect(claimed7 == 0)
        #expect(window.excess == 0)
    }
}
