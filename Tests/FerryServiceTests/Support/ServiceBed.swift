import FerryCore
import FerryTesting
import Foundation
import Testing

/// A service with an origin to fetch from and a folder to fetch to.
struct ServiceBed: Sendable {
    let service: any SessionService
    let origin: ScriptedOrigin
    /// Holds state, socket and the folder of the files.
    let outside: TemporaryFolder

    /// The folder that files go to.
    var folder: String { outside.file("in") }

    /// What lies in the folder that files go to.
    var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    /// A request for a path of the origin, or for another URL.
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

    /// Submits requests of which none may be refused.
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

    /// Submits a request that is to be refused.
    func refusal(of request: TransferRequest, at location: SourceLocation = #_sourceLocation) async throws
        -> ServiceError
    {
        let result = try #require(await service.submit([request]).first, sourceLocation: location)
        guard case .refused(let error) = result else {
            throw TestingError("The request was accepted: \(result)")
        }
        return error
    }

    /// Acts on one transfer and requires that it is no error.
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

    /// Returns the transfer once a condition holds for it.
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

    /// Waits until a transfer has received that many bytes of a response that is held there.
    func wait(for id: TransferID, received bytes: Int64) async throws {
        try await wait(for: id, "\(bytes) bytes") { $0.bytesReceived == bytes }
    }

    // MARK: Requests

    /// The paths that the origin was asked for, in order.
    var asked: [String] { origin.requests.map(\.path) }

    /// The value of Range in the requests for a path.
    func ranges(_ path: String = "/file.bin") -> [String?] {
        origin.requests.filter { $0.path == path }.map { $0.value("Range") }
    }

    func changeSettings(_ change: (inout ServiceSettingsChange) -> Void) async throws {
        var settings = ServiceSettingsChange()
        change(&settings)
        _ = try await service.changeSettings(settings)
    }
}
