import FerryCore
import Foundation
import Testing

@Suite struct `Scopes of addresses` {
    @Test(arguments: [
        ("93.184.216.34", [AddressScope.any, .site, .global]), ("2606:4700::1111", [.any, .site, .global]),
        ("127.0.0.1", [.any, .site]), ("10.1.2.3", [.any, .site]), ("192.168.0.1", [.any, .site]),
        ("::1", [.any, .site]),
        ("fd12::1", [.any, .site]), ("::ffff:10.0.0.1", [.any, .site]), ("64:ff9b:1::a00:1", [.any, .site]),
        ("169.254.169.254", [.any]), ("::ffff:169.254.169.254", [.any]), ("64:ff9b::a9fe:a9fe", [.any]),
        ("64:ff9b:1::a9fe:a9fe", [.any]), ("2002:a9fe:a9fe::", [.any]), ("fe80::1", [.any]),
        ("100.100.100.200", [.any]),
        ("168.63.129.16", [.any]), ("fd00:ec2::254", [.any]), ("fd00:ec2::23", [.any]), ("fd20:ce::254", [.any]),
        ("fd00:c1::a9fe:a9fe", [.any]), ("fd00:42::42", [.any]),
    ])
    func `leave out private, link-local and metadata addresses`(text: String, scopes: [AddressScope]) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressScope.allCases.filter { $0.contains(address) } == scopes)
        let url = try HTTPURL(parsing: "http://\(text.contains(":") ? "[\(text)]" : text)/")
        #expect(AddressScope.allCases.filter { url.isIn($0) } == scopes)
    }

    @Test func `grow stricter in their order`() {
        #expect(AddressScope.allCases.sorted() == [.any, .site, .global] && max(AddressScope.global, .site) == .global)
    }

    @Test func `are part of a request unless it has the usual one`() throws {
        for scope in AddressScope.allCases {
            var request = TransferRequest(url: "https://a.test/", folder: "/f")
            request.transport.addressScope = scope
            let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
            #expect(text.contains("\"address_scope\":\"\(scope.rawValue)\"") == (scope != .any))
        }
    }
}
