import FerryAPI
import FerryCore
import HTTPTypes
import Hummingbird

/// Routes about transfers.
extension ControlAPI {
    func addTransferRoutes(to router: OfferedRoutes) {
        router.respond(to: AddTransfer.self) { request, _ in
            try request.hasNoQuery()
            let transfer = try await add(request.value(TransferRequest.self))
            let address = GetTransfer.route.target(transfer.id.description)
            return try .json(transfer, status: .created, headers: [.location: address])
        }
        router.respond(to: ListQueue.self) { request, _ in
            let (query, isShort) = try ListQueue.query(request.queryItems())
            let page = TransferPage(transfers: try await service.queue(query), next: nil)
            return isShort ? try .json(ListTransfers.ShortPage(page)) : try .json(page)
        }
        router.serve(GetRanges.self) { request, context in
            try request.hasNoQuery()
            let transfer = try await service.transfer(context.transferID())
            return GetRanges.Response(durable: transfer.own.durable)
        }
        router.serve(CountQueue.self) { request, _ in
            try await service.queueCounts(of: CountQueue.session(request.queryItems()))
        }
        router.serve(MoveTransfer.self) { request, context in
            try request.hasNoQuery()
            let place = try await service.move(context.transferID(), request.value(QueueMove.self))
            return MoveTransfer.Response(place: place)
        }
        router.respond(to: ListTransfers.self) { request, _ in
            let (query, isShort) = try ListTransfers.query(request.queryItems())
            let page = try await service.transfers(query)
            return isShort ? try .json(ListTransfers.ShortPage(page)) : try .json(page)
        }
        router.serve(GetTransfer.self) { request, context in
            try request.hasNoQuery()
            return try await service.transfer(context.transferID())
        }
        router.serve(GetRequest.self) { request, context in
            try request.hasNoQuery()
            return try await service.request(of: context.transferID())
        }
        router.serve(ChangeTransfer.self) { request, context in
            try request.hasNoQuery()
            return try await service.change(context.transferID(), request.value(TransferChange.self))
        }
        router.serve(DeleteTransfer.self) { request, context in
            let deletesFile = try DeleteTransfer.deletesFile(request.queryItems())
            return try await remove(context.transferID(), withFile: deletesFile)
        }
        router.serve(ReleaseTransfer.self) { request, context in
            try request.hasNoQuery()
            return ReleaseTransfer.Response(source: try await service.release(context.transferID()))
        }
        router.serve(ActOnTransfers.self) { request, _ in
            try request.hasNoQuery()
            let body = try await request.value(ActOnTransfers.Request.self)
            return ActOnTransfers.Response(results: try await service.act(body.action, on: body.selection))
        }
    }

    private func add(_ request: TransferRequest) async throws(ServiceError) -> Transfer {
        switch try await service.submit([request]).first {
        case .accepted(let transfer): return transfer
        case .refused(let error): throw error
        case nil: throw ServiceError(.internal, "The service returned no result for a request.")
        }
    }

    private func remove(_ id: TransferID, withFile: Bool) async throws(ServiceError) -> ActionResult {
        let results = try await service.act(
            withFile ? .removeWithFile : .remove, on: TransferSelection(ids: [id]))
        guard let result = results.first else {
            throw ServiceError(.unknownTransfer, "There is no transfer \(id).")
        }
        if let error = result.error { throw error }
        return result
    }
}
