import Testing

@testable import FerryEngine

@Suite struct `A pool of connections` {
    private typealias ID = ConnectionPool.ConnectionID

    private func connection(_ number: Int) -> ID { ID(number: number) }

    private func request(_ number: Int) -> ConnectionPool.RequestID { ConnectionPool.RequestID(number: number) }

    private func open(_ number: Int) -> ConnectionPool.Action { .open(connection(number)) }

    private func assign(_ number: Int, to other: Int) -> ConnectionPool.Action {
        .assign(request(number), connection(other))
    }

    // MARK: HTTP/1.1

    @Test func `opens a connection for each waiting request, and reuses it`() {
        var pool = ConnectionPool(offersHTTP2: false)
        #expect(pool.add(request(1)) == [open(1)])
        #expect(pool.add(request(2)) == [open(2)])
        #expect(pool.opened(connection(2), .http1, at: 0) == [assign(1, to: 2)])
        #expect(pool.opened(connection(1), .http1, at: 0) == [assign(2, to: 1)])
        #expect(!pool.hasPlace)
        #expect(pool.ended(on: connection(1), isReusable: true, at: 1).isEmpty)
        #expect(pool.hasPlace)
        #expect(pool.add(request(3)) == [assign(3, to: 1)])
    }

    @Test func `gives a freed connection to the request that has waited longest`() {
        var pool = ConnectionPool(offersHTTP2: false)
        _ = pool.add(request(1))
        _ = pool.opened(connection(1), .http1, at: 0)
        #expect(pool.add(request(2)) == [open(2)])
        #expect(pool.add(request(3)) == [open(3)])
        #expect(pool.ended(on: connection(1), isReusable: true, at: 0) == [assign(2, to: 1)])
        #expect(pool.opened(connection(2), .http1, at: 0) == [assign(3, to: 2)])
        // Nobody waits for the last one any more. It is kept for later.
        #expect(pool.opened(connection(3), .http1, at: 0).isEmpty && pool.hasPlace)
    }

    @Test func `prefers the connection that was used last`() {
        var pool = ConnectionPool(offersHTTP2: false)
        for number in 1...3 { _ = pool.add(request(number)) }
        for number in 1...3 { _ = pool.opened(connection(number), .http1, at: 0) }
        for (number, time) in [(2, 1.0), (3, 3.0), (1, 2.0)] {
            _ = pool.ended(on: connection(number), isReusable: true, at: time)
        }
        #expect(pool.add(request(4)) == [assign(4, to: 3)])
        #expect(pool.add(request(5)) == [assign(5, to: 1)])
    }

    @Test func `closes a connection that cannot be reused, and serves others with a new one`() {
        var pool = ConnectionPool(offersHTTP2: false)
        _ = pool.add(request(1))
        _ = pool.opened(connection(1), .http1, at: 0)
        _ = pool.add(request(2))
        #expect(pool.ended(on: connection(1), isReusable: false, at: 0) == [.close(connection(1))])
        #expect(pool.opened(connection(2), .http1, at: 0) == [assign(2, to: 2)])
    }

    @Test func `asks again, first of all, for a request that its connection did not take`() {
        var pool = ConnectionPool(offersHTTP2: false)
        for number in 1...2 { _ = pool.add(request(number)) }
        for number in 1...2 { _ = pool.opened(connection(number), .http1, at: 0) }
        for number in 1...2 { _ = pool.ended(on: connection(number), isReusable: true, at: Double(number)) }
        #expect(pool.add(request(3)) == [assign(3, to: 2)])
        #expect(pool.refused(request(3), by: connection(2)) == [.close(connection(2)), assign(3, to: 1)])
        #expect(pool.refused(request(3), by: connection(1)) == [.close(connection(1)), open(3)])
    }

    @Test func `fails one request for a connection that could not be opened, if no other is on its way for it`() {
        var pool = ConnectionPool(offersHTTP2: false)
        for number in 1...3 { _ = pool.add(request(number)) }
        #expect(pool.remove(request(2)) && !pool.remove(request(2)))
        #expect(pool.failed(connection(1)).isEmpty)
        #expect(pool.failed(connection(2)) == [.fail(request(1), connection(2))])
        #expect(pool.failed(connection(3)) == [.fail(request(3), connection(3))])
        #expect(pool.isEmpty)
    }

