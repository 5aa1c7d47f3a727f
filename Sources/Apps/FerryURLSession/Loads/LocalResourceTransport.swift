import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// The transport of a task with a `file` or `data` URL, which needs no network.
final class LocalResourceTransport: TaskTransport {
    private static let partSize = 256 << 10

    private struct State {
        var hasStarted = false
        var isCancelled = false
    }

    private let url: URL
    private let isDownload: Bool
    private let folder: URL
    private let relay: TaskRelay
    private let state = Mutex(State())

    /// - Parameter folder: The folder for a download's copy.
    init(_ url: URL, isDownload: Bool, folder: URL, relay: TaskRelay) {
        self.url = url
        self.isDownload = isDownload
        self.folder = folder
        self.relay = relay
    }

    /// Whether a URL needs no server.
    static func carries(_ url: URL?) -> Bool {
        guard let scheme = url?.scheme?.lowercased() else { return false }
        return scheme == "file" || scheme == "data"
    }

    func resume() {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted && !state.isCancelled
        }
        if isFirst { Task(name: "local resource") { await self.run() } }
    }

    func suspend() {}

    func cancel() {
        let hasStarted = state.withLock { state in
            state.isCancelled = true
            return state.hasStarted
        }
        relay.endsEarly()
        if !hasStarted { Task(name: "end of a local resource") { await end(URLError(.cancelled)) } }
    }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) {}

    // MARK: -

    private func run() async {
        do {
            if isDownload { try await copy() } else { try await deliver() }
        } catch {
            await end(error)
        }
    }

    private func copy() async throws {
        let (data, type) = try contents()
        relay.responseKnown(response(length: data.count, type: type))
        var file = try ResourceFile(in: folder, relay: relay)
        do {
            try file.append(data)
            try checkCancelled()
            try await file.finish()
        } catch {
            file.remove()
            throw error
        }
        await relay.complete(nil, metrics: [])
    }

    private func deliver() async throws {
        let (data, type) = try contents()
        guard await relay.response(response(length: data.count, type: type)) != .cancel else {
            throw URLError(.cancelled)
        }
        var rest = data[...]
        while !rest.isEmpty {
            try checkCancelled()
            await relay.data(Data(rest.prefix(Self.partSize)))
            rest = rest.dropFirst(Self.partSize)
        }
        await relay.complete(nil, metrics: [])
    }

    private func checkCancelled() throws {
        if state.withLock(\.isCancelled) { throw URLError(.cancelled) }
    }

    private func end(_ error: any Error) async {
        let reported: any Error =
            error is TransferError ? error : URLError.failing((error as? URLError)?.code ?? .cannotOpenFile, url)
        await relay.complete(reported, metrics: [])
    }

    private func response(length: Int, type: String?) -> URLResponse {
        URLResponse(url: url, mimeType: type, expectedContentLength: length, textEncodingName: nil)
    }

    /// Returns the content of the URL and its media type.
    private func contents() throws -> (Data, String?) {
        if url.isFileURL {
            var isFolder: ObjCBool = false
            guard unsafe FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
                throw URLError(.fileDoesNotExist)
            }
            if isFolder.boolValue { throw URLError(.fileIsDirectory) }
            guard let data = try? Data(contentsOf: url, options: .mappedIfSafe) else {
                throw URLError(.noPermissionsToReadFile)
            }
            return (data, nil)
        }
        guard let decoded = DataURL(url.absoluteString) else { throw URLError(.badURL) }
        return (decoded.data, decoded.mediaType)
    }
}

/// A parsed `data` URL (RFC 2397).
struct DataURL: Equatable {
    let mediaType: String
    let data: Data

    /// - Returns: Nil if the comma is missing or the data is not in the declared encoding.
    init?(_ text: String) {
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else { return nil }
        let head = text[text.index(text.startIndex, offsetBy: 5)..<comma]
        let content = String(text[text.index(after: comma)...])
        let isBase64 = head.lowercased().hasSuffix(";base64")
        let type = isBase64 ? head.dropLast(7) : head
        mediaType = type.isEmpty ? "text/plain;charset=US-ASCII" : String(type)
        guard let plain = content.removingPercentEncoding else { return nil }
        if isBase64 {
            guard let decoded = Data(base64Encoded: plain) else { return nil }
            data = decoded
        } else {
            guard let bytes = PercentEncoding.decode(content) else { return nil }
            data = Data(bytes)
        }
    }
}
