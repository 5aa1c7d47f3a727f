// Ferry: FerryEngine
// The file that an update may find to be current.

package import FerryCore

/// A file that an earlier transfer put at the destination, with what the server said of it then.
package struct ExistingFile: Sendable {
    package var placement: PlacementIntent
    package var identity: ResourceIdentity

    package init(placement: PlacementIntent, identity: ResourceIdentity) {
        self.placement = placement
        self.identity = identity
    }
}
