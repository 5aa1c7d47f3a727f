/// The way a response is sent: interruptions, pace and damaged bytes.
package struct OriginDelivery: Sendable {
    /// A step at an offset of the body.
    private struct Interruption: Sendable {
        var offset: Int64
        var step: OriginStep
    }

    private var interruptions: [Interruption] = []
    private var damaged: [Int64] = []
    private var pace: OriginPace?
    private var afterwards: [OriginStep] = []
    /// Whether the connection closes after this response.
    package private(set) var closesAtEnd: Bool

    package init(_ modes: [OriginMode], _ response: OriginResponse, _ request: RecordedRequest) {
        let connection = request.value("Connection")?.lowercased()
        closesAtEnd =
            response.framing == .untilClose || connection == "close"
            || (request.version == "HTTP/1.0" && connection != "keep-alive")
        for mode in modes { apply(mode.named(for: request.connection), length: response.content.byteCount) }
        interruptions.sort { $0.offset < $1.offset }
    }

    private mutating func apply(_ mode: OriginMode, length: Int64) {
        switch mode {
        case .damage(let offset): damaged.append(offset)
        case .cut(let offset): interrupt(at: offset, .close)
        case .reset(let offset): interrupt(at: offset, .reset)
        case .stall(let offset): interrupt(at: offset, .stall)
        case .chunkCut(let offset): interrupt(at: min(offset, length), .close)
        case .tlsTruncate(let offset): interrupt(at: min(offset, length), .closeWithoutNotify)
        case .hold(let name, .body(let offset)): interrupt(at: offset, .hold(name))
        case .hold(let name, .end): afterwards.append(.hold(name))
        case .drip(let bytes, let interval): pace = OriginPace(bytes: bytes, interval: interval)
        case .throttle(let rate):
            pace = OriginPace(bytes: max(1, rate / 100), interval: .milliseconds(10))
        case .lengthTooLong: closesAtEnd = true
        case .unasked:
            afterwards.append(.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked".utf8)))
        default: break
        }
    }

    private mutating func interrupt(at offset: Int64, _ step: OriginStep) {
        interruptions.append(Interruption(offset: offset, step: step))
    }

    /// Returns the steps that send a response, up to the first that ends the connection.
    package func steps(for response: OriginResponse) -> [OriginStep] {
        var steps: [OriginStep] = [.send(response.head)]
        if !response.omitsBody, response.framing != .none {
            if case .badChunk(let size) = response.framing { steps.append(.send(Array("\(size)\r\n".utf8))) }
            steps += bodySteps(response)
            if response.isChunked { steps.append(.send(response.trailer)) }
            if case .badChunk = response.framing { steps.append(.close) }
        }
        steps += afterwards
        if closesAtEnd { steps.append(.close) }
        guard let last = steps.firstIndex(where: \.isLast) else { return steps }
        return Array(steps[...last])
    }

    private func bodySteps(_ response: OriginResponse) -> [OriginStep] {
        var steps: [OriginStep] = []
        var rest = damaged.reduce(response.content) { $0.damaged(at: $1) }
        var position: Int64 = 0
        let length = rest.byteCount
        func send(_ content: [OriginContent]) {
            steps += content.filter { $0.count > 0 }.map { .body($0, pace: pace, chunked: response.isChunked) }
        }
        for interruption in interruptions where interruption.offset <= length {
            let (now, later) = rest.split(at: interruption.offset - position)
            send(now)
            steps.append(interruption.step)
            (rest, position) = (later, interruption.offset)
        }
        send(rest)
        return steps
    }
}

/// One step of sending a response.
package enum OriginStep: Equatable, Sendable {
    /// Sends bytes that are not part of the body: heads, chunk framing.
    case send([UInt8])
    /// Sends body bytes, which are counted.
    case body(OriginContent, pace: OriginPace?, chunked: Bool)
    case pause(Duration)
    /// Waits until the test releases this name.
    case hold(String)
    /// Sends bytes repeatedly until the peer disconnects.
    case forever([UInt8], every: Duration)
    /// Sends nothing more and keeps the connection open.
    case stall
    /// Closes the connection gracefully: sends remaining bytes, close_notify over TLS, then FIN.
    case close
    /// Closes a TLS connection with FIN only.
    case closeWithoutNotify
    /// Closes the connection with RST once the peer's kernel has received all bytes.
    case reset

    /// Whether no step can follow.
    package var isLast: Bool {
        switch self {
        case .forever, .stall, .close, .closeWithoutNotify, .reset: true
        case .send, .body, .pause, .hold: false
        }
    }
}

/// The rate of body bytes: pieces of a fixed size, one per interval.
package struct OriginPace: Equatable, Sendable {
    package var bytes: Int
    package var interval: Duration

    package init(bytes: Int, interval: Duration) {
        self.bytes = bytes
        self.interval = interval
    }
}
