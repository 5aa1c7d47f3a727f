// Ferry: FerryCommandsTests
// What scripts read.

import FerryCore
import Testing

@testable import FerryCommands

@Suite struct `JSON on standard output` {
    @Test func `a transfer that waits for credentials shows none`() throws {
        var challenge = AuthenticationChallenge(
            scheme: .basic, realm: "files", host: "example.com", port: 443, isSecure: true, isProxy: false)
        challenge.proposed = Credentials(user: "me", password: "hidden-word")
        var transfer = Transfer.sample()
        transfer.challenge = .authentication(challenge)
        for line in [try JSONText.line(transfer), try JSONText.array([transfer])] {
            #expect(line.contains("files") && !line.contains("hidden-word"))
        }
    }
}
