import BackgroundURLSession
import Foundation
import Testing

@Suite struct `Client code in language mode 5` {
    @Test func `a file that imports FoundationNetworking too gets the types of this module`() {
        let session = BothModulesUse.session(BothModulesDelegate())
        #expect(session.configuration.identifier == nil)
        #expect(session.configuration.tlsMinimumSupportedProtocolVersion == .TLSv13)
        session.invalidateAndCancel()
    }

    @Test func `a method with a completion handler that is not marked Sendable implements the requirement`() {
        let delegate = BothModulesDelegate()
        let space = URLProtectionSpace(
            host: "a", port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
        let session = BothModulesUse.session(delegate)
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: Sender())
        (delegate as URLSessionDelegate).urlSession(session, didReceive: challenge) { disposition, credential in
            #expect(disposition == .useCredential)
            #expect(credential === URLCredential.serverTrustAccepted)
        }
        #expect(delegate.answered == 1)
        session.invalidateAndCancel()
    }
}

private final class Sender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
