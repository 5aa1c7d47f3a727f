import FerryAPI
import FerryCore
import Testing

@Suite struct `Routes and queries` {
    @Test func `no two routes are the same`() {
        #expect(Set(Route.all.map { $0.method.rawValue + $0.path }).count == Route.all.count)
        #expect(Route.all.allSatisfy { $0.path.hasPrefix("/v1/") })
    }

    @Test func `a target has its parameter and query escaped`() {
        #expect(ChangeSession.route.target("a/b?ü") == "/v1/sessions/a%2Fb%3F%C3%BC")
        #expect(
            ListTransfers.route.target(query: [QueryItem("tag", "a&b=c+d")]) == "/v1/transfers?tag=a%26b%3Dc%2Bd")
    }

    @Test func `a list's query survives the wire`() throws {
        var query = TransferQuery()
        query.session = try SessionID("a&b")
        query.states = [.waiting, .failed]
        query.tag = "50% off"
        query.after = TransferID(rawValue: 9)
        query.limit = 1000
        query.newestFirst = true
        #expect(try TransferQuery(items: QueryItem.decode(QueryItem.encode(query.items))) == query)
        #expect(try TransferQuery(items: []) == TransferQuery())
    }

    @Test func `a subscription survives the wire`() throws {
        var subscription = EventSubscription()
        subscription.after = 12
        subscription.session = .cli
        subscription.ids = [TransferID(rawValue: 1), TransferID(rawValue: 2)]
        subscription.progressInterval = 0.25
        subscription.endsWithTransfers = true
        #expect(try EventSubscription(items: QueryItem.decode(QueryItem.encode(subscription.items))) == subscription)
    }

    @Test(arguments: ["%", "%4", "a=%zz", "a=%FF"]) func `a broken escape is refused`(query: String) {
        #expect(throws: ServiceError.self) { try QueryItem.decode(query) }
    }

    @Test func `lines are cut wherever the pieces end`() {
        var splitter = LineSplitter()
        let pieces = ["ab", "c\n\nd", "", "e\n", "f"].flatMap { splitter.append(Array($0.utf8)) }
        #expect(pieces.map { String(decoding: $0, as: UTF8.self) } == ["abc", "", "de"])
        #expect(splitter.finish().map { String(decoding: $0, as: UTF8.self) } == "f")
        #expect(splitter.finish() == nil)
    }
}
