import Ferry
import Foundation
import Testing

/// An app's file. An import in one file loads the library for the whole module.
@Suite struct `Client code with Ferry in language mode 6, without settings of its own` {
    @Test func `names a manager and its tasks`() {
        let manager: SessionManager.Type = SessionManager.self
        let states: [Status] = [.waiting, .running, .suspended]
        let shown = states.map { state in
            let name = state
            return "\(name)"
        }.joined(separator: " ")
        #expect("\(manager)" == "SessionManager")
        #expect(shown.split(separator: " ").count == 3)
    }
}
