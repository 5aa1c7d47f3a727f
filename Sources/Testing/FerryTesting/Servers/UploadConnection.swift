import Foundation
import NIOCore
import NIOHTTP1

/// One connection of an upload server. It writes raw bytes, so that it can send responses that no HTTP library would.
final class UploadConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// The request being read.
    private struct Request {
        let head: HTTPRequestHead
        let number: Int
        let fault: UploadBehaviour.Fault?
        /// The upload that receives the content, or `nil` once the request has its response.
        var upload: String?
        var count: Int64 = 0
        var reportedCount: Int64 = 0
        var isAnnounced = false
        var isAnswered = false
        /// Whether this request completes the upload.
        var isLast = true
    }

    private let log: UploadLog
    private var request: Request?

    init(_ log: UploadLog) { self.log = log }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): began(head, context)
        case .body(let part): received(part, context)
        case .end: ended(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: The request

    private func began(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let behaviour = log.behaviour
        let (number, fault) = log.began(head)
        var request = Request(head: head, number: number, fault: fault)
        defer { self.request = request }
        let base = String(
            behaviour.base[(behaviour.base.range(of: "/uploads/")?.lowerBound ?? behaviour.base.startIndex)...])
        let name = head.uri.hasPrefix(base) ? String(head.uri.dropFirst(base.count)) : nil
        func refuse(_ status: Int, _ fields: [(String, String)] = []) {
            answer(status, fields, "", context, ends: true)
            request.isAnswered = true
        }
        if case .status(let status, let fields) = fault { return refuse(status, fields) }
        if let name, case .redirect(let status) = fault {
            // The content is read and dropped. The client sends it again to the new location.
            request.upload = nil
            request.isAnswered = true
            return answer(status, [("Location", base + name)], "", context, ends: true)
        }
        let stated = head.headers.first(name: "Upload-Draft-Interop-Version")
        if let stated, behaviour.resumes, !behaviour.versions.contains(Int(stated) ?? 0) {
            return refuse(400, [("Upload-Draft-Interop-Version", "\(behaviour.versions.max() ?? 0)")])
        }
        if let name {
            if case .gone = fault { log.remove(name) }
            if case .forgetsAllBut(let count) = fault {
                log.change(name) { $0.content.moveWriterIndex(to: min($0.content.writerIndex, Int(count))) }
            }
            guard let kept = log.take(name, by: ObjectIdentifier(self)) else { return refuse(404) }
            switch head.method {
            case .HEAD, .DELETE: return
            default:
                guard head.headers.first(name: "Upload-Offset") == "\(kept.content.readableBytes)", !kept.isComplete
                else { return refuse(409, offset(of: kept, fault)) }
            }
        }
        let length = head.headers.first(name: "Content-Length").flatMap { Int64($0) } ?? 0
        if let most = behaviour.mostOfAll, length > most { return refuse(413, limits(behaviour)) }
        if let most = behaviour.mostOfPart, length > most { return refuse(413, limits(behaviour)) }
        let complete = head.headers.first(name: "Upload-Complete")
        let incomplete = head.headers.first(name: "Upload-Incomplete")
        request.isLast = complete != "?0" && incomplete != "?1"
        request.upload = name ?? log.create(head.uri, owner: ObjectIdentifier(self))
        // A server without the protocol does not announce where it keeps the upload.
        request.isAnnounced =
            !behaviour.announces || !behaviour.resumes || (complete ?? incomplete) == nil || name != nil
        announce(&request, behaviour, context)
    }

    private func announce(_ request: inout Request, _ behaviour: UploadBehaviour, _ context: ChannelHandlerContext) {
        guard let name = request.upload else { return }
        if !request.isAnnounced, request.count >= behaviour.announcesAfter {
            request.isAnnounced = true
            inform([("Location", behaviour.base + name)] + limits(behaviour), context)
        }
        if behaviour.resumes, let step = behaviour.progressEvery, request.count - request.reportedCount >= step,
            let kept = log.upload(name)
        {
            request.reportedCount = request.count
            inform([("Upload-Offset", "\(kept.content.readableBytes)")], context)
        }
    }

    private func received(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        guard var request, !request.isAnswered, let name = request.upload else { return }
        var part = part
        var cuts = false
        if case .cut(let limit) = request.fault, request.count + Int64(part.readableBytes) >= limit {
            part = part.getSlice(at: part.readerIndex, length: Int(limit - request.count)) ?? part
            cuts = true
        }
        guard log.received(part, of: request.number, to: name, by: ObjectIdentifier(self)) else {
            return context.close(promise: nil)
        }
        request.count += Int64(part.readableBytes)
        announce(&request, log.behaviour, context)
        if cuts {
            request.isAnswered = true
            context.close(promise: nil)
        }
        self.request = request
    }

    // MARK: The answer

    private func ended(_ context: ChannelHandlerContext) {
        guard let request, !request.isAnswered else { return }
        let behaviour = log.behaviour
        if case .cut = request.fault { return context.close(promise: nil) }
        guard let name = request.upload else {
            let base = behaviour.base.range(of: "/uploads/").map { String(behaviour.base[$0.lowerBound...]) } ?? ""
            let name = String(request.head.uri.dropFirst(base.count))
            if request.head.method == .DELETE {
                log.remove(name)
                return answer(204, version(behaviour), "", context)
            }
            guard let kept = log.upload(name) else { return answer(404, [], "", context) }
            return answer(204, offset(of: kept, request.fault) + limits(behaviour), "", context)
        }
        guard request.isLast else {
            guard let kept = log.upload(name) else { return answer(404, [], "", context) }
            return answer(
                201, [("Location", behaviour.base + name)] + offset(of: kept, request.fault) + limits(behaviour), "",
                context)
        }
        log.complete(name)
        if case .noAnswer = request.fault { return context.close(promise: nil) }
        let fields = behaviour.resumes ? [("Upload-Complete", "?1")] + version(behaviour) : []
        answer(behaviour.answer.status, fields, behaviour.answer.body, context)
    }

    private func version(_ behaviour: UploadBehaviour) -> [(String, String)] {
        [("Upload-Draft-Interop-Version", "\(behaviour.versions.max() ?? 0)")]
    }

    private func limits(_ behaviour: UploadBehaviour) -> [(String, String)] {
        let limits = [
            behaviour.mostOfPart.map { "max-append-size=\($0)" }, behaviour.mostOfAll.map { "max-size=\($0)" },
            "max-age=3600",
        ]
        return version(behaviour) + [("Upload-Limit", limits.compactMap(\.self).joined(separator: ", "))]
    }

    private func offset(of kept: UploadLog.Kept, _ fault: UploadBehaviour.Fault?) -> [(String, String)] {
        var offset = "\(kept.content.readableBytes)"
        if case .claims(let other) = fault { offset = other }
        return [("Upload-Offset", offset), ("Upload-Complete", kept.isComplete ? "?1" : "?0")]
    }

    private func inform(_ fields: [(String, String)], _ context: ChannelHandlerContext) {
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        let text = "HTTP/1.1 104 Upload Resumption Supported\r\n\(lines)\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    private func answer(
        _ status: Int, _ fields: [(String, String)], _ body: String, _ context: ChannelHandlerContext,
        ends: Bool = false
    ) {
        let lines = (fields + (ends ? [("Connection", "close")] : [])).map { "\($0.0): \($0.1)\r\n" }.joined()
        let length = status == 204 ? "" : "Content-Length: \(body.utf8.count)\r\n"
        let text = "HTTP/1.1 \(status) Whatever\r\n\(lines)\(length)\r\n\(body)"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        if ends { context.close(mode: .output, promise: nil) }
    }
}
