import FerryCore
import Foundation
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

    @Test func `characters that hide or reverse text are written as JSON's escapes`() throws {
        var transfer = Transfer.sample()
        transfer.names.chosen = "a\u{202E}b\u{AD}c\u{E0041}d\u{9B}e👨‍👩‍👧"
        let line = try JSONText.line(transfer)
        #expect(line.contains(#"a\u202eb\u00adc\udb40\udc41d\u009be👨‍👩‍👧"#))
        let read = try JSONDecoder().decode(Named.self, from: Data(line.utf8))
        #expect(read.name.unicodeScalars.elementsEqual((transfer.names.chosen ?? "").unicodeScalars))
    }

    private struct Named: Decodable { var name: String }
}
