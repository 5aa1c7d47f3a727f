"""Prints the tables of results."""
import json
import statistics

from .pairs import held, median, ratios

HEAD = ["row", "measured", "beside", "wall", "processor", "memory", "bound", "held", "measured wall", "other wall",
        "measured processor", "other processor", "measured memory", "other memory"]


def line(cells):
    return "| " + " | ".join(cells) + " |"


def verdict(answers):
    return ("yes" if all(answers) else "no") if answers else ""


def ratio(comparison, key):
    values = ratios(comparison, key)
    if not values or not all(values):
        return ""
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def absolute(comparison, side, key):
    number = median(comparison, side, key)
    if not number:
        return ""
    if key == "memory":
        return f"{number:.0f} MiB"
    return f"{number * 1000:.1f} ms" if number < 0.1 else f"{number:.2f} s"


def comparison_line(comparison):
    bounds = comparison["bounds"]
    answers = [held(statistics.median(ratios(comparison, key)), bound) for key, bound in bounds.items()]
    return line([
        comparison["row"], comparison["measured"], comparison["beside"],
        *(ratio(comparison, key) for key in ("wall", "processor", "memory")),
        ", ".join(f"{key} ≤ {bound}" for key, bound in bounds.items()), verdict(answers),
        *(absolute(comparison, side, key) for key in ("wall", "processor", "memory") for side in ("measured", "other"))])


def value_line(entry):
    number = "none" if entry["value"] is None else f"{entry['value']:,.{0 if entry['value'] >= 1000 else 2}f}"
    number = number.removesuffix(".00")
    bound = "" if entry["bound"] is None else f"{'≤' if entry['most'] else '≥'} {entry['bound']:,} {entry['unit']}"
    answers = [] if entry["bound"] is None else [held(entry["value"], entry["bound"], entry["most"])]
    return line([entry["row"], entry["what"], f"{number} {entry['unit']}", bound, verdict(answers)])


def report(options, result):
    if options.json:
        print(json.dumps(result, indent=2))
        return
    if result["comparisons"]:
        print(f"\nMedian (least–greatest) of the ratio measured ÷ beside over {options.pairs} pairs\n")
        print(line(HEAD))
        print(line(["---"] * len(HEAD)))
        for comparison in result["comparisons"]:
            print(comparison_line(comparison))
    if result["values"]:
        print("\n| row | what | measured | bound | held |")
        print("|---|---|---|---|---|")
        for entry in result["values"]:
            print(value_line(entry))
    if result["rest"]:
        print("\n| daemon at rest | processor time | resident | of it not file-backed |")
        print("|---|---|---|---|")
        for label, rest in result["rest"].items():
            print(f"| {label} | {rest['processor'] * 1000:.0f} ms in {rest['seconds']:.0f} s"
                  f" | {rest['resident']:.1f} MiB | {rest['anonymous']:.1f} MiB |")
    for row, reason in result["not_measured"].items():
        print(f"\nNot measured: {row}: {reason}")
    if tasks := result.get("tasks"):
        each = {key: tasks[key] / tasks["tasks"] * 1e6 for key in ("create", "resume")}
        print(f"\n{tasks['tasks']} background tasks one by one: {each['create']:.0f} µs to make one, {each['resume']:.0f} µs to"
              f" resume it, {tasks['bytes_per_idle_task']} bytes of memory for one that is idle")
