import FerryFoundation
import Testing

@Suite struct `System calls that signals interrupt` {
    @Test func `are repeated until they are not interrupted`() {
        var results: [Int] = [-1, -1, 5]
        let result = uninterrupted {
            errno = EINTR
            return results.removeFirst()
        }
        #expect(result == 5 && results.isEmpty)
    }

    @Test(arguments: [ENOSPC, EIO]) func `keep any other error`(code: Int32) {
        var calls = 0
        let result = uninterrupted {
            calls += 1
            errno = code
            return -1
        }
        let found = errno
        #expect(result == -1 && calls == 1 && found == code)
    }
}
