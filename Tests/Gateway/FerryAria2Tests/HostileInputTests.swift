import FerryCore
import Testing

@testable import FerryAria2

@Suite(.timeLimit(.minutes(1))) struct `Hostile input` {
    /// Messages to mutate.
    private static let seeds = [
        #"{"jsonrpc":"2.0","id":"q","method":"aria2.addUri","params":["token:s",["http://h/a","http://m/a"],{"split":"5","#
            + #""header":["A: b"],"gid":"00000000000000ab","max-download-limit":"10K","all-proxy":"http://p:1"},0]}"#,
        #"[{"id":1,"method":"aria2.tellWaiting","params":["token:s",-1,1000,["gid"]]},{"id":2,"method":"x"}]"#,
        #"{"id":1,"method":"system.multicall","params":[[{"methodName":"aria2.changePosition","params":["token:s","#
            + #""00000000000000ab",-5,"POS_CUR"]},{"methodName":"aria2.changeUri","params":["token:s","ab",1,[],[],0]}]]}"#,
        #"{"id":1,"method":"aria2.changeGlobalOption","params":["token:s",{"max-concurrent-downloads":"5","timeout":1e3}]}"#,
    ]

    /// Reproducible random numbers (Knuth's linear congruential generator).
    private struct Sequence: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test(arguments: 0..<4) func `is answered in JSON, whatever its bytes are`(seed: Int) async {
        var random = Sequence(state: UInt64(seed))
        let client = Client()
        let marks = Array(#"{}[]",:\u0e-9ftn"#.utf8)
        for _ in 0..<2000 {
            var bytes = Array(Self.seeds[seed].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] = marks.randomElement(using: &random) ?? 0
                case 2: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 9)], at: place)
                }
            }
            let answer = await client.endpoint.answer(bytes)
            #expect((try? RPCValueReader.read(answer.body)) != nil)
            #expect([200, 400, 404, 500].contains(answer.httpStatus))
            let query = "method=aria2.tellStatus&params=" + String(decoding: bytes, as: UTF8.self)
            #expect((try? RPCValueReader.read(await client.endpoint.answer(query: query).body)) != nil)
        }
    }

    @Test(arguments: [
        ("s", "s", true), ("", "", true), ("", "s", false), ("s", "", false), ("ss", "s", false), ("s", "ss", false),
        ("é", "e\u{301}", false), ("S", "s", false),
    ])
    func `is no secret unless all bytes are the same`(given: String, secret: String, isSame: Bool) {
        #expect(RPCSecret.isSame(given, secret) == isSame)
    }

    @Test func `makes no map larger than it may be`() {
        var map = BoundedMap<Int, Int>(most: 3)
        for number in 0..<10 { map[number] = number }
        #expect(map.count == 3)
        #expect(map[6] == nil)
        map[7] = 70
        map[8] = nil
        map[11] = 11
        #expect([map[7], map[8], map[9], map[11]] == [70, nil, 9, 11])
    }

    @Test func `keeps a transfer that was added again after a removal`() {
        var map = BoundedMap<Int, Int>(most: 3)
        for number in 0..<3 { map[number] = number }
        map[0] = nil
        map[0] = 100
        map[3] = 3
        #expect([map[0], map[1], map[2], map[3]] == [100, nil, 2, 3])
        for number in 0..<100 {
            map[number] = number
            map[number] = nil
        }
        #expect(map.count == 0)
    }
}
