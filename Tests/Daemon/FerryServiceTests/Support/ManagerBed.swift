import FerryCore
import FerryTesting
import Foundation
import Testing

/// Helpers for tests of managers.
extension ServiceBed {
    static let managed = "managed"

    /// The manager's session.
    var session: SessionID {
        get throws { try attachment(Self.managed) { $0.isManager = true }.session() }
    }

    func attachManager(_ change: (inout SessionAttachment) -> Void = { _ in }) async throws -> AttachedApp {
        try await attach(Self.managed) { attachment in
            attachment.isManager = true
            attachment.connectionsPerHost = nil
            change(&attachment)
        }
    }

    /// Returns the common template of the manager's transfers.
    func template(_ change: (inout TransferRequest) -> Void = { _ in }) throws -> TransferRequest {
        var template = TransferRequest(url: "", folder: folder)
        template.session = try session
        template.note = ClientNote(
            application: Self.application, identifier: Self.managed, task: 0, kind: .download, data: "")
        change(&template)
        return template
    }

    /// Returns a batch with one item for each path of the origin, named after the last path component.
    func batch(
        _ paths: [String], _ change: (inout TransferRequest) -> Void = { _ in }
    ) throws -> TransferBatch {
        TransferBatch(
            templates: [try template(change)],
            items: paths.map { path in
                TransferBatch.Item(
                    template: 0, url: origin.url(path), name: path.split(separator: "/").last.map(String.init),
                    data: "data of \(path)")
            })
    }

    /// Submits a batch that must be accepted completely.
    func submit(_ batch: TransferBatch, at location: SourceLocation = #_sourceLocation) async throws -> [TransferID] {
        let report = try await service.submit(batch)
        #expect(report.results.allSatisfy { $0.error == nil }, sourceLocation: location)
        let ids = report.results.compactMap(\.id)
        #expect(ids.count == batch.items.each.count, sourceLocation: location)
        return ids
    }

    /// Performs an action on the manager's transfers, which must succeed. Returns the number of the last event.
    @discardableResult
    func perform(
        _ action: SessionAction, on ids: [TransferID]? = nil, at location: SourceLocation = #_sourceLocation
    ) async throws -> Int64 {
        let report = try await service.act(action, in: session, on: ids.map(TransferIDRuns.init))
        #expect(report.failures == [], sourceLocation: location)
        return report.lastEvent
    }

    /// All transfers of the manager.
    var transfers: [Transfer] {
        get async throws {
            var query = TransferQuery()
            query.session = try session
            query.limit = 1000
            return try await service.transfers(query).transfers
        }
    }

    func limitManager(to count: Int) async throws {
        _ = try await service.changeSession(session, to: SessionSettings(activeTransfers: count))
    }
}

extension AttachedApp {
    /// Waits until the session has received its events up to a number.
    func wait(through number: Int64) async throws {
        try await eventually("event \(number) is told") { self.through >= number }
    }
}
