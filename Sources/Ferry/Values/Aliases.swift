// Ferry: Ferry
// Short names for what appears in many calls.

/// A closure of the app.
public typealias Handler<T> = @Sendable (T) -> Void

/// Fields of a request, by their names.
public typealias HTTPHeaders = [String: String]
