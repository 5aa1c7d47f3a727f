"""Tests of the hook that checks commit subjects. scripts/lint runs them."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

HOOK = pathlib.Path(__file__).resolve().parents[2] / "hooks/commit-msg"
LOADER = importlib.machinery.SourceFileLoader("commit_msg", str(HOOK))
hook = importlib.util.module_from_spec(importlib.util.spec_from_loader("commit_msg", LOADER))
LOADER.exec_module(hook)


class CommitSubjects(unittest.TestCase):
    def test_an_imperative_subject_is_accepted(self):
        for message in ("Fix resume after a 416", "Add `ferry log`\n\nIt prints the log.", "# comment\nSplit Queue.take by input\n"):
            self.assertIsNone(hook.fault(message), message)

    def test_git_s_own_subjects_are_accepted(self):
        for message in ("Merge branch 'main'", "Revert \"Add a key.\"", "fixup! anything."):
            self.assertIsNone(hook.fault(message), message)

    def test_other_subjects_are_refused(self):
        for message, words in (
            ("Errors have the keys of Apple's systems", "“Errors” is not an imperative verb"),
            ("FerryAria2: reject a secret", "“FerryAria2” is not"), ("Fixed resume", "“Fixed” is not"),
            ("A file is kept", "“A” is not"), ("Fix resume.", "ends with a period"), ("Fix " + "x" * 100, "has 104 characters"),
            ("Fix resume\nafter a 416", "is not empty"),
        ):
            self.assertIn(words, hook.fault(message) or "", message)


if __name__ == "__main__":
    unittest.main()
