import FerryCore
import Testing

@testable import FerryAria2

@Suite(.timeLimit(.minutes(1))) struct `JSON of a client` {
    @Test(arguments: [
        ("null", "null"), (" [ 1 , -2.50 ,1e9] ", "[1,-2.50,1e9]"), (#""a\u00e9\/\n""#, #""aé/\n""#),
        (#""\ud83d\ude00""#, #""😀""#), (#"{"b":1,"a":{}}"#, #"{"a":{},"b":1}"#),
        ("123456789012345678901234567890", "123456789012345678901234567890"), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        ("\"\u{2028}\"", #""\u2028""#), (#""\u0000""#, #""\u0000""#),
    ])
    func `is unchanged by a round trip`(text: String, written: String) throws {
        #expect(String(decoding: try RPCValueReader.read(Array(text.utf8)).json, as: UTF8.self) == written)
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "01", "-", "1.", "1e", ".5", "+1", "nul",
        "truefalse",
        "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\n\"", "{} x", "[1 2]",
        "NaN",
        "'a'",
    ])
    func `is refused where it is none`(text: String) {
        #expect(throws: RPCValueReader.Fault.self) { try RPCValueReader.read(Array(text.utf8)) }
    }

    @Test func `is refused where a text is no UTF-8`() {
        #expect(throws: RPCValueReader.Fault.self) { try RPCValueReader.read([0x22, 0xFF, 0x22]) }
        #expect(throws: RPCValueReader.Fault.self) { try RPCValueReader.read([0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test(arguments: [(64, true), (65, false), (100_000, false)])
    func `is as deep as permitted`(depth: Int, isRead: Bool) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(((try? RPCValueReader.read(Array(text.utf8))) != nil) == isRead)
        let objects = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        #expect(((try? RPCValueReader.read(Array(objects.utf8))) != nil) == isRead)
    }

    @Test func `is as large as permitted`() {
        let bytes = [0x22] + [UInt8](repeating: 0x61, count: RPCValueReader.mostBytes - 2) + [0x22]
        #expect((try? RPCValueReader.read(bytes)) != nil)
        #expect(throws: RPCValueReader.Fault.self) { try RPCValueReader.read(bytes + [0x20]) }
    }

    @Test(
        arguments: [
            ("5", 5), ("-5", -5), ("5.0", 5), ("1e3", 1000), ("5.5", nil), ("1e400", nil),
            ("99999999999999999999", nil),
        ] as [(String, Int?)])
    func `has whole numbers that an integer holds`(text: String, number: Int?) {
        #expect(RPCValue.number(text).wholeNumber == number)
    }
}
