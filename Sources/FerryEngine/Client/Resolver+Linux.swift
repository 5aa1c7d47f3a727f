// Ferry: FerryEngine
// Telling a name that does not exist from a resolver that is silent.

#if os(Linux)
    import Glibc

    /// Asks the system's resolver once more why a name was not found: the HTTP client does not pass the reason on.
    enum Resolver {
        /// Whether the failure is temporary: the resolver did not answer. Blocks as long as the resolver does.
        static func isSilent(about host: String) -> Bool {
            var found: UnsafeMutablePointer<addrinfo>?
            let status = unsafe getaddrinfo(host, nil, nil, &found)
            if let found = unsafe found { unsafe freeaddrinfo(found) }
            return status == EAI_AGAIN
        }
    }
#endif
