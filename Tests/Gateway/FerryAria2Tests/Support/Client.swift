import FerryCore
import FerryTesting
import Synchronization

@testable import FerryAria2

/// A client of an endpoint over a fake service.
struct Client {
    let service: FakeService
    let endpoint: RPCEndpoint
    let lines: LogLines

    init(
        _ service: FakeService = FakeService(), secret: String? = "s", showsAll: Bool = false,
        shutdown: (@Sendable (Bool) -> Void)? = nil
    ) {
        let lines = LogLines()
        self.service = service
        self.lines = lines
        var configuration = RPCEndpoint.Configuration(service: service, folder: "/downloads") {
            secret.map { .asked($0) } ?? .notAsked
        }
        configuration.showsAll = { showsAll }
        configuration.sessionIdentifier = String(repeating: "ab", count: 20)
        configuration.shutdown = shutdown
        configuration.log = { lines.add($0) }
        endpoint = RPCEndpoint(configuration)
    }

    func answer(_ body: String) async -> RPCAnswer { await endpoint.answer(Array(body.utf8)) }

    /// Returns the whole response as text.
    func text(_ body: String) async -> String { String(decoding: await answer(body).body, as: UTF8.self) }

    /// Returns a method's result or error as text.
    ///
    /// - Parameter parameters: JSON of the parameters after the secret, separated by commas.
    func call(_ method: String, _ parameters: String = "") async -> String {
        let rest = parameters.isEmpty ? "" : ",\(parameters)"
        let text = await text(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":["token:s"\#(rest)]}"#)
        for (head, tail) in [
            (#"{"id":1,"jsonrpc":"2.0","result":"#, 1), (#"{"error":"#, #","id":1,"jsonrpc":"2.0"}"#.count),
        ]
        where text.hasPrefix(head) {
            return String(text.dropFirst(head.count).dropLast(tail))
        }
        return text
    }

    /// Returns the named options from a method's result.
    func options(_ method: String, _ parameters: String = "", named names: String...) async -> [String: String] {
        let answer = try? RPCValueReader.read(Array(await call(method, parameters).utf8))
        return (answer?.members ?? [:]).compactMapValues(\.text).filter { names.contains($0.key) }
    }

    /// Returns the JSON of an error that a method itself reports.
    static func error(_ message: String) -> String { #"{"code":1,"message":"\#(message)"}"# }
}

final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock(\.self) }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
