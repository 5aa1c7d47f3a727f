/// A value of hundreds of bytes in a place of its own: copies share it until one of them is changed.
///
/// What holds one is copied and moved for the price of a reference. It is public as all that is inlined into other modules:
/// of a `package` declaration the compiler hands out no body, and each access would be one to a value of unknown type.
@propertyWrapper
public struct Boxed<Value: Sendable>: Sendable {
    public final class Storage: @unchecked Sendable {  // SAFETY: changed only while unshared.
        public var value: Value

        @inlinable public init(_ value: Value) { self.value = value }
    }

    public var storage: Storage

    @inlinable public init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    @inlinable public var wrappedValue: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
        set {
            if isKnownUniquelyReferenced(&storage) { storage.value = newValue } else { storage = Storage(newValue) }
        }
    }

    /// The box itself, for others to share.
    @inlinable public var projectedValue: Boxed {
        get { self }
        set { self = newValue }
    }
}

extension Boxed: Equatable where Value: Equatable {
    @inlinable public static func == (one: Boxed, other: Boxed) -> Bool {
        one.storage === other.storage || one.storage.value == other.storage.value
    }
}

extension Boxed: Hashable where Value: Hashable {
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(storage.value) }
}
