import FerryCore

/// The methods that show and change options.
extension RPCMethods {
    func option(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let download = try await downloads.find(parameters)
        let options = OptionTable.usualOfDownloads.merging(options(of: download))
        return options.filter { !OptionNames.secret.contains($0) }.value
    }

    /// Returns the options given with a download, with current values from the transfer.
    private func options(of download: Download) -> OptionValues {
        let transfer = download.transfer
        var options = (download.note?.options ?? OptionValues()).merging(memory.secrets(of: transfer))
        options["dir"] = transfer.folder
        options["max-download-limit"] = transfer.rateLimit.description
        options["out"] = transfer.names.given
        return options
    }

    func changeOption(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let gid = try parameters.text(at: 0)
        let members = try parameters.options(at: 1)
        let download = try await downloads.find(gid)
        guard !download.status.isStopped else { throw .cannotChange(download.gid) }
        let given = try known(members, except: OptionNames.atStart)
        guard !given.isEmpty else { return "OK" }
        try checkSecrets(of: download, given.names)
        let options = options(of: download).merging(given)
        var change = try options.change(
            of: download.transfer, given: given.names, urls: download.urls, folder: configuration.folder())
        // The fields belong to this URL. Another client may change it in the meantime.
        if change.headers != nil { change.url = download.transfer.url }
        let note = DownloadNote(gid: download.note?.gid, urls: download.urls, options: options)
        // Keeps the note of a transfer that another client added.
        if download.transfer.note == nil || download.note != nil { change.note = note.stored }
        try await self.change(download, change)
        memory.setSecrets(options.filter(note.withheld.contains), of: download.transfer)
        let notLive = OptionValues.notLive(given.names)
        if !notLive.isEmpty {
            configuration.log(
                "Options that apply only at the start of a download were stored: \(notLive.sorted().joined(separator: ", "))."
            )
        }
        return "OK"
    }

    /// Checks that all secret header fields are known. A change replaces all fields, so a missing secret would be
    /// dropped.
    private func checkSecrets(of download: Download, _ given: Set<String>) throws(RPCFault) {
        guard !given.isDisjoint(with: OptionNames.fields), !given.contains("header") else { return }
        guard download.note != nil || download.transfer.session == configuration.session else {
            throw RPCFault("Another client has added this download; give all of its header fields with --header.")
        }
        let known = memory.secrets(of: download.transfer).names.union(given)
        let lost = (download.note?.withheld ?? []).intersection(OptionNames.fields).subtracting(known).sorted()
        guard lost.isEmpty else {
            throw RPCFault("Secrets are not kept with a download; give --\(lost.joined(separator: " and --")) too.")
        }
    }

    // MARK: All downloads

    func globalOption() async throws(RPCFault) -> RPCValue {
        let settings = try await sessionSettings()
        var limit = settings.activeTransfers
        if limit == nil {
            limit = try await asking { () async throws(ServiceError) in try await service.settings().activeTransfers }
        }
        var options = OptionTable.usualOfAll.merging(OptionValues(configuration.programOptions()))
            .merging(memory.globals)
        options["dir"] = options.folder(in: configuration.folder())
        options["max-concurrent-downloads"] = limit?.description
        options["max-overall-download-limit"] = settings.rateLimit.description
        return options.filter { !OptionNames.secret.contains($0) }.value
    }

    func changeGlobalOption(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let members = try parameters.options(at: 0)
        var given = try known(members, except: OptionNames.ofOneDownload)
        let global = try OptionValues(reading: members).filter(OptionNames.isOfAll).canonical()
        given = given.merging(
            global.filter { !["max-concurrent-downloads", "max-overall-download-limit"].contains($0) })
        let options = memory.globals.merging(given)
        try checkPaths(of: given)
        // Rejects invalid defaults here instead of with each later download.
        _ = try options.request(for: DownloadURLs("http://localhost/"), folder: configuration.folder())
        try await changeLimits(
            downloads: try global.whole("max-concurrent-downloads", 1...Int.max),
            rate: try global.rateLimit("max-overall-download-limit"))
        memory.setGlobals(options)
        return "OK"
    }

    /// Changes the limits of the interface's own session. Other sessions are not affected.
    private func changeLimits(downloads: Int?, rate: Int64?) async throws(RPCFault) {
        guard downloads != nil || rate != nil else { return }
        var change = SessionSettingsChange()
        if let downloads { change.activeTransfers = SettingRange<Int>.activeTransfers.clamp(downloads) }
        change.rateLimit = rate
        do throws(ServiceError) {
            _ = try await service.changeSession(configuration.session, change)
        } catch { throw RPCFault(error) }
    }

    private func sessionSettings() async throws(RPCFault) -> SessionSettings {
        do throws(ServiceError) {
            return try await service.sessions().first { $0.id == configuration.session }?.settings
                ?? SessionSettings()
        } catch { throw RPCFault(error) }
    }
}

/// The method that changes the URLs of a download.
extension RPCMethods {
    func changeURI(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let gid = try parameters.text(at: 0)
        let file = try parameters.integer(at: 1, atLeast: 1)
        let (removed, added) = (try parameters.texts(at: 2), try parameters.texts(at: 3))
        let position = try parameters.position(at: 4)
        let download = try await downloads.find(gid)
        guard file == 1 else { throw .fileIndex }
        guard !download.status.isStopped else { throw .keepsURIs(download.gid) }
        let edit = download.urls.edited(removing: removed, adding: added, at: position)
        guard let urls = DownloadURLs(edit.urls) else {
            throw RPCFault("A download keeps one URL at least; add another one.")
        }
        if urls != download.urls {
            var change = TransferChange()
            change.url = urls.first == download.urls.first ? nil : urls.first
            change.mirrors = urls.mirrors
            var note = download.note ?? DownloadNote(gid: nil, urls: urls, options: OptionValues())
            note.urls = urls.all.count == 1 ? [] : urls.all
            // Keeps the note of a transfer that another client added.
            if download.transfer.note == nil || download.note != nil { change.note = note.stored }
            try await self.change(download, change)
        }
        return [.integer(edit.removed), .integer(edit.added)]
    }

    func change(_ download: Download, _ change: TransferChange) async throws(RPCFault) {
        do throws(ServiceError) { _ = try await service.change(download.transfer.id, change) } catch {
            throw RPCFault(error)
        }
    }
}
