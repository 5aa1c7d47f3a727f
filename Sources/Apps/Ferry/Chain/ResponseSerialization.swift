public import Dispatch
public import Foundation

/// Serializes a downloaded file to a value.
public protocol DownloadResponseSerializerProtocol {
    associatedtype SerializedObject

    /// The closure that returns the value for a request, its response, its file and its error. Called on the manager's
    /// operation queue.
    var serializeResponse: (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> AFResult<SerializedObject> { get }
}

/// Serializes a downloaded file with a closure.
public struct DownloadResponseSerializer<Value>: DownloadResponseSerializerProtocol {
    public var serializeResponse: (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> AFResult<Value>

    public init(
        serializeResponse: @escaping (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> AFResult<Value>
    ) {
        self.serializeResponse = serializeResponse
    }
}

extension DownloadRequest {
    /// Calls a closure with the value serialized from the file.
    ///
    /// - Parameters:
    ///   - queue: Nil for the main queue.
    ///   - responseSerializer: The serializer.
    ///   - completionHandler: The closure.
    @discardableResult
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        queue: DispatchQueue? = nil, responseSerializer: Serializer,
        completionHandler: @escaping Handler<DownloadResponse<Serializer.SerializedObject>>
    ) -> Self {
        let serializer = UnsafeTransfer(value: responseSerializer.serializeResponse)
        return respond(on: queue) { response in
            let result = serializer.value(response.request, response.response, response.fileURL, response.error)
            let made = UnsafeTransfer(
                value: DownloadResponse(response, result, serialized: Date().timeIntervalSinceReferenceDate))
            return { completionHandler(made.value) }
        }
    }

    // MARK: Bytes

    public class func dataResponseSerializer() -> DownloadResponseSerializer<Data> {
        serializer({ data, _ in .success(data) }, empty: { Data() })
    }

    /// Calls a closure with the contents of the file.
    @discardableResult
    public func responseData(
        queue: DispatchQueue? = nil, completionHandler: @escaping Handler<DownloadResponse<Data>>
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.dataResponseSerializer(), completionHandler: completionHandler)
    }

    // MARK: Text

    /// - Parameter encoding: Nil for the response's encoding, or ISO Latin 1.
    public class func stringResponseSerializer(
        encoding: String.Encoding? = nil
    ) -> DownloadResponseSerializer<String> {
        serializer { data, response in
            let encoding = encoding ?? response?.textEncodingName.flatMap(TextEncoding.named) ?? .isoLatin1
            guard let text = String(data: data, encoding: encoding) else {
                return .failure(
                    AFError.responseSerializationFailed(reason: .stringSerializationFailed(encoding: encoding)))
            }
            return .success(text)
        } empty: {
            ""
        }
    }

    /// Calls a closure with the text of the file.
    @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil, encoding: String.Encoding? = nil,
        completionHandler: @escaping Handler<DownloadResponse<String>>
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.stringResponseSerializer(encoding: encoding),
            completionHandler: completionHandler)
    }

    // MARK: Objects

    public class func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .allowFragments
    ) -> DownloadResponseSerializer<Any> {
        objectSerializer {
            try JSONSerialization.jsonObject(with: $0, options: options)
        } failure: {
            .jsonSerializationFailed(error: $0)
        }
    }

    /// Calls a closure with the JSON object in the file.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue? = nil, options: JSONSerialization.ReadingOptions = .allowFragments,
        completionHandler: @escaping Handler<DownloadResponse<Any>>
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.jsonResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    public class func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DownloadResponseSerializer<Any> {
        objectSerializer {
            try unsafe PropertyListSerialization.propertyList(from: $0, options: options, format: nil)
        } failure: {
            .propertyListSerializationFailed(error: $0)
        }
    }

    /// Calls a closure with the property list in the file.
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue? = nil, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping Handler<DownloadResponse<Any>>
    ) -> Self {
        response(
            queue: queue, responseSerializer: Self.propertyListResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    // MARK: -

    /// Statuses of responses without content (RFC 9110 §15.3.5, §15.3.6).
    private static let emptyStatuses: Set<Int> = [204, 205]

    private static func objectSerializer(
        _ make: @escaping (Data) throws -> Any,
        failure: @escaping (any Error) -> AFError.ResponseSerializationFailureReason
    ) -> DownloadResponseSerializer<Any> {
        serializer { data, _ in
            guard !data.isEmpty else {
                return .failure(AFError.responseSerializationFailed(reason: .inputDataNilOrZeroLength))
            }
            do {
                return .success(try make(data))
            } catch {
                return .failure(AFError.responseSerializationFailed(reason: failure(error)))
            }
        } empty: {
            NSNull()
        }
    }

    private static func serializer<Value>(
        _ make: @escaping (Data, HTTPURLResponse?) -> AFResult<Value>, empty: @escaping () -> Value
    ) -> DownloadResponseSerializer<Value> {
        DownloadResponseSerializer { _, response, file, error in
            if let error { return .failure(error) }
            guard let file else { return .failure(AFError.responseSerializationFailed(reason: .inputFileNil)) }
            guard let data = try? Data(contentsOf: file) else {
                return .failure(AFError.responseSerializationFailed(reason: .inputFileReadFailed(at: file)))
            }
            if let status = response?.statusCode, emptyStatuses.contains(status), data.isEmpty {
                return .success(empty())
            }
            return make(data, response)
        }
    }
}

/// Text encodings by name (IANA character sets).
enum TextEncoding {
    static func named(_ name: String) -> String.Encoding? {
        switch name.lowercased() {
        case "utf-8", "utf8": .utf8
        case "us-ascii", "ascii": .ascii
        case "iso-8859-1", "latin1": .isoLatin1
        case "iso-8859-2", "latin2": .isoLatin2
        case "utf-16": .utf16
        case "utf-16be": .utf16BigEndian
        case "utf-16le": .utf16LittleEndian
        case "utf-32": .utf32
        case "windows-1250": .windowsCP1250
        case "windows-1251": .windowsCP1251
        case "windows-1252": .windowsCP1252
        case "windows-1253": .windowsCP1253
        case "windows-1254": .windowsCP1254
        case "shift_jis": .shiftJIS
        case "euc-jp": .japaneseEUC
        case "iso-2022-jp": .iso2022JP
        case "macintosh": .macOSRoman
        default: nil
        }
    }
}
