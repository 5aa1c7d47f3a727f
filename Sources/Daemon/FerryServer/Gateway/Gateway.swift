package import FerryAPI
package import FerryCore
import Foundation
import Logging
import Synchronization

/// The gateway's settings, secret and paired clients. The listeners follow its settings.
package actor Gateway: GatewayControl {
    private let files: GatewayFiles
    private let logger: Logger
    private var settings: GatewaySettings
    private var stored: [GatewayFiles.StoredClient]
    private var pairing = OfferedCode()
    private var openingCode = OfferedCode()
    private var listening: [String: String] = [:]
    private var problems: [String: String] = [:]
    /// Incremented when the listeners' settings change. Reports of earlier generations are ignored.
    private var generation = 0
    /// Why the settings or the clients are unreadable, and why the secret is. Access is then denied to everyone.
    private var damage: String?
    private var secretDamage: String?
    /// Callers that wait until each listener has reported.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var follower: AsyncStream<GatewayListeners>.Continuation?
    /// The open connections. Revoking any key closes all of them, since a connection's key is not recorded.
    nonisolated let connections = OpenChannels()
    /// The keys and settings that each request is checked against, readable without waiting for this actor.
    private let current: Mutex<Current>

    private struct Current: Sendable {
        var keys = GatewayKeys()
        var settings: GatewaySettings
    }

    /// Maximum number of paired clients.
    static let mostClients = 256

    /// - Parameters:
    ///   - folder: Absolute path of the gateway's own folder. It is created by the first change.
    ///   - usual: The settings before the first change.
    init(folder: String, usual: GatewaySettings, logger: Logger) {
        files = GatewayFiles(folder: folder)
        self.logger = logger
        var current = Current(settings: usual)
        var stored: [GatewayFiles.StoredClient] = []
        var damage: String?
        var secretDamage: String?
        do throws(ServiceError) {
            current.settings = try files.settings() ?? usual
            stored = try files.clients()
        } catch { damage = error.message }
        do throws(ServiceError) { current.keys.secret = try files.secret() ?? "" } catch {
            secretDamage = error.message
        }
        if current.settings.isOn, current.keys.secret.isEmpty, secretDamage == nil {
            secretDamage = "The gateway's secret is missing; `ferry gateway secret --new` creates a new one."
        }
        current.keys.tokens = Self.tokens(stored)
        settings = current.settings
        self.stored = stored
        self.damage = damage
        self.secretDamage = secretDamage
        self.current = Mutex(current)
        if let damage = damage ?? secretDamage { logger.error("The gateway stays closed: \(damage)") }
    }

    // MARK: Keys and settings for requests

    nonisolated var keys: GatewayKeys { current.withLock(\.keys) }
    nonisolated var settingsNow: GatewaySettings { current.withLock(\.settings) }
    nonisolated var folders: AllowedFolders { AllowedFolders(settingsNow.folders) }

    // MARK: Control by the user

    package func status() -> GatewayStatus {
        var problems = problems.sorted { $0.key < $1.key }.map(\.value)
        problems = [damage, secretDamage].compactMap { $0 } + problems
        return GatewayStatus(
            settings: settings, listening: listening.sorted { $0.key < $1.key }.map(\.value), problems: problems)
    }

    package func change(_ change: GatewayChange) async throws(ServiceError) -> GatewayStatus {
        if let damage { throw ServiceError(.internal, damage) }
        let changed = try settings.applying(change)
        if changed.isOn {
            if let secretDamage { throw ServiceError(.internal, secretDamage) }
            if keys.secret.isEmpty { try makeSecret() }
            if let certificate = changed.certificate, let key = changed.key {
                _ = try GatewayTLS.context(certificate: certificate, key: key)
            }
        }
        try files.save(changed)
        if GatewayListeners(changed) != GatewayListeners(settings) {
            generation += 1
            listening = [:]
            problems = [:]
        }
        settings = changed
        current.withLock { $0.settings = changed }
        notify()
        await listenersReported()
        return status()
    }

    /// Maximum time to wait for the listeners after a change.
    private static let patience = Duration.seconds(5)

    /// Returns once each required listener has opened its address or has failed to.
    private func listenersReported() async {
        guard follower != nil, !isSettled else { return }
        let limit = Task {
            do { try await Task.sleep(for: Self.patience) } catch { return }
            resumeWaiters()
        }
        await withCheckedContinuation { waiters.append($0) }
        limit.cancel()
    }

    private var isSettled: Bool {
        !settings.isOn || damage != nil || secretDamage != nil
            || Set(listening.keys).union(problems.keys).isSuperset(of: settings.addresses)
    }

    private func resumeWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    package func secret(isNew: Bool) throws(ServiceError) -> String {
        if isNew || keys.secret.isEmpty {
            if let secretDamage, !isNew { throw ServiceError(.internal, secretDamage) }
            try makeSecret()
        }
        return keys.secret
    }

    private func makeSecret() throws(ServiceError) {
        var random = SystemRandomNumberGenerator()
        let secret = GatewayKeys.random(using: &random)
        try files.save(secret: secret)
        current.withLock { $0.keys.secret = secret }
        connections.closeAll()
        guard secretDamage != nil else { return }
        secretDamage = nil
        notify()
    }

    package func pair() throws(ServiceError) -> OneTimeCode {
        guard stored.count < Self.mostClients else {
            throw ServiceError(
                .invalidRequest, "\(stored.count) clients are paired, which is the maximum; remove one first."
            )
        }
        var random = SystemRandomNumberGenerator()
        return pairing.offer(at: .now, using: &random)
    }

    package func pageCode() throws(ServiceError) -> OneTimeCode {
        guard settings.isOn else {
            throw ServiceError(.invalidRequest, "The gateway is off; `ferry gateway on` turns it on.")
        }
        var random = SystemRandomNumberGenerator()
        return openingCode.offer(at: .now, using: &random)
    }

    package func clients() -> [GatewayClient] { stored.map(\.client) }

    package func removeClient(_ id: String) throws(ServiceError) {
        let left = stored.filter { $0.client.id != id }
        guard left.count < stored.count else {
            throw ServiceError(
                .invalidRequest,
                "No paired client has the id “\(id.escapingControls)”; `ferry gateway clients` lists them.")
        }
        try keep(left)
        connections.closeAll()
    }

    // MARK: A client that pairs

    /// Returns a token to a client with the right code, or `nil` for a wrong code.
    func pair(_ request: PairClient.Request) throws(ServiceError) -> PairClient.Response? {
        let name = request.name
        guard (1...64).contains(name.count), name.utf8.count <= 256, !name.hasControls else {
            throw ServiceError(.invalidRequest, "name is the client's name, 1 to 64 characters.")
        }
        guard pairing.take(request.code, at: .now) else { return nil }
        var random = SystemRandomNumberGenerator()
        let token = GatewayKeys.random(using: &random)
        let taken = Set(stored.map(\.client.id))
        var number = stored.count + 1
        while taken.contains(String(number)) { number += 1 }
        let id = String(number)
        let client = GatewayClient(id: id, name: name, pairedAt: Date())
        try keep(stored + [GatewayFiles.StoredClient(client: client, token: token)])
        logger.notice("The gateway has paired a client", metadata: ["id": "\(id)", "name": "\(name.escapingControls)"])
        return PairClient.Response(id: id, token: token)
    }

    /// Returns the secret for the right code of the page, or `nil` for a wrong one.
    func openPage(_ request: OpenPage.Request) -> OpenPage.Response? {
        guard openingCode.take(request.code, at: .now) else { return nil }
        return OpenPage.Response(secret: keys.secret)
    }

    private func keep(_ clients: [GatewayFiles.StoredClient]) throws(ServiceError) {
        try files.save(clients)
        stored = clients
        current.withLock { $0.keys.tokens = Self.tokens(clients) }
    }

    private static func tokens(_ clients: [GatewayFiles.StoredClient]) -> [String: String] {
        Dictionary(clients.map { ($0.client.id, $0.token) }, uniquingKeysWith: { $1 })
    }

    // MARK: The listeners

    /// Returns the required listeners, at once and after each change.
    func follow() -> AsyncStream<GatewayListeners> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: GatewayListeners.self, bufferingPolicy: .bufferingNewest(1))
        follower = continuation
        notify()
        return stream
    }

    private func notify() {
        var settings = settings
        // Without a complete installation the gateway stays closed.
        if damage != nil || secretDamage != nil { settings.isOn = false }
        var listeners = GatewayListeners(settings)
        listeners.generation = generation
        follower?.yield(listeners)
    }

    /// Records that a listener is reachable at an address under a URL, or why it is not.
    func note(_ generation: Int, _ address: String, url: String?, problem: String? = nil) {
        guard generation == self.generation else { return }
        if let problem, problems[address] != problem {
            logger.warning("The gateway cannot listen: \(problem)")
        }
        listening[address] = url
        problems[address] = problem
        if isSettled { resumeWaiters() }
    }
}

/// The settings that listeners depend on. All others are read for each request.
struct GatewayListeners: Hashable, Sendable {
    let isOn: Bool
    let port: Int
    let addresses: [String]
    let certificate: String?
    let key: String?
    var generation = 0

    init(_ settings: GatewaySettings) {
        isOn = settings.isOn
        port = settings.port
        addresses = settings.addresses
        certificate = settings.certificate
        key = settings.key
    }
}
