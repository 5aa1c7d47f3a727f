import FerryFoundation

extension PublicSuffixes {
    /// The list of the package `publicsuffix`, as Debian, Fedora and Arch Linux install it.
    package static let systemPath = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// The system's list. It is read once. A missing or damaged list counts as none.
    package static let system = PublicSuffixes { shared }

    private static let shared: PublicSuffixList? = {
        guard let data = try? Data(contentsOf: URL(filePath: systemPath)), data.count <= 8 << 20 else { return nil }
        let list = PublicSuffixList(String(decoding: data, as: UTF8.self))
        return list.isEmpty ? nil : list
    }()
}
