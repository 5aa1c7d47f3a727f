import FerryCore
import FerryRules
import Testing

@Suite struct `The book of names` {
    private static func book(_ change: (inout NameCache.Limits) -> Void = { _ in }) -> NameCache {
        var limits = NameCache.Limits()
        limits.threads = 4
        limits.reserved = 2
        change(&limits)
        return NameCache(limits: limits)
    }

    /// Makes the last lookup of these names fail without a response, with a failure that is no longer cached at time
    /// 100.
    private static func forget(_ names: [String], in book: inout NameCache) {
        for name in names {
            #expect(book.ask(name, at: 0) == .pending)
            #expect(book.next() == name)
            book.ended(name, .failure(.noAnswer), at: 0)
        }
    }

    @Test func `a name is looked up once, however many ask`() {
        var book = Self.book()
        #expect(book.ask("a", at: 0) == .pending)
        #expect(book.ask("a", at: 0) == .pending)
        #expect(book.next() == "a")
        #expect(book.next() == nil)
        #expect(book.ask("a", at: 1) == .pending)
        #expect(book.next() == nil)
        book.ended("a", .success(["192.0.2.1"]), at: 2)
        #expect(book.ask("a", at: 2) == .known(.success(["192.0.2.1"])))
    }

    @Test(arguments: [
        (NameCache.Finding.success(["192.0.2.1"]), 30.0), (.failure(.notFound), 5), (.failure(.noAnswer), 5),
    ])
    func `a found address is kept for its time`(_ finding: NameCache.Finding, kept: Double) {
        var book = Self.book()
        _ = book.ask("a", at: 0)
        _ = book.next()
        book.ended("a", finding, at: 10)
        #expect(book.ask("a", at: 10 + kept - 0.1) == .known(finding))
        #expect(book.ask("a", at: 10 + kept) == .pending)
        #expect(book.next() == "a")
    }

    @Test func `no more look-ups run than there are threads, and the first who asked is the next`() {
        var book = Self.book()
        for name in ["a", "b", "c", "d", "e", "f"] { _ = book.ask(name, at: 0) }
        #expect((0..<4).map { _ in book.next() } == ["a", "b", "c", "d"])
        #expect(book.next() == nil)
        book.ended("c", .success([]), at: 1)
        #expect(book.next() == "e")
        #expect(book.next() == nil)
    }

    @Test func `names without an answer leave threads to the others, and come after them`() {
        var book = Self.book()
        Self.forget(["a", "b", "c"], in: &book)
        for name in ["a", "b", "c", "new"] { _ = book.ask(name, at: 100) }
        #expect((0..<4).map { _ in book.next() } == ["new", "a", nil, nil])
        _ = book.ask("newer", at: 100)
        #expect(book.next() == "newer")
        book.ended("new", .success([]), at: 100)
        book.ended("newer", .success([]), at: 100)
        #expect(book.next() == "b")
        // Two are being resolved. The other two threads are reserved for names that may resolve.
        for name in ["newest", "latest", "last"] { _ = book.ask(name, at: 100) }
        #expect((0..<4).map { _ in book.next() } == ["newest", "latest", nil, nil])
    }

    @Test func `a request waits less for a name without an answer`() {
        var book = Self.book()
        #expect(book.patience(for: "a") == 10)
        _ = book.ask("a", at: 0)
        book.gaveUp(on: "a")
        #expect(book.patience(for: "a") == 10, "it is not the name's fault that there is no thread")
        _ = book.next()
        book.gaveUp(on: "a")
        #expect(book.patience(for: "a") == 2)
        book.ended("a", .success(["192.0.2.1"]), at: 20)
        #expect(book.patience(for: "a") == 10)
    }

    @Test func `another network makes good what failed`() {
        var book = Self.book()
        Self.forget(["a"], in: &book)
        _ = book.ask("b", at: 0)
        _ = book.next()
        book.ended("b", .success(["192.0.2.1"]), at: 0)
        book.forgetFailures()
        #expect(book.ask("a", at: 0) == .pending)
        #expect(book.patience(for: "a") == 10)
        #expect(book.ask("b", at: 0) == .known(.success(["192.0.2.1"])))
    }

    @Test(arguments: [
        (["2001:db8::1", "2001:db8::2", "192.0.2.1"], ["2001:db8::1", "192.0.2.1", "2001:db8::2"]),
        (["192.0.2.1", "192.0.2.2", "2001:db8::1"], ["192.0.2.1", "2001:db8::1", "192.0.2.2"]),
        (["192.0.2.1", "192.0.2.2"], ["192.0.2.1", "192.0.2.2"]), ([], []),
    ])
    func `addresses of both families alternate`(_ found: [String], _ tried: [String]) {
        var book = Self.book()
        _ = book.ask("a", at: 0)
        _ = book.next()
        book.ended("a", .success(found), at: 0)
        #expect(book.ask("a", at: 0) == .known(.success(tried)))
    }

