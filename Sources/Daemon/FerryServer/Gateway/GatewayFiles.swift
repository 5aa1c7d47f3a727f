import FerryAPI
import FerryCore
import FerryFoundation
import FerrySystem
import Foundation

/// The files with the gateway's settings, secret and clients. Only their owner can read them.
struct GatewayFiles: Sendable {
    let folder: String

    /// A paired client with its token.
    struct StoredClient: Hashable, Codable, Sendable {
        var client: GatewayClient
        var token: String
    }

    private var settingsPath: String { folder + "/settings.json" }
    private var secretPath: String { folder + "/secret" }
    private var clientsPath: String { folder + "/clients.json" }

    /// - Throws: ``ServiceError`` with code `internal` if the file exists and is unreadable. The user's settings are
    ///   never replaced by defaults.
    func settings() throws(ServiceError) -> GatewaySettings? { try value(GatewaySettings.self, settingsPath) }

    func clients() throws(ServiceError) -> [StoredClient] { try value([StoredClient].self, clientsPath) ?? [] }

    /// Returns the secret, or `nil` if there is none yet.
    ///
    /// - Throws: ``ServiceError`` if it is unreadable, or damaged: shorter than 16 bytes.
    func secret() throws(ServiceError) -> String? {
        guard let bytes = try read(secretPath) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= 16 else {
            throw ServiceError(
                .internal,
                "The gateway's secret in \(secretPath.escapingControls) is damaged; `ferry gateway secret --new` creates a new one."
            )
        }
        return text
    }

    func save(_ settings: GatewaySettings) throws(ServiceError) { try write(try Self.json(settings), settingsPath) }
    func save(_ clients: [StoredClient]) throws(ServiceError) { try write(try Self.json(clients), clientsPath) }
    func save(secret: String) throws(ServiceError) { try write(Data((secret + "\n").utf8), secretPath) }

    // MARK: -

    private func value<Value: Decodable>(_ type: Value.Type, _ path: String) throws(ServiceError) -> Value? {
        guard let bytes = try read(path) else { return nil }
        do { return try APIJSON.decoder.decode(type, from: bytes) } catch {
            throw ServiceError(
                .internal,
                "The gateway's file \(path.escapingControls) cannot be read; move it away and set up the gateway again."
            )
        }
    }

    private static func json(_ value: some Encodable) throws(ServiceError) -> Data {
        do { return Data(try APIJSON.bytes(value)) } catch {
            throw ServiceError(.internal, "The gateway's settings cannot be written as JSON: \(error)")
        }
    }

    private func read(_ path: String) throws(ServiceError) -> Data? {
        do { return try Data(contentsOf: URL(filePath: path)) } catch {
            guard (error as? CocoaError)?.code == .fileReadNoSuchFile else {
                throw ServiceError(.internal, "\(path.escapingControls) cannot be read: \(error.localizedDescription)")
            }
            return nil
        }
    }

    /// Replaces a file atomically. After a power cut it is either the old or the new one.
    private func write(_ bytes: Data, _ path: String) throws(ServiceError) {
        try PrivateFolder.make(folder)
        let new = path + ".new"
        _ = unsafe unlink(new)
        let descriptor = unsafe open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
        defer { close(descriptor) }
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: bytes)
        } catch { throw Self.failure(path) }
        guard syncIfOffered(descriptor), unsafe rename(new, path) == 0 else { throw Self.failure(path) }
        let parent = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Self.failure(path) }
        defer { close(parent) }
        guard syncIfOffered(parent) else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> ServiceError {
        let number = errno
        return ServiceError(
            number == ENOSPC ? .diskFull : .internal,
            "\(path.escapingControls) cannot be written: \(unsafe String(cString: strerror(number))).",
            details: ErrorDetails(errno: number))
    }
}
