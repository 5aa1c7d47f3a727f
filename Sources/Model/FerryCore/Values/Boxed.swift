/// A heap-allocated value with copy-on-write.
///
/// Copying and moving the enclosing value costs as much as a reference. Public, like everything that is inlined into
/// other modules: the compiler does not export the bodies of `package` declarations, so each access would go through an
/// opaque type.
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

    /// The box itself, for sharing.
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
