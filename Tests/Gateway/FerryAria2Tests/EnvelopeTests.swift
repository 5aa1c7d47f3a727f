import FerryAria2
import FerryCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Calls and answers` {
    @Test(arguments: [
        ("", 500, -32700), ("{", 500, -32700), (String(repeating: "[", count: 100_000), 500, -32700),
        ("5", 400, -32600),
        ("null", 400, -32600), (#"{"id":1,"params":[]}"#, 400, -32600), (#"{"id":1,"method":5}"#, 400, -32600),
        (#"{"id":1,"method":"aria2.nosuch","params":["token:s"]}"#, 400, 1),
        (#"{"id":1,"method":"aria2.getVersion","params":{"a":1}}"#, 500, -32602),
        (#"{"id":1,"method":"aria2.getVersion","params":"x"}"#, 500, -32602),
        (#"{"id":1,"method":"aria2.getVersion","params":["token:x"]}"#, 400, 1),
        (#"{"id":1,"method":"aria2.tellStatus","params":["token:s","zz"]}"#, 400, 1),
    ])
    func `A6 errors have a status and a code`(body: String, status: Int, code: Int) async {
        let answer = await Client().answer(body)
        #expect(answer.httpStatus == status)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""code":\#(code),"#))
    }

    @Test(arguments: [
        (#""id":1,"#, "1"), (#""id":"qwer","#, #""qwer""#), (#""id":null,"#, "null"), ("", "null"),
        (#""id":12345678901234567890123,"#, "12345678901234567890123"), (#""id":1.50,"#, "1.50"),
        (#""id":{"a":[1]},"#, #"{"a":[1]}"#), (#""id":"1","#, #""1""#),
    ])
    func `A6 the id is returned with its own type`(id: String, echoed: String) async {
        let text = await Client().text(#"{\#(id)"jsonrp":"2","method":"aria2.getSessionInfo","params":["token:s"]}"#)
        let session = String(repeating: "ab", count: 20)
        #expect(text == #"{"id":\#(echoed),"jsonrpc":"2.0","result":{"sessionId":"\#(session)"}}"#)
    }

    @Test func `A6 a batch is answered with 200, call by call`() async {
        let client = Client()
        #expect(await client.text("[]") == "[]")
        let answer = await client.answer(
            #"[{"id":1,"method":"aria2.saveSession","params":["token:s"]},5,{"id":2,"method":"x","params":["token:s"]}]"#
        )
        #expect(answer.httpStatus == 200)
        #expect(
            String(decoding: answer.body, as: UTF8.self) == #"[{"id":1,"jsonrpc":"2.0","result":"OK"},"#
                + #"{"error":{"code":-32600,"message":"Invalid Request."},"id":null,"jsonrpc":"2.0"},"#
                + #"{"error":{"code":1,"message":"No such method: x"},"id":2,"jsonrpc":"2.0"}]"#)
    }

    @Test(arguments: [
        (#"["token:s"]"#, true), (#"["token:x"]"#, false), (#"["token:"]"#, false), (#"["token:ss"]"#, false),
        ("[]", false),
        (#"["s"]"#, false), ("[5]", false), (#"[["token:s"]]"#, false), (#"["Token:s"]"#, false),
    ])
    func `A7 a call without the secret is refused`(parameters: String, isPermitted: Bool) async {
        for method in ["aria2.getVersion", "aria2.nosuch", "nosuch"] {
            let answer = await Client().answer(#"{"id":1,"method":"\#(method)","params":\#(parameters)}"#)
            #expect(answer.isUnauthorized != isPermitted)
            #expect(answer.isAuthorized == isPermitted)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains(#""error":{"code":1,"message":"Unauthorized"}"#) != isPermitted)
        }
    }

    @Test func `a caller that is trusted gives no secret`() async {
        let body = Array(#"{"id":1,"method":"aria2.saveSession","params":[]}"#.utf8)
        let answer = await Client().endpoint.answer(body, isTrusted: true)
        #expect(answer.httpStatus == 200)
        #expect(!answer.isUnauthorized)
    }

    @Test(arguments: [#"["token:"]"#, "[]", #"["token:s"]"#])
    func `A2 an empty secret admits nobody`(parameters: String) async {
        let answer = await Client(secret: "").answer(#"{"id":1,"method":"aria2.getVersion","params":\#(parameters)}"#)
        #expect(answer.isUnauthorized)
    }

    @Test func `without a secret every client is let in, with a token or without`() async {
        let client = Client(secret: nil)
        #expect(await client.answer(#"{"id":1,"method":"aria2.saveSession"}"#).httpStatus == 200)
        #expect(await client.call("aria2.saveSession") == #""OK""#)
    }

    @Test func `A2 the methods of the interface are listed without the secret`() async {
        let client = Client()
        let methods = await client.answer(#"{"id":1,"method":"system.listMethods"}"#)
        #expect(methods.httpStatus == 200)
        #expect(!methods.isAuthorized)
        let names = String(decoding: methods.body, as: UTF8.self)
        #expect(names.split(separator: "aria2.").count == 34)
        #expect(names.contains(#""aria2.addUri","aria2.addTorrent""#))
        #expect(
            await client.text(#"{"id":1,"method":"system.listNotifications","params":["token:wrong"]}"#)
                == #"{"id":1,"jsonrpc":"2.0","result":["aria2.onDownloadStart","aria2.onDownloadPause","#
                + #""aria2.onDownloadStop","aria2.onDownloadComplete","aria2.onDownloadError","#
                + #""aria2.onBtDownloadComplete"]}"#)
    }

    @Test func `A10 each call of a multicall has its own secret and its own answer`() async {
        let answer = await Client().answer(
            #"{"id":1,"method":"system.multicall","params":[[{"methodName":"aria2.saveSession","params":["token:x"]},"#
                + #"{"methodName":"aria2.saveSession","params":["token:s"]},"#
                + #"{"methodName":"system.multicall","params":[[]]},{"methodName":"nosuch","params":["token:s"]},5,"#
                + #"{"params":[]},{"methodName":"aria2.getPeers","params":{"a":1}}]]}"#)
        #expect(answer.httpStatus == 200)
        #expect(answer.isUnauthorized)
        #expect(
            String(decoding: answer.body, as: UTF8.self) == #"{"id":1,"jsonrpc":"2.0","result":["#
                + #"{"code":1,"message":"Unauthorized"},["OK"],"#
                + #"{"code":1,"message":"Recursive system.multicall forbidden."},"#
                + #"{"code":1,"message":"No such method: nosuch"},"#
                + #"{"code":1,"message":"system.multicall expected struct."},{"code":1,"message":"Missing methodName."},"#
                + #"{"code":1,"message":"Unauthorized"}]}"#)
    }

    @Test(arguments: [
        ("[]", "The parameter at 0 is required but missing."), (#"["x"]"#, "The parameter at 0 has wrong type."),
        (#"["token:s",[]]"#, "The parameter at 0 has wrong type."),
    ])
    func `A10 a multicall takes a list and no secret`(parameters: String, message: String) async {
        let text = await Client().text(#"{"id":1,"method":"system.multicall","params":\#(parameters)}"#)
        #expect(text.contains(message))
    }

    @Test func `secrets are not guessed many at a time`() async {
        let calls = (0..<9).map { #"{"id":1,"method":"aria2.saveSession","params":["token:\#($0)"]}"# }
        let right = #"{"id":1,"method":"aria2.saveSession","params":["token:s"]}"#
        let text = await Client().text("[" + (calls + [right]).joined(separator: ",") + "]")
        #expect(!text.contains("OK"))
    }

    @Test func `an answer to many calls has an end`() async {
        let calls = Array(repeating: #"{"method":"system.listMethods"}"#, count: 40_000).joined(separator: ",")
        let answer = await Client().answer("[\(calls)]")
        #expect(answer.body.count < 8 << 20)
        #expect(String(decoding: answer.body.suffix(200), as: UTF8.self).contains("The response is too large"))
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Calls in a query` {
    @Test(arguments: [
        (
            "method=aria2.saveSession&id=foo&params=WyJ0b2tlbjpzIl0%3D", #"{"id":"foo","jsonrpc":"2.0","result":"OK"}"#,
            200
        ),
        ("method=aria2.saveSession&id=foo&params=WyJ0b2tlbjpzIl0", #"{"id":"foo","jsonrpc":"2.0","result":"OK"}"#, 200),
        (
            "method=aria2.saveSession&params=WyJ0b2tlbjpzIl0&jsoncallback=a.b",
            #"a.b({"id":null,"jsonrpc":"2.0","result":"OK"})"#, 200
        ),
        ("params=W10", "[]", 200),
        (
            "method=x&id=1&params=!!!",
            #"{"error":{"code":-32600,"message":"Invalid Request."},"id":null,"jsonrpc":"2.0"}"#, 400
        ),
        ("", #"{"error":{"code":-32600,"message":"Invalid Request."},"id":null,"jsonrpc":"2.0"}"#, 400),
        (
            "method=system.listMethods&jsoncallback=alert(1)//",
            #"{"error":{"code":-32600,"message":"Invalid Request."},"id":null,"jsonrpc":"2.0"}"#, 400
        ),
    ])
    func `A5 are answered as those of a body`(query: String, text: String, status: Int) async {
        let answer = await Client().endpoint.answer(query: query)
        #expect(String(decoding: answer.body, as: UTF8.self) == text)
        #expect(answer.httpStatus == status)
        #expect(answer.isScript == text.hasPrefix("a.b("))
    }
}
