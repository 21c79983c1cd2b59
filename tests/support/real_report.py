"""The journal of a real run, and hostile names that no program may execute or interpret."""

import json
import lzma

HOSTILE = [
    "</script><script>document.title = 'owned'</script>",
    "<!--<script>", "<img src=x onerror=\"document.title = 'owned'\">", "=cmd()|'/C calc'!A0", "\"'`${1}\\",
    "two\nlines\tand a tab", "\x1b[31mred\x1b[0m", "\u202eright to left\u200f", "\u2028\u2029", "__proto__",
    "long" * 2500, "~~struck~~ # `code` **bold** | [link](x) \uffff",
]


def real_journal(source):
    return lzma.decompress((source / "tests/support/quick_run.jsonl.xz").read_bytes())


def with_hostile_names(report, names=HOSTILE):
    report = json.loads(json.dumps(report))
    renamed = {each["name"]: name for each, name in
               zip([each for each in report["contenders"] if each["name"] != report["baseline"]], names)}
    for each in report["contenders"]:
        each["name"] = renamed.get(each["name"], each["name"])
        each["context"]["driver"] = each["name"]
    for each in report["results"]:
        each["contender"] = renamed.get(each["contender"], each["contender"])
        each["reason"] = each["reason"] and names[0]
        if each["workload"] == "timer/periodic":
            each["workload"] = "".join(names)
    for each in report.get("workloads", []):
        if each["name"] == "timer/periodic":
            each["name"] = "".join(names)
    report["warnings"] = [{"code": name, "message": name, "remedy": name} for name in names]
    report["environment"]["kernel"] = report["aa"]["reason"] = names[0]
    report["command"] = names
    return report
