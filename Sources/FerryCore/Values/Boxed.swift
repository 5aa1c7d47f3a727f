/// A value of hundreds of bytes in a place of its own: copies share it until one of them is changed.
///
/// What holds one is copied and moved for the price of a reference.
@propertyWrapper
package struct Boxed<Value: Sendable>: Sendable {
    @usableFromInline package final class Storage: @unchecked Sendable {  // SAFETY: changed only while unshared.
        @usableFromInline package var value: Value

        @inlinable package init(_ value: Value) { self.value = value }
    }

    @usableFromInline package var storage: Storage

    @inlinable package init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    @inlinable package var wrappedValue: Value {
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
    @inlinable package var projectedValue: Boxed {
        get { self }
        set { self = newValue }
    }
}

extension Boxed: Equatable where Value: Equatable {
    package static func == (one: Boxed, other: Boxed) -> Bool {
        one.storage === other.storage || one.storage.value == other.storage.value
    }
}

extension Boxed: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(storage.value) }
}
