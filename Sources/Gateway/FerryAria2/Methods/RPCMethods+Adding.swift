import FerryCore

/// The method that adds a download.
extension RPCMethods {
    func addURI(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let texts = try parameters.texts(at: 0)
        let given = try parameters.optionalOptions(at: 1)
        let position = try parameters.position(at: 2)
        let urls = try DownloadURLs(reading: texts)
        let options = memory.globals.filter(OptionNames.isKnown).merging(try known(given))
        let request = try self.request(urls, options)
        let custom = try options.text("gid").map { (text) throws(RPCFault) in try GID.custom(text) }
        let download = try await naming(custom) { () async throws(RPCFault) in
            try await submit(request, urls, options, gid: custom)
        }
        if let position { await put(download, at: position) }
        return .string(download.gid)
    }

    /// Returns the download options among the given ones. Logs the names that aria2 does not have.
    ///
    /// - Parameter others: Options to ignore.
    /// - Throws: ``RPCFault`` naming an option with an invalid value.
    func known(
        _ members: [String: RPCValue], except others: Set<String> = []
    ) throws(RPCFault) -> OptionValues {
        let options = OptionValues(reading: members)
        let unknown = options.names.filter { !OptionNames.isKnown($0) && OptionTable[$0] == nil }
        if !unknown.isEmpty {
            let names = unknown.sorted().prefix(16).map { $0.prefix(64).description.escapingControls }
            configuration.log("Options that cannot be given here are ignored: \(names.joined(separator: ", ")).")
        }
        return try options.filter { OptionNames.isKnown($0) && !others.contains($0) }.canonical()
    }

    /// Moves a newly added download. Only logs an error, because an error response would make the client add it again.
    private func put(_ download: Download, at position: Int) async {
        do throws(ServiceError) { _ = try await service.move(download.transfer.id, QueueMove(position)) } catch {
            configuration.log("\(download.gid) was added, but not moved to place \(position): \(error.message)")
        }
    }

    private func request(_ urls: DownloadURLs, _ options: OptionValues) throws(RPCFault) -> TransferRequest {
        var request = try options.request(for: urls, folder: configuration.folder())
        request.session = configuration.session
        if let name = options.text("ferry-session") {
            do throws(ServiceError) { request.session = try SessionID(name) } catch { throw RPCFault(error) }
        }
        return request
    }

    /// Reserves a gid while the transfer that gets it is created.
    ///
    /// - Throws: ``RPCFault`` if the gid is taken.
    private func naming(
        _ gid: String?, _ body: () async throws(RPCFault) -> Download
    ) async throws(RPCFault) -> Download {
        guard let gid else { return try await body() }
        guard memory.reserve(gid) else { throw .notUnique(gid) }
        defer { memory.release(gid) }
        guard try await !downloads.isTaken(gid) else { throw .notUnique(gid) }
        return try await body()
    }

    /// Submits a request whose file exists, as a batch of one, which stores it as failed.
    private func submitFailing(_ request: TransferRequest) async throws(RPCFault) -> Download {
        do throws(ServiceError) {
            let report = try await service.submit(TransferBatch([request]))
            guard let result = report.results.first, let id = result.id else {
                throw report.results.first?.error ?? ServiceError(.internal, "The download was not stored.")
            }
            return Download(try await service.transfer(id))
        } catch { throw RPCFault(error) }
    }

    private func submit(
        _ request: TransferRequest, _ urls: DownloadURLs, _ options: OptionValues, gid: String?
    ) async throws(RPCFault) -> Download {
        var request = request
        let note = DownloadNote(gid: gid, urls: urls, options: options)
        request.note = note.clientNote
        if let gid { request.tags.append(GID.tag(gid)) }
        let results: [SubmissionResult]
        do throws(ServiceError) { results = try await service.submit([request]) } catch { throw RPCFault(error) }
        switch results.first {
        case .accepted(let transfer):
            memory.setSecrets(options.filter(note.withheld.contains), of: transfer)
            return Download(transfer)
        // As in aria2, an existing file fails the download, not the call.
        case .refused(let error) where error.code == .destinationExists: return try await submitFailing(request)
        case .refused(let error): throw RPCFault(error)
        case nil: throw RPCFault("The download was not stored.")
        }
    }
}
