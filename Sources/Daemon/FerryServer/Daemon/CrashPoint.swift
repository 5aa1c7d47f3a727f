package import FerryCore
import Foundation
import Synchronization

/// Kills the process with SIGKILL when a transfer reaches a step. Tests use it to check recovery after a crash.
///
/// `FERRY_KILL_AT` names the step, optionally followed by a colon and the occurrence. Without the variable nothing
/// happens.
package final class CrashPoint: Sendable {
    private let step: LifecycleStep?
    private let left: Mutex<Int>

    /// - Throws: ``ServiceError`` with code `invalid_request` if the variable does not name a step.
    package init(environment: [String: String]) throws(ServiceError) {
        guard let text = environment["FERRY_KILL_AT"], !text.isEmpty else {
            step = nil
            left = Mutex(0)
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let step = LifecycleStep(rawValue: String(parts[0])),
            let times = parts.count == 1 ? 1 : Int(parts[1]), times > 0
        else {
            throw ServiceError(
                .invalidRequest,
                "FERRY_KILL_AT is “\(text.escapingControls)”; it is STEP or STEP:TIMES, with a step of "
                    + LifecycleStep.allCases.map(\.rawValue).joined(separator: ", ") + ".")
        }
        self.step = step
        left = Mutex(times)
    }

    /// Whether this occurrence of the step is the selected one.
    package func isDue(_ reached: LifecycleStep) -> Bool {
        guard let step, reached == step else { return false }
        return left.withLock { left in
            left -= 1
            return left == 0
        }
    }

    /// Kills the process if this is the selected step.
    package func reached(_ step: LifecycleStep) {
        if isDue(step) { kill(getpid(), SIGKILL) }
    }
}
