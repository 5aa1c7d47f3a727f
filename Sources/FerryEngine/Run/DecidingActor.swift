/// The one place where runs and their service decide, one after the other.
///
/// Actors that share its executor call each other without a change of threads: a small file asks its service a dozen times.
/// Nothing that may block, and no work that grows with a file, happens on it.
package actor DecidingActor {
    package init() {}
}
