import FerryRules

#if os(Linux)
    import FerryCore
    import Glibc

    extension NameLookup {
        /// The system's resolver, with its hosts file, name servers and other configured sources.
        package static let system = NameLookup { name in
            var found: UnsafeMutablePointer<addrinfo>?
            // No flags: a server on this machine may have an address of a family that no network has.
            var hints = unsafe addrinfo()
            let status = unsafe getaddrinfo(name, nil, &hints, &found)
            guard status == 0 else { return .failure(failure(status)) }
            var addresses: [String] = []
            var next = unsafe found
            while let entry = unsafe next {
                // Each address is returned once per socket type.
                let address = unsafe digits(entry.pointee.ai_addr, entry.pointee.ai_addrlen)
                if let address, !addresses.contains(address) { addresses.append(address) }
                unsafe next = entry.pointee.ai_next
            }
            if let found = unsafe found { unsafe freeaddrinfo(found) }
            return addresses.isEmpty ? .failure(.notFound) : .success(addresses)
        }

        /// Limits on concurrent resolutions. Each uses about two descriptors, and most of the process's descriptors
        /// must stay available.
        static var limits: NameCache.Limits {
            var limits = NameCache.Limits()
            var files = rlimit()
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else { return limits }
            limits.threads = min(limits.threads, max(16, Int(clamping: files.rlim_cur) / 8))
            limits.reserved = limits.threads / 3
            return limits
        }

        private static func failure(_ status: Int32) -> NameCache.Failure {
            switch status {
            // A lack of descriptors or memory says nothing about the name either.
            case EAI_AGAIN, EAI_SYSTEM, EAI_MEMORY: .noAnswer
            default: .notFound
            }
        }

        /// Returns an address in numeric form, with its zone.
        private static func digits(_ address: UnsafeMutablePointer<sockaddr>?, _ length: socklen_t) -> String? {
            var text = [CChar](repeating: 0, count: 256)
            let status = unsafe getnameinfo(
                address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            guard status == 0 else { return nil }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
#endif
