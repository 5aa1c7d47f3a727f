import ArgumentParser
import FerryCore
import FerryFoundation

/// The body of a multipart form (RFC 7578). Created once, so that every attempt sends the same bytes.
struct MultipartForm {
    private enum Part {
        case text(name: String, String)
        case file(name: String, path: String)
    }

    private let parts: [Part]
    private let boundary: String

    /// Parses the parts.
    ///
    /// - Throws: `ValidationError` for a part without a name.
    init(_ typed: [String], in context: CommandContext, boundary: String? = nil) throws {
        parts = try typed.map { text in
            guard let mark = text.firstIndex(of: "="), mark > text.startIndex else {
                throw ValidationError(
                    "“\(text.escapingControls)” is not a part of a form; write NAME=TEXT or NAME=@FILE.")
            }
            let (name, value) = (String(text[..<mark]), text[text.index(after: mark)...])
            guard value.hasPrefix("@") else { return .text(name: name, String(value)) }
            return .file(name: name, path: try context.typedPath.folder(String(value.dropFirst())))
        }
        let random = (0..<3).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        self.boundary = boundary ?? "ferry-" + random
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Writes the body to the user's cache folder.
    ///
    /// - Throws: `ValidationError` for a file that cannot be read, and if the body cannot be written.
    func write(in context: CommandContext) throws -> RequestBody.SentFile {
        let folder = try FormFolder.open(in: context)
        let path = folder + "/" + boundary
        let out = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard out >= 0 else { throw FormFolder.failure(path, errno) }
        defer { close(out) }
        do {
            for part in parts {
                try put("--\(boundary)\r\nContent-Disposition: form-data; \(Self.disposition(part))\r\n\r\n", out, path)
                switch part {
                case .text(_, let text): try put(text, out, path)
                case .file(_, let source): try copy(source, out, path)
                }
                try put("\r\n", out, path)
            }
            try put("--\(boundary)--\r\n", out, path)
            guard syncIfOffered(out) else { throw FormFolder.failure(path, errno) }
        } catch {
            _ = unsafe unlink(path)
            throw error
        }
        guard let file = try context.sentFile(path) else { throw FormFolder.failure(path, EIO) }
        return file
    }

    private static func disposition(_ part: Part) -> String {
        switch part {
        case .text(let name, _): "name=\"\(quoted(name))\""
        case .file(let name, let path):
            "name=\"\(quoted(name))\"; filename=\"\(quoted(path.lastPathPart))\"\r\nContent-Type: application/octet-stream"
        }
    }

    /// Quotes a name as browsers do (RFC 7578 §4.2, WHATWG HTML §4.10.21.8).
    private static func quoted(_ name: String) -> String {
        name.replacing("\r", with: "%0D").replacing("\n", with: "%0A").replacing("\"", with: "%22")
    }

    private func put(_ text: String, _ out: CInt, _ path: String) throws { try put(Array(text.utf8)[...], out, path) }

    private func put(_ bytes: ArraySlice<UInt8>, _ out: CInt, _ path: String) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe FerryFoundation.write(out, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FormFolder.failure(path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    private func copy(_ source: String, _ out: CInt, _ path: String) throws {
        // A FIFO would block until it has a writer, and a device may have no end.
        let file = source.withPath { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { throw unreadable(source) }
        defer { close(file) }
        var (before, after) = (stat(), stat())
        guard unsafe fstat(file, &before) == 0 else { throw unreadable(source) }
        guard before.st_mode & S_IFMT == S_IFREG else {
            throw ValidationError("“\(source.escapingControls)” is not a regular file and cannot be sent.")
        }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        // Files of the kernel have no size, but an end.
        let most = max(Int64(before.st_size), Self.mostWithoutSize)
        var copied: Int64 = 0
        while true {
            let count = unsafe read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(source) }
            guard count > 0 else { break }
            copied += Int64(count)
            guard copied <= most else { throw Self.changed(source) }
            try put(buffer[..<count], out, path)
        }
        guard unsafe fstat(file, &after) == 0 else { throw unreadable(source) }
        // The time of the last change cannot be set back.
        guard before.st_size == 0 || copied == before.st_size, before.st_size == after.st_size,
            before.st_ctim.tv_sec == after.st_ctim.tv_sec, before.st_ctim.tv_nsec == after.st_ctim.tv_nsec
        else { throw Self.changed(source) }
    }

    /// Maximum number of bytes read from a file that states no size.
    private static let mostWithoutSize: Int64 = 64 << 20

    private static func changed(_ source: String) -> ValidationError {
        ValidationError("“\(source.escapingControls)” has changed while it was read; try again.")
    }

    private func unreadable(_ source: String) -> ValidationError {
        ValidationError("“\(source.escapingControls)” cannot be read: \(FormFolder.words(errno)).")
    }
}

/// The folder of form bodies.
enum FormFolder {
    /// Seconds after which a body is removed: no upload retries for so long.
    private static let age = 30.0 * 86_400

    /// Creates the folder, and removes old bodies.
    ///
    /// - Throws: `ValidationError` if the user has no home, or the folder cannot be created.
    static func open(in context: CommandContext) throws -> String {
        let given = context.environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let cache = given ?? context.home.map({ $0 + "/.cache" }) else {
            throw ValidationError("A form is kept in your cache folder until it is sent: set HOME or XDG_CACHE_HOME.")
        }
        let folder = cache + "/ferry/forms"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ValidationError("The folder \(folder.escapingControls) cannot be created.")
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix("ferry-")
        {
            var facts = stat()
            let path = folder + "/" + name
            guard unsafe stat(path, &facts) == 0,
                context.now().timeIntervalSince1970 - Double(facts.st_mtim.tv_sec) > age
            else { continue }
            _ = unsafe unlink(path)
        }
        return folder
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    static func failure(_ path: String, _ errno: CInt) -> ValidationError {
        ValidationError("The form cannot be written to \(path.escapingControls): \(words(errno)).")
    }

    static func words(_ errno: CInt) -> String { unsafe String(cString: strerror(errno)) }
}
