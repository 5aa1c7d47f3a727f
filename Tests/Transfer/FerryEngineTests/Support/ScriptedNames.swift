import Dispatch
import FerryCore
import FerryEngine
import FerryRules
import Synchronization

/// Replaces the system's resolver. Names resolve as scripted, and all others hang until the end.
final class ScriptedNames: Sendable {
    private let findings: [String: NameCache.Finding]
    private let asked = Mutex<[String]>([])
    private let isReleased = DispatchSemaphore(value: 0)

    init(_ findings: [String: NameCache.Finding] = [:]) { self.findings = findings }

    /// Resolved names, in order.
    var lookups: [String] { asked.withLock(\.self) }

    var lookup: NameLookup {
        NameLookup { [self] name in
            asked.withLock { $0.append(name) }
            if let finding = findings[name] { return finding }
            isReleased.wait()
            isReleased.signal()
            return .failure(.noAnswer)
        }
    }

    /// Releases the hanging lookups, one after the other.
    func release() { isReleased.signal() }
}
