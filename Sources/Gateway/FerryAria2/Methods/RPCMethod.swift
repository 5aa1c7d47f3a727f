import FerryCore

/// The methods of aria2's interface by their names on the wire, in aria2's order.
enum RPCMethod: String, CaseIterable {
    case addUri = "aria2.addUri"
    case addTorrent = "aria2.addTorrent"
    case getPeers = "aria2.getPeers"
    case addMetalink = "aria2.addMetalink"
    case remove = "aria2.remove"
    case pause = "aria2.pause"
    case forcePause = "aria2.forcePause"
    case pauseAll = "aria2.pauseAll"
    case forcePauseAll = "aria2.forcePauseAll"
    case unpause = "aria2.unpause"
    case unpauseAll = "aria2.unpauseAll"
    case forceRemove = "aria2.forceRemove"
    case changePosition = "aria2.changePosition"
    case tellStatus = "aria2.tellStatus"
    case getUris = "aria2.getUris"
    case getFiles = "aria2.getFiles"
    case getServers = "aria2.getServers"
    case tellActive = "aria2.tellActive"
    case tellWaiting = "aria2.tellWaiting"
    case tellStopped = "aria2.tellStopped"
    case getOption = "aria2.getOption"
    case changeUri = "aria2.changeUri"
    case changeOption = "aria2.changeOption"
    case getGlobalOption = "aria2.getGlobalOption"
    case changeGlobalOption = "aria2.changeGlobalOption"
    case purgeDownloadResult = "aria2.purgeDownloadResult"
    case removeDownloadResult = "aria2.removeDownloadResult"
    case getVersion = "aria2.getVersion"
    case getSessionInfo = "aria2.getSessionInfo"
    case shutdown = "aria2.shutdown"
    case forceShutdown = "aria2.forceShutdown"
    case getGlobalStat = "aria2.getGlobalStat"
    case saveSession = "aria2.saveSession"
    case multicall = "system.multicall"
    case listMethods = "system.listMethods"
    case listNotifications = "system.listNotifications"

    /// Whether a call needs the secret. Every client may list methods and notifications, and each call nested in a
    /// multicall carries its own secret.
    var needsSecret: Bool {
        switch self {
        case .multicall, .listMethods, .listNotifications: false
        default: true
        }
    }
}

/// Implements the methods on a service.
struct RPCMethods: Sendable {
    let configuration: RPCEndpoint.Configuration
    let memory: EndpointMemory

    var service: any SessionService { configuration.service }
    var downloads: DownloadFinder { DownloadFinder(configuration: configuration) }

    /// Calls a method other than `system.multicall`, which ``RPCRun`` handles.
    func call(_ method: RPCMethod, _ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        switch method {
        case .addUri: try await addURI(parameters)
        case .addTorrent: throw RPCFault("Ferry does not support BitTorrent.")
        case .addMetalink: throw RPCFault("Ferry takes no Metalink documents over this interface.")
        case .remove, .forceRemove: try await remove(parameters)
        case .pause, .forcePause: try await pause(parameters)
        case .unpause: try await unpause(parameters)
        case .pauseAll, .forcePauseAll: try await pauseAll()
        case .unpauseAll: try await unpauseAll()
        case .tellStatus: try await tellStatus(parameters)
        case .getUris: try await downloads.find(parameters).uris
        case .getFiles: try await downloads.find(parameters).files
        case .getPeers: try await peers(parameters)
        case .getServers: try await servers(parameters)
        case .tellActive: try await tellActive(parameters)
        case .tellWaiting: try await tellWaiting(parameters)
        case .tellStopped: try await tellStopped(parameters)
        case .changePosition: try await changePosition(parameters)
        case .changeUri: try await changeURI(parameters)
        case .getOption: try await option(parameters)
        case .changeOption: try await changeOption(parameters)
        case .getGlobalOption: try await globalOption()
        case .changeGlobalOption: try await changeGlobalOption(parameters)
        case .getGlobalStat: try await globalStat()
        case .purgeDownloadResult: try await purgeResults()
        case .removeDownloadResult: try await removeResult(parameters)
        case .getVersion: version
        case .getSessionInfo: ["sessionId": .string(configuration.sessionIdentifier)]
        case .shutdown: try shutdown(isForced: false)
        case .forceShutdown: try shutdown(isForced: true)
        case .saveSession: try await saveSession()
        case .listMethods: .array(RPCMethod.allCases.map { .string($0.rawValue) })
        case .listNotifications: .array(RPCNotification.Kind.allCases.map { .string($0.rawValue) })
        case .multicall: throw RPCFault("Recursive system.multicall forbidden.")
        }
    }
}

/// The methods about the program itself.
extension RPCMethods {
    /// Features that aria2's clients check for.
    private static let features = ["Async DNS", "GZip", "HTTPS", "Message Digest"]

    /// The emulated version of aria2, and Ferry's own version.
    var version: RPCValue {
        [
            "version": "1.37.0", "enabledFeatures": .array(Self.features.map { .string($0) }),
            "ferry": ["version": .string(FerryVersion.current)],
        ]
    }

    func shutdown(isForced: Bool) throws(RPCFault) -> RPCValue {
        guard let shutdown = configuration.shutdown else {
            throw RPCFault("Ferry's daemon also serves others and cannot be stopped over this interface.")
        }
        shutdown(isForced)
        return "OK"
    }
}