    @Test func `uses each connection once where requests want fresh ones`() {
        var pool = ConnectionPool(offersHTTP2: true, isFresh: true)
        #expect(pool.add(request(1)) == [open(1)])
        #expect(pool.add(request(2)) == [open(2)])
        #expect(pool.opened(connection(1), .http2, at: 0) == [assign(1, to: 1)])
        #expect(pool.limited(connection(1), to: 100).isEmpty)
        #expect(pool.ended(on: connection(1), isReusable: true, at: 0) == [.close(connection(1))])
    }

    @Test func `closes connections that are idle for long`() {
        var pool = ConnectionPool(offersHTTP2: false)
        for number in 1...2 { _ = pool.add(request(number)) }
        for number in 1...2 { _ = pool.opened(connection(number), .http1, at: 0) }
        #expect(pool.expiry == nil)
        _ = pool.ended(on: connection(1), isReusable: true, at: 5)
        #expect(pool.expiry == 20)
        #expect(pool.expire(at: 19.9).isEmpty)
        #expect(pool.expire(at: 20) == [.close(connection(1))])
        #expect(pool.expiry == nil && !pool.hasPlace)
    }

    // MARK: HTTP/2

    @Test func `opens one connection that many requests share over HTTP2`() {
        var pool = ConnectionPool(offersHTTP2: true)
        #expect(pool.add(request(1)) == [open(1)])
        for number in 2...40 { #expect(pool.add(request(number)).isEmpty) }
        let first = pool.opened(connection(1), .http2, at: 0)
        let places = ConnectionPool.placesBeforeSettings
        // The rest may need another one.
        #expect(first == (1...places).map { assign($0, to: 1) } + [open(2)])
        #expect(pool.limited(connection(1), to: 100) == ((places + 1)...40).map { assign($0, to: 1) })
    }

    @Test func `opens a connection for each waiting request once the server has chosen HTTP1`() {
        var pool = ConnectionPool(offersHTTP2: true)
        for number in 1...3 { _ = pool.add(request(number)) }
        #expect(pool.opened(connection(1), .http1, at: 0) == [assign(1, to: 1), open(2), open(3)])
        #expect(pool.add(request(4)) == [open(4)])
    }

    @Test func `fails all requests that wait for one connection`() {
        var pool = ConnectionPool(offersHTTP2: true)
        for number in 1...3 { _ = pool.add(request(number)) }
        #expect(pool.failed(connection(1)) == (1...3).map { .fail(request($0), connection(1)) })
    }

    @Test func `waits for a server that allows no request, and opens no further connection to it`() {
        var pool = ConnectionPool(offersHTTP2: true)
        _ = pool.add(request(1))
        _ = pool.opened(connection(1), .http2, at: 0)
        _ = pool.limited(connection(1), to: 0)
        #expect(pool.add(request(2)).isEmpty)
        #expect(pool.limited(connection(1), to: 2) == [assign(2, to: 1)])
    }

    @Test func `leaves a connection that is going away to its requests, and opens another`() {
        var pool = ConnectionPool(offersHTTP2: true)
        _ = pool.add(request(1))
        _ = pool.opened(connection(1), .http2, at: 0)
        #expect(pool.drained(connection(1)).isEmpty)
        #expect(pool.add(request(2)) == [open(2)])
        #expect(pool.ended(on: connection(1), isReusable: true, at: 0) == [.close(connection(1))])
    }

    @Test func `knows nothing of a connection that has closed`() {
        var pool = ConnectionPool(offersHTTP2: true)
        _ = pool.add(request(1))
        _ = pool.opened(connection(1), .http2, at: 0)
        #expect(pool.closed(connection(1)).isEmpty)
        #expect(pool.ended(on: connection(1), isReusable: true, at: 0).isEmpty)
        #expect(pool.limited(connection(1), to: 9).isEmpty)
        #expect(pool.opened(connection(1), .http2, at: 0) == [.close(connection(1))])
        #expect(pool.isEmpty)
    }
}
