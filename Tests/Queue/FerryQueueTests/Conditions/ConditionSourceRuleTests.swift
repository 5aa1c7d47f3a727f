import FerryCore
import FerryQueue
import FerryRules
import Foundation
import Testing

@Suite struct `What the machine says` {
    @Test(arguments: [(0, false), (1, true), (2, false), (3, true), (4, false), (99, false)] as [(UInt32, Bool)])
    func `72 metered is yes or guess-yes`(_ metered: UInt32, _ isExpensive: Bool) {
        #expect(NetworkManagerRule.isExpensive(metered: metered) == isExpensive)
    }

    @Test(arguments: [
        ("gsm", true), ("cdma", true), ("802-11-wireless", false), ("802-3-ethernet", false), ("wifi-gsm", false),
        ("", false),
    ])
    func `72 connections of type gsm and cdma are mobile`(_ type: String, _ isCellular: Bool) {
        #expect(NetworkManagerRule.isCellular(connectionType: type) == isCellular)
    }

    @Test(
        arguments: [
            ([], true),
            ([PowerSupply(type: "Battery", online: nil)], false),
            ([PowerSupply(type: "Battery", scope: "System")], false),
            ([PowerSupply(type: "Battery", scope: "Device")], true),
            ([PowerSupply(type: "Battery", scope: "Unknown")], false),
            ([PowerSupply(type: "Battery"), PowerSupply(type: "Mains", online: "1")], true),
            ([PowerSupply(type: "Battery"), PowerSupply(type: "Mains", online: "0")], false),
            (
                [
                    PowerSupply(type: "Mains", online: "0"), PowerSupply(type: "USB", online: "1"),
                    PowerSupply(type: "Battery"),
                ], true
            ),
            ([PowerSupply(type: "Battery"), PowerSupply(type: "UPS", online: "1")], false),
            ([PowerSupply(type: "Mains", online: "0")], true),
        ] as [([PowerSupply], Bool)])
    func `74 external power is mains or USB that is online, or no battery`(
        _ supplies: [PowerSupply], _ isExternal: Bool
    ) {
        #expect(PowerSupply.isExternal(supplies) == isExternal)
    }

    @Test func `75 a file states conditions, and absent keys restrict no transfer`() throws {
        let all = #"{"reachable":false,"cellular":true,"expensive":true,"constrained":true,"externalPower":false}"#
        let conditions = try #require(ConditionsFile.conditions(Data(all.utf8)))
        #expect(!conditions.reachable && conditions.cellular && conditions.expensive && conditions.constrained)
        #expect(!conditions.externalPower && !conditions.includesLoopback)
        #expect(ConditionsFile.conditions(Data("{}".utf8)) == Conditions())
        #expect(ConditionsFile.conditions(Data(#"{"more":1,"includesLoopback":true}"#.utf8))?.includesLoopback == true)
    }

    @Test(arguments: ["", "{", "[]", #"{"reachable":"yes"}"#, #"{"reachable":1}"#])
    func `75 half a file says nothing`(_ text: String) {
        #expect(ConditionsFile.conditions(Data(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://localhost:8080", true), ("http://a.localhost:1", true),
        ("https://127.0.0.1", true), ("http://127.8.9.10:80", true), ("http://[::1]:8080", true),
        ("https://[::1]", true),
        ("http://localhost.:1", true), ("http://127.example.org", false), ("http://notlocalhost", false),
        ("http://10.0.0.1", false), ("http://[::2]:1", false), ("http://127.0.0.1.example.org", false),
        ("http://[fe80::1]", false), ("http://127.0.0.256", false), ("nothing", false),
    ])
    func `73 hosts that are this machine`(_ origin: String, _ isLoopback: Bool) {
        #expect(LoopbackHost.contains(String(LoopbackHost.host(ofOrigin: origin))) == isLoopback)
    }
}
