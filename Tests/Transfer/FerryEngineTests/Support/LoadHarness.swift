import FerryCore
import FerryDisk
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Logging
import Synchronization

/// An engine for streamed requests, with an origin.
struct LoadHarness: Sendable {
    let engine: Engine
    let origin: ScriptedOrigin

    func load(
        _ path: String = "/file.bin", method: String = "GET", body: LoadBody = .none, advisor: TestAdvisor? = nil,
        _ change: (inout LoadRequest) -> Void = { _ in }
    ) -> Load {
        var request = LoadRequest(url: path.hasPrefix("http") ? path : origin.url(path), method: method, body: body)
        change(&request)
        return Load(request, engine: engine, advisor: advisor)
    }
}

extension Load {
    /// Reads the remaining body.
    func rest() async throws(ServiceError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let part = try await part() { bytes += part }
        return bytes
    }

    /// Returns the error of the head or of the body, or `nil` if everything arrives.
    func failure() async -> ServiceError? {
        do throws(ServiceError) {
            _ = try await head()
            _ = try await rest()
            return nil
        } catch {
            return error
        }
    }
}

/// Runs `body` with an engine that trusts the origin's authority.
func withLoads<Result>(
    _ script: OriginScript, tls: TLSFault? = nil, trusting: Bool = true, body: (LoadHarness) async throws -> Result
) async throws -> Result {
    try await withOrigin(script, tls: tls) { origin in
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var configuration = Engine.Configuration(disk: SystemDisk(), environment: [:], logger: logger)
        if trusting, let file = origin.caFile {
            configuration.trust = TrustRoots(environment: ["SSL_CERT_FILE": file])
        }
        let engine = Engine(configuration, loops: 1)
        do {
            let result = try await body(LoadHarness(engine: engine, origin: origin))
            await engine.shutdown()
            return result
        } catch {
            await engine.shutdown()
            throw error
        }
    }
}

/// An advisor with answers from the test. Records its questions.
final class TestAdvisor: ExchangeAdvisor {
    private let onRedirect: @Sendable (ProposedRedirect) async -> RedirectAnswer
    private let onChallenge: @Sendable (AuthenticationChallenge) async -> ChallengeAnswer
    private let onTrust: @Sendable (TrustChallenge) async -> TrustAnswer
    private let asked = Mutex(Asked())
    private let jar = Mutex(TransferCookies())

    private struct Asked {
        var redirects: [ProposedRedirect] = []
        var challenges: [AuthenticationChallenge] = []
        var trusts: [TrustChallenge] = []
    }

    var redirects: [ProposedRedirect] { asked.withLock(\.redirects) }
    var challenges: [AuthenticationChallenge] { asked.withLock(\.challenges) }
    var trusts: [TrustChallenge] { asked.withLock(\.trusts) }

    init(
        redirect: @escaping @Sendable (ProposedRedirect) async -> RedirectAnswer = { _ in .follow },
        challenge: @escaping @Sendable (AuthenticationChallenge) async -> ChallengeAnswer = { _ in .performDefault },
        trust: @escaping @Sendable (TrustChallenge) async -> TrustAnswer = { _ in .performDefault }
    ) {
        (onRedirect, onChallenge, onTrust) = (redirect, challenge, trust)
    }

    func cookies(for url: HTTPURL) async -> String? { jar.withLock { $0.header(for: url) } }

    func receivedCookies(_ fields: [String], from url: HTTPURL) async {
        jar.withLock { jar in
            for field in fields { jar.store(setCookie: field, from: url, now: Date()) }
        }
    }

    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer {
        asked.withLock { $0.redirects.append(redirect) }
        return await onRedirect(redirect)
    }

    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer {
        asked.withLock { $0.challenges.append(challenge) }
        return await onChallenge(challenge)
    }

    func answer(_ challenge: TrustChallenge) async -> TrustAnswer {
        asked.withLock { $0.trusts.append(challenge) }
        return await onTrust(challenge)
    }
}
