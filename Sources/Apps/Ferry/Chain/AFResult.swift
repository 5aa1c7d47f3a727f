/// The result of serializing a response, in the shape of Alamofire 4's `Result`. Renamed to avoid hiding Swift's.
public enum AFResult<Value> {
    case success(Value)
    case failure(any Error)

    /// Captures the value or the error of a closure.
    public init(value: () throws -> Value) {
        do {
            self = .success(try value())
        } catch {
            self = .failure(error)
        }
    }

    public var isSuccess: Bool { if case .success = self { true } else { false } }
    public var isFailure: Bool { !isSuccess }
    public var value: Value? { if case .success(let value) = self { value } else { nil } }
    public var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }

    /// Returns the value, or throws the error.
    public func unwrap() throws -> Value {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }
}

extension AFResult: Sendable where Value: Sendable {}

extension AFResult: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { isSuccess ? "SUCCESS" : "FAILURE" }

    public var debugDescription: String {
        switch self {
        case .success(let value): "SUCCESS: \(value)"
        case .failure(let error): "FAILURE: \(error)"
        }
    }
}

// MARK: Other values

extension AFResult {
    public func map<New>(_ transform: (Value) -> New) -> AFResult<New> {
        flatMap { transform($0) }
    }

    /// Transforms a success with a closure. An error that it throws becomes the failure.
    public func flatMap<New>(_ transform: (Value) throws -> New) -> AFResult<New> {
        switch self {
        case .success(let value): AFResult<New> { try transform(value) }
        case .failure(let error): .failure(error)
        }
    }

    public func mapError<New: Error>(_ transform: (any Error) -> New) -> AFResult {
        flatMapError { transform($0) }
    }

    /// Transforms the error of a failure with a throwing closure.
    public func flatMapError<New: Error>(_ transform: (any Error) throws -> New) -> AFResult {
        guard case .failure(let error) = self else { return self }
        do {
            return .failure(try transform(error))
        } catch {
            return .failure(error)
        }
    }

    @discardableResult
    public func withValue(_ closure: (Value) throws -> Void) rethrows -> AFResult {
        if case .success(let value) = self { try closure(value) }
        return self
    }

    @discardableResult
    public func withError(_ closure: (any Error) throws -> Void) rethrows -> AFResult {
        if case .failure(let error) = self { try closure(error) }
        return self
    }

    @discardableResult
    public func ifSuccess(_ closure: () throws -> Void) rethrows -> AFResult {
        if isSuccess { try closure() }
        return self
    }

    @discardableResult
    public func ifFailure(_ closure: () throws -> Void) rethrows -> AFResult {
        if isFailure { try closure() }
        return self
    }
}