    @Test func `the address that was connected to comes first, as long as the name has it`() {
        var book = Self.book()
        for (found, tried) in [
            (["192.0.2.1", "192.0.2.2"], ["192.0.2.2", "192.0.2.1"]), (["192.0.2.3"], ["192.0.2.3"]),
        ] {
            _ = book.ask("a", at: 0)
            _ = book.next()
            book.ended("a", .success(found), at: -30)
            book.prefer("192.0.2.2", for: "a")
            #expect(book.ask("a", at: -1) == .known(.success(tried)))
        }
    }

    @Test func `a known name makes room, and a look-up under way stays`() {
        var book = Self.book { $0.names = 3 }
        _ = book.ask("a", at: 0)
        _ = book.next()
        _ = book.ask("b", at: 0)
        _ = book.next()
        book.ended("a", .success(["192.0.2.1"]), at: 0)
        _ = book.ask("c", at: 0)
        #expect(book.ask("d", at: 1) == .pending)
        #expect(book.ask("a", at: 1) == .pending, "it was known, and had to go")
        #expect(book.next() == "c")
        book.ended("b", .success(["192.0.2.2"]), at: 1)
        #expect(book.ask("b", at: 1) == .known(.success(["192.0.2.2"])))
    }

    /// A regression: 200 names with a silent resolver delayed a good name for ten seconds.
    @Test func `is asked for a name at once, beside as many silent ones as there may be transfers`() {
        var book = NameCache()
        for number in 0..<300 { #expect(book.ask("silent\(number)", at: 0) == .pending) }
        for _ in 0..<300 { #expect(book.next() != nil) }
        #expect(book.ask("good", at: 0) == .pending)
        #expect(book.next() == "good")
    }

    @Test func `looks a name up again whose addresses cannot be connected to`() {
        var book = NameCache()
        #expect(book.ask("a", at: 0) == .pending && book.next() == "a")
        book.ended("a", .success(["127.0.0.1"]), at: 0)
        #expect(book.ask("a", at: 1) == .known(.success(["127.0.0.1"])))
        book.forget("a")
        #expect(book.ask("a", at: 1) == .pending && book.next() == "a")
        // A lookup in progress continues.
        book.forget("a")
        #expect(book.ask("a", at: 1) == .pending && book.next() == nil)
    }

    // MARK: Addresses that do not respond

    private static let both = ["2001:db8::1", "192.0.2.1"]

    private static func resolved(_ addresses: [String]) -> NameCache {
        var book = book()
        _ = book.ask("a", at: 0)
        _ = book.next()
        book.ended("a", .success(addresses), at: 0)
        return book
    }

    @Test func `an address without a response comes last for some time, although it accepted a connection`() {
        var book = Self.resolved(Self.both)
        book.prefer("2001:db8::1", for: "a")
        book.silent("2001:db8::1", for: "a", at: 0)
        #expect(book.ask("a", at: 1) == .known(.success(["192.0.2.1", "2001:db8::1"])))
        #expect(book.hasOther("a", nil, at: 1) && !book.hasOther("a", .ipv6, at: 1))
        _ = book.ask("a", at: 700)
        _ = book.next()
        book.ended("a", .success(Self.both), at: 700)
        #expect(book.ask("a", at: 701) == .known(.success(Self.both)))
    }

    @Test func `no address is left if none responds, and all are tried again`() {
        var book = Self.resolved(Self.both)
        for address in Self.both { book.silent(address, for: "a", at: 0) }
        #expect(!book.hasOther("a", nil, at: 1))
        #expect(book.ask("a", at: 1) == .known(.success(Self.both)))
    }

    @Test func `a name is unproven until its address responds, if it has one of another family`() {
        var book = Self.resolved(Self.both)
        book.prefer("192.0.2.1", for: "a")
        #expect(book.isUnproven("a", nil, at: 1) && !book.isUnproven("a", .ipv4, at: 1))
        book.responded("a")
        #expect(!book.isUnproven("a", nil, at: 1) && book.hasResponded("a"))
        book.prefer("2001:db8::1", for: "a")
        #expect(!book.hasResponded("a"), "Another address has to prove itself.")
        book.silent("192.0.2.1", for: "a", at: 1)
        #expect(!book.isUnproven("a", nil, at: 2), "A slow server is not cut on every address.")
        let single = Self.resolved(["192.0.2.1", "192.0.2.2"])
        #expect(!single.isUnproven("a", nil, at: 1))
    }

    @Test func `another network may carry an address that did not respond`() {
        var book = Self.resolved(Self.both)
        book.silent("2001:db8::1", for: "a", at: 0)
        book.forgetFailures()
        #expect(book.ask("a", at: 1) == .known(.success(Self.both)))
    }
}
