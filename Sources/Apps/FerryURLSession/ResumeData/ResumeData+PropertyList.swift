import FerryCore
import Foundation
import FoundationNetworking

/// Encoding of resume data as a property list.
extension ResumeData {
    private enum Key {
        static let version = "NSURLSessionResumeInfoVersion"
        static let fileName = "NSURLSessionResumeInfoTempFileName"
        static let url = "NSURLSessionDownloadURL"
        static let received = "NSURLSessionResumeBytesReceived"
        static let entityTag = "NSURLSessionResumeEntityTag"
        static let serverDate = "NSURLSessionResumeServerDownloadDate"
        static let range = "NSURLSessionResumeByteRange"
        static let originalRequest = "NSURLSessionResumeOriginalRequest"
        static let currentRequest = "NSURLSessionResumeCurrentRequest"
        static let format = "FerryResumeFormat"
        static let expectedLength = "FerryExpectedLength"
        static let directory = "FerryDirectory"
        static let task = "FerryTask"
        static let responseDate = "FerryResponseDate"
        static let pendingDigests = "FerryPendingDigests"
    }

    private enum TaskKey {
        static let description = "Description"
        static let priority = "Priority"
        static let options = "Options"
    }

    /// Encodes an XML property list. Returns nil if a text cannot be represented, such as a control character in a
    /// task's description.
    func encoded() -> Data? {
        var list: [String: Any] = [
            Key.version: Self.appleVersion, Key.format: Self.format, Key.fileName: fileName,
            Key.directory: directory.rawValue, Key.received: received, Key.expectedLength: expectedLength,
            Key.url: currentRequest.url?.absoluteString ?? "",
            Key.originalRequest: RequestList.list(originalRequest),
            Key.currentRequest: RequestList.list(currentRequest),
        ]
        list[Key.entityTag] = entityTag
        list[Key.serverDate] = serverDate
        list[Key.responseDate] = responseDate
        list[Key.pendingDigests] = pendingDigests.flatMap { try? JSONEncoder().encode($0) }
            .map { String(decoding: $0, as: UTF8.self) }
        list[Key.range] = originalRequest.value(forHTTPHeaderField: "Range")
        var task: [String: Any] = [TaskKey.priority: Double(priority)]
        task[TaskKey.description] = description
        task[TaskKey.options] = options.flatMap(Self.list)
        list[Key.task] = task
        return try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }

    /// Decodes the result of ``encoded()``.
    ///
    /// - Returns: Nil for anything else: truncated, altered, of another version, or of another system. Unknown keys are
    ///   ignored.
    init?(_ data: Data) {
        guard let list = StrictList(data),
            list.integer(Key.format) == Self.format, list.integer(Key.version) != nil, list.text(Key.url) != nil,
            let fileName = list.text(Key.fileName), Self.isPlain(fileName),
            let directory = list.text(Key.directory).flatMap(Directory.init),
            let received = list.integer(Key.received), received >= 0,
            let expected = list.integer(Key.expectedLength), expected >= -1,
            let original = list.list(Key.originalRequest).flatMap(RequestList.request),
            let current = list.list(Key.currentRequest).flatMap(RequestList.request),
            let entityTag = Self.optional(list, Key.entityTag), let serverDate = Self.optional(list, Key.serverDate),
            let responseDate = Self.optional(list, Key.responseDate), let pending = Self.digests(list),
            Self.optional(list, Key.range) != nil,
            let task = list.list(Key.task), let priority = task.real(TaskKey.priority),
            let description = Self.optional(task, TaskKey.description),
            let options = Self.options(task)
        else { return nil }
        self.fileName = fileName
        self.directory = directory
        self.received = Int64(received)
        expectedLength = Int64(expected)
        self.entityTag = entityTag
        self.serverDate = serverDate
        self.responseDate = responseDate
        pendingDigests = pending
        originalRequest = original
        currentRequest = current
        self.description = description
        self.priority = Float(priority)
        self.options = options
    }

    /// Whether a name is a single file name without a path.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
    }

    /// Returns an optional text; the outer nil means a value of another type.
    private static func optional(_ list: StrictList, _ key: String) -> String?? {
        list[key] == nil ? .some(nil) : list.text(key).map { .some($0) }
    }

    /// Returns the optional digests; the outer nil means a value of another type.
    private static func digests(_ list: StrictList) -> PendingDigests?? {
        guard let text = optional(list, Key.pendingDigests) else { return nil }
        guard let text else { return .some(nil) }
        return (try? JSONDecoder().decode(PendingDigests.self, from: Data(text.utf8))).map { .some($0) }
    }

    private static func list(_ options: TaskOptions) -> Any? {
        guard let data = try? PropertyListEncoder().encode(options) else { return nil }
        return unsafe try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    }

    /// Returns the optional options; the outer nil means a value of another type.
    private static func options(_ task: StrictList) -> TaskOptions?? {
        guard let value = task[TaskKey.options] else { return .some(nil) }
        guard PropertyListSerialization.propertyList(value, isValidFor: .xml),
            let data = try? PropertyListSerialization.data(fromPropertyList: value, format: .xml, options: 0),
            let options = try? PropertyListDecoder().decode(TaskOptions.self, from: data)
        else { return nil }
        return .some(options)
    }
}
