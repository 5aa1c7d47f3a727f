import FerryCore
import Foundation

/// Plans the steps of the response to one request. Performs none of them.
package enum OriginPlan {
    package static func steps(for exchange: OriginExchange, script: OriginScript) -> [OriginStep] {
        let modes = script.modes(for: exchange)
        let prelude = modes.compactMap { $0.named(for: exchange.request.connection).stepBeforeHead }
        if let steps = modes.compactMap({ $0.stepsInPlaceOfAnswer(exchange) }).first { return prelude + steps }

        var resource = OriginResource(script.body(at: exchange.request.path))
        for mode in modes { resource.apply(mode, in: exchange) }
        var response =
            modes.compactMap { OriginResponse.replacement($0, exchange) }.first
            ?? .answering(exchange, resource, modes)
        let date = HTTPDate.text(of: Date(timeIntervalSince1970: Double(exchange.now)))
        response.fields.insert(HeaderField(name: "Date", value: date), at: 0)
        for mode in modes { response.apply(mode, resource: resource) }
        response.omitsBody = exchange.request.method == "HEAD"
        let delivery = OriginDelivery(modes, response, exchange.request)
        if delivery.closesAtEnd { response.set("Connection", "close") }

        for case .headFlood(.endless) in modes {
            let start = Array((response.statusLine + response.fieldLines).utf8)
            let flood = Array(String(repeating: "X-Flood: \(String(repeating: "f", count: 80))\r\n", count: 100).utf8)
            return prelude + [.send(start), .forever(flood, every: .milliseconds(1))]
        }
        return prelude + delivery.steps(for: response)
    }
}

extension OriginMode {
    fileprivate var stepBeforeHead: OriginStep? {
        switch self {
        case .lateHead(let delay): .pause(delay)
        case .hold(let name, .head): .hold(name)
        default: nil
        }
    }

    fileprivate func stepsInPlaceOfAnswer(_ exchange: OriginExchange) -> [OriginStep]? {
        switch self {
        case .raw(let bytes): [.send(bytes), .close]
        case .closeBeforeHead: [.close]
        case .resetBeforeHead: [.reset]
        case .limitByReset(let limit): exchange.activeResponses > limit ? [.reset] : nil
        case .endlessInformational(let interval):
            [.forever(Array("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n".utf8), every: interval)]
        default: nil
        }
    }
}
