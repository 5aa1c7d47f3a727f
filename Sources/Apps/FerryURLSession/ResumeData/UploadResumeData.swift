import FerryCore
import Foundation
import FoundationNetworking
import Glibc
import Synchronization

/// The state for resuming an upload in another task, process or session: a property list.
///
/// As confidential as the request, since it contains the request's fields. It can be used once: a file with the name of
/// its token in the app's folder exists until then.
struct UploadResumeData: Equatable, Sendable {
    /// The content of the upload.
    enum Body: Equatable, Sendable {
        case file(RequestBody.SentFile)
        case bytes(Data)
    }

    var originalRequest: URLRequest
    var body: Body
    var upload: UploadFacts
    /// The name of the file that exists until the data is used.
    var token: String
    var description: String?
    var priority: Float

    private enum Key {
        static let format = "FerryUploadResumeFormat"
        static let originalRequest = "FerryOriginalRequest"
        static let file = "FerryFile"
        static let bytes = "FerryBytes"
        static let upload = "FerryUpload"
        static let token = "FerryToken"
        static let description = "FerryDescription"
        static let priority = "FerryPriority"
    }

    private static let format = 1
    private static let tokenPrefix = "upload-"

    /// Creates the data of a stopped task.
    ///
    /// - Returns: Nil if the task has no request, if the server has given the upload no resource, or if the folder for
    ///   files of resume data cannot be written.
    init?(_ task: URLSessionTask, _ body: Body, _ upload: UploadFacts, in folders: LocalFolders) {
        guard let original = task.originalRequest, upload.resource != nil, (try? folders.open()) != nil else {
            return nil
        }
        originalRequest = original
        (self.body, self.upload) = (body, upload)
        // Bytes sent while the task was being stopped are not counted.
        self.upload.reach =
            switch body {
            case .bytes(let data): Int64(data.count)
            case .file(let file): file.size
            }
        token = Self.tokenPrefix + UUID().uuidString
        description = task.taskDescription
        priority = task.priority
        let path = folders.partials + "/" + token
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            return nil
        }
    }

    /// Whether no other task could resume after an error.
    static func areUseless(after error: ServiceError) -> Bool {
        [.fileChanged, .uploadConflict].contains(error.code)
    }

    /// Marks the data as used.
    ///
    /// - Returns: False if it was used before.
    func use(in folders: LocalFolders) -> Bool { unsafe unlink(folders.partials + "/" + token) == 0 }

    /// Applies the old task's settings to the new task.
    func restore(_ task: URLSessionTask) {
        task.storage.withLock { storage in
            storage.requests.original = originalRequest
            storage.requests.current = originalRequest
        }
        task.taskDescription = description
        task.priority = priority
    }

    // MARK: The list

    /// Encodes an XML property list. Returns nil if a text cannot be represented.
    func encoded() -> Data? {
        var list: [String: Any] = [
            Key.format: Self.format, Key.originalRequest: RequestList.list(originalRequest),
            Key.token: token, Key.priority: Double(priority),
        ]
        list[Key.description] = description
        guard let upload = try? JSONEncoder().encode(upload) else { return nil }
        list[Key.upload] = String(decoding: upload, as: UTF8.self)
        switch body {
        case .bytes(let data): list[Key.bytes] = data
        case .file(let file):
            guard let file = try? JSONEncoder().encode(file) else { return nil }
            list[Key.file] = String(decoding: file, as: UTF8.self)
        }
        return try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }

    /// Decodes the result of ``encoded()``.
    ///
    /// - Returns: Nil for anything else: truncated, altered, of another version, of a download or of another system.
    init?(_ data: Data) {
        guard let list = StrictList(data), list.integer(Key.format) == Self.format,
            let original = list.list(Key.originalRequest).flatMap(RequestList.request),
            let token = list.text(Key.token), token.hasPrefix(Self.tokenPrefix),
            UUID(uuidString: String(token.dropFirst(Self.tokenPrefix.count))) != nil,
            let priority = list.real(Key.priority),
            let upload = Self.value(UploadFacts.self, list, Key.upload), upload.resource != nil
        else { return nil }
        if let bytes = list[Key.bytes] as? Data, list[Key.file] == nil {
            body = .bytes(bytes)
        } else if let file = Self.value(RequestBody.SentFile.self, list, Key.file), file.path.hasPrefix("/") {
            body = .file(file)
        } else {
            return nil
        }
        originalRequest = original
        (self.token, self.upload, self.priority) = (token, upload, Float(priority))
        description = list.text(Key.description)
    }

    private static func value<Value: Decodable>(_ type: Value.Type, _ list: StrictList, _ key: String) -> Value? {
        list.text(key).flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
}
