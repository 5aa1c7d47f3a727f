import FerryCore
import FerryTesting
import Foundation
import Testing

/// A service with an origin and a destination folder.
struct ServiceBed: Sendable {
    let service: any SessionService
    let origin: ScriptedOrigin
    /// Folder for the state, the socket and the destination folder.
    let outside: TemporaryFolder

    /// The destination folder.
    var folder: String { outside.file("in") }

    /// Names of the files in the destination folder.
    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    /// Returns a request for a path of the origin or for another URL.
    func request(_ place: String = "/file.bin", _ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRequest
    {
        var request = TransferRequest(url: place.hasPrefix("/") ? origin.url(place) : place, folder: folder)
        change(&request)
        return request
    }

    // MARK: Calls

    @discardableResult
    func add(
        _ path: String = "/file.bin", _ change: (inout TransferRequest) -> Void = { _ in },
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Transfer {
        try #require(await add([request(path, change)], at: location).first, sourceLocation: location)
    }

    /// Submits requests that must all be accepted.
    @discardableResult
    func add(_ requests: [TransferRequest], at location: SourceLocation = #_sourceLocation) async throws -> [Transfer] {
        let results = try await service.submit(requests)
        #expect(results.count == requests.count, sourceLocation: location)
        return try results.map { result in
            switch result {
            case .accepted(let transfer): return transfer
            case .refused(let error):
                Issue.record(error, sourceLocation: location)
                throw error
            }
        }
    }

    /// Submits a request that must be rejected, and returns the error.
    func refusal(of request: TransferRequest, at location: SourceLocation = #_sourceLocation) async throws
        -> ServiceError
    {
        let result = try #require(await service.submit([request]).first, sourceLocation: location)
        guard case .refused(let error) = result else {
            throw TestingError("The request was accepted: \(result)")
        }
        return error
    }

    /// Performs an action on one transfer, which must succeed.
    @discardableResult
    func act(
        _ action: TransferAction, _ id: TransferID, at location: SourceLocation = #_sourceLocation
    ) async throws -> TransferState? {
        let results = try await service.act(action, on: TransferSelection(ids: [id]))
        let result = try #require(results.first, sourceLocation: location)
        #expect(results.count == 1 && result.id == id && result.error == nil, sourceLocation: location)
        return result.state
    }

    // MARK: Waiting

    /// Waits until a condition holds for a transfer and returns the transfer.
    @discardableResult
    func wait(
        for id: TransferID, _ what: String = "the condition", until condition: (Transfer) -> Bool
    ) async throws -> Transfer {
        var last: Transfer?
        do {
            try await eventually(what) {
                let transfer = try await service.transfer(id)
                last = transfer
                return condition(transfer)
            }
        } catch let error as TestingError {
            throw TestingError("\(error) It is: \(last.map(String.init(describing:)) ?? "unknown")")
        }
        return try #require(last)
    }

    @discardableResult
    func wait(for id: TransferID, _ state: TransferState) async throws -> Transfer {
        try await wait(for: id, state.rawValue) { transfer in
            transfer.state == state
        }
    }

    @discardableResult
    func wait(for id: TransferID, waiting reason: WaitReason) async throws -> Transfer {
        try await wait(for: id, "waiting for \(reason.rawValue)") { $0.state == .waiting && $0.reason == reason }
    }

    /// Waits until a transfer has received `bytes` bytes of a response that is held there.
    func wait(for id: TransferID, received bytes: Int64) async throws {
        try await wait(for: id, "\(bytes) bytes") { $0.bytesReceived == bytes }
    }

    // MARK: Requests

    /// The paths requested from the origin, in order.
    var asked: [String] { origin.requests.map(\.path) }

    /// Returns the Range fields of the requests for a path.
    func ranges(_ path: String = "/file.bin") -> [String?] {
        origin.requests.filter { $0.path == path }.map { $0.value("Range") }
    }

    func changeSettings(_ change: (inout ServiceSettingsChange) -> Void) async throws {
        var settings = ServiceSettingsChange()
        change(&settings)
        _ = try await service.changeSettings(settings)
    }
}
