"""Tests of the selection of tests. scripts/lint runs them."""
import unittest

from . import manifest, run, selection

MANIFEST = """
.target(name: "Core"), .target(name: "Engine", dependencies: ["Core", .product(name: "NIO", package: "swift-nio")]),
.executableTarget(name: "tool", dependencies: ["Engine"]), .target(name: "Bench", dependencies: ["Core"], path: "Benchmarks/B"),
.testTarget(name: "CoreTests", dependencies: ["Core"]), .testTarget(name: "ToolTests", dependencies: ["tool"]),
"""
SOURCES = {
    "CoreTests": ['@Suite struct `Retry delay` { @Test func `F6 grows`() {} }', 'read("docs/errors.md")'],
    "ToolTests": ['@Suite("x") struct Tool { @Test func starts() {} }'],
}


class Selections(unittest.TestCase):
    targets = manifest.read(MANIFEST)

    def select(self, *words):
        return selection.select(words, self.targets, SOURCES)

    def touched(self, *paths):
        return selection.touched(paths, self.targets, SOURCES)

    def test_a_module_is_its_tests_or_those_that_import_it(self):
        self.assertEqual(self.select("Core"), selection.Selection(("CoreTests",), (r"^CoreTests\.",)))
        self.assertEqual(self.select("tool").targets, ("ToolTests",))
        self.assertEqual(self.select("ToolTests").targets, ("ToolTests",))
        self.assertEqual(self.select("tool", "Core").targets, ("CoreTests", "ToolTests"))

    def test_an_expression_selects_the_targets_with_a_test_that_it_matches(self):
        for word in ("F6 ", r"\bF6 ", "Retry", "CoreTests.*grows", "Retry delay/F6"):
            self.assertEqual(self.select(word), selection.Selection(("CoreTests",), (word,)))
        self.assertEqual(self.select("Tool|Retry").targets, ("CoreTests", "ToolTests"))

    def test_an_unknown_name_is_answered_with_those_that_there_are(self):
        with self.assertRaises(selection.Unknown) as raised:
            self.select("RetryDelay")
        self.assertIn("Core CoreTests", str(raised.exception))
        self.assertIn("Retry delay", str(raised.exception))
        for word in ("Bench", "("):
            with self.assertRaises(selection.Unknown):
                self.select(word)

    def test_changed_files_touch_their_targets_and_those_that_import_them(self):
        self.assertEqual(self.touched("Sources/Core/A.swift"), {"Core"})
        self.assertEqual(self.touched("Benchmarks/B/main.swift", "README.md"), {"Bench"})
        self.assertEqual(self.touched("docs/errors.md"), {"CoreTests"})
        self.assertEqual(self.touched("Package.swift"), set(self.targets))
        self.assertEqual(manifest.importers({"Engine"}, self.targets), {"Engine", "tool", "ToolTests"})
        self.assertEqual(manifest.importers({"Core"}, self.targets), set(self.targets))

    def test_targets_of_the_checkout_have_folders(self):
        for target in manifest.of_checkout().values():
            self.assertTrue((manifest.ROOT / target.folder).is_dir(), target)


class Reports(unittest.TestCase):
    def test_a_report_knows_what_runs_what_failed_and_how_many_there_were(self):
        report = run.Report()
        for line in (
            "◇ Test run started.", '\x1b[90m◇\x1b[0m Test "a" started.', '◇ Test "b b" started.',
            '◇ Test case passing 1 argument x → 1 to "b b" started.', '✔ Test "a" with 2 test cases passed after 0.001 seconds.',
            '✘ Test "c" recorded an issue at A.swift:1:2: no', "✘ Test run with 12 tests in 3 suites failed after 1 second.",
        ):
            report.read(line)
        self.assertEqual(list(report.running), ['"b b"'])
        self.assertEqual(len(report.failures), 1)
        self.assertEqual(report.count, 12)


if __name__ == "__main__":
    unittest.main()
