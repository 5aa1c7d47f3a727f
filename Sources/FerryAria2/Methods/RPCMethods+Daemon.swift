import FerryCore

/// The methods about the program itself.
extension RPCMethods {
    /// What aria2's clients ask for before they use it.
    private static let features = ["Async DNS", "GZip", "HTTPS", "Message Digest"]

    /// The version of aria2 whose interface this is, and Ferry's own.
    var version: RPCValue {
        [
            "version": "1.37.0", "enabledFeatures": .array(Self.features.map { .string($0) }),
            "ferry": ["version": .string(FerryVersion.current)],
        ]
    }

    func shutdown(isForced: Bool) throws(RPCFault) -> RPCValue {
        guard let shutdown = configuration.shutdown else {
            throw RPCFault("Ferry's daemon serves others too and is not ended over this interface.")
        }
        shutdown(isForced)
        return "OK"
    }

    /// Each download is stored before it is answered for, so there is nothing more to save without a file of the client's.
    func saveSession() async throws(RPCFault) -> RPCValue {
        if let save = configuration.saveSession {
            do throws(TransferError) { try await save() } catch { throw RPCFault(error) }
        }
        return "OK"
    }
}
