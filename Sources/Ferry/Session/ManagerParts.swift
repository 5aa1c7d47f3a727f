// Ferry: Ferry
// What a manager is made of.

import Dispatch

/// What a manager is made of.
struct ManagerParts: Sendable {
    var configuration: SessionConfiguration
    var logger: LoggerBox
    var cache: Cache
    var operationQueue: DispatchQueue
}
