import FerryCore

/// The method that writes a session file.
extension RPCMethods {
    /// Writes the unfinished downloads to the file of the global option `save-session`. Without it there is nothing to
    /// do: each download is durable before its call returns.
    func saveSession() async throws(RPCFault) -> RPCValue {
        guard let path = memory.globals.text("save-session"), let save = configuration.saveSession else { return "OK" }
        let text = try await sessionText()
        try await asking { () async throws(ServiceError) in try await save(path, text) }
        return "OK"
    }

    /// Returns the unfinished downloads in the form of aria2's input files: the URLs, then one line for each option.
    /// Secrets are left out.
    private func sessionText() async throws(RPCFault) -> String {
        var text = ""
        let unfinished: [TransferState] = [.running, .waiting, .suspended, .failed]
        try await downloads.forEachGroup(unfinished, of: downloads.listed) { (transfers) throws(RPCFault) in
            for transfer in transfers {
                text += Self.entry(Download(transfer))
                guard text.utf8.count <= RPCRun.mostBytes else { throw .tooLarge }
            }
        }
        return text
    }

    private static func entry(_ download: Download) -> String {
        var lines = [download.urls.all.joined(separator: "\t"), " gid=\(download.gid)"]
        var options = (download.note?.options ?? OptionValues()).filter { !OptionNames.secret.contains($0) }
        options["dir"] = download.transfer.folder
        options["out"] = download.transfer.names.given
        options["pause"] = download.status == .paused ? "true" : nil
        for (name, value) in options.values.sorted(by: { $0.key < $1.key }) {
            for line in value.split(separator: "\n") { lines.append(" \(name)=\(line)") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Checks the paths among global options before they are stored.
    func checkPaths(of options: OptionValues) throws(RPCFault) {
        do throws(ServiceError) {
            if options.text("dir") != nil {
                try configuration.checkFolder(options.folder(in: configuration.folder()))
            }
            if let path = options.text("save-session") {
                guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw CallerPath.notAbsolute(path) }
                try CallerPath.check(path)
                try configuration.checkFolder(path.folderPart)
            }
        } catch { throw RPCFault(error) }
    }
}
