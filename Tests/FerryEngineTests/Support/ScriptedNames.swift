import Dispatch
import FerryCore
import FerryEngine
import Synchronization

/// Takes the place of the system's resolver: each name is found as a test says, and all others hang until the end.
final class ScriptedNames: Sendable {
    private let findings: [String: NameCache.Finding]
    private let asked = Mutex<[String]>([])
    private let isReleased = DispatchSemaphore(value: 0)

    init(_ findings: [String: NameCache.Finding] = [:]) { self.findings = findings }

    /// Names that were looked up, in order.
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

    /// Lets go of the look-ups that hang, one after the other.
    func release() { isReleased.signal() }
}
