#!/usr/bin/env python3
"""Plants each kind of wrong word in a repository, and requires that style.py finds each of them.

usage: words_test.py STYLE_PY
"""

import pathlib
import subprocess
import sys
import tempfile

import words

GOOD = {
    "CMakeLists.txt": "add_executable(good good.cpp)\n",
    "good.cpp": "// A program without offences.\n\n/// Returns null if there\n/// is none.\nint* none();\n\n"
                "/// `t` grows.\nTEST(loop, returns_when_all_tasks_are_done) {}\n",
    "good.py": '"""Compares a value with None."""\n\nwrong = 1 is None\n',
    "good.md": "Intervals are whole, and Somebody is a name.  <!-- words: quoted -->\n",
    "LICENSE": "The above copyright notice may not be removed.\n",
}

# An element is a file's name, its text, and the beginning of the line that style.py must print.
BAD = [(f"{number}.md", f"A sentence\nwith {word} in it.\n", f"{number}.md:2: '{word}':")
       for number, word in enumerate(words.WORDS)] + [
    ("capital.md", "Nobody knows.\n", "capital.md:1: 'nobody':"),
    ("plural.md", "Programs of strangers.\n", "plural.md:1: 'stranger':"),
    ("phrase.md", "The loop goes\non.\n", "phrase.md:1: 'goes on':"),
    ("comment.cpp", "// A comment.\n// The loop is\n// told.\n", "comment.cpp:2: 'is told':"),
    ("literal.cpp", '// A literal.\nauto text =\n    "as "\n    "ever";\n', "literal.cpp:3: 'as ever':"),
    ("identifier.cpp", "// An identifier.\nint that_nobody_has;\n", "identifier.cpp:2: 'nobody':"),
    ("script", "#!/bin/sh\n# This may not work.\n", "script:2: 'may not':"),
    ("twin.txt", "", "twin.txt:1: the file's name has 'twin':"),
    ("lower.cpp", "// A block.\n/// returns.\n", "lower.cpp:2: a description begins with 'returns'"),
    ("lower.py", '"""returns."""\n', "lower.py:1: a description begins with 'returns'"),
    ("method.py", 'class A:\n    def b():\n        """What is."""\n', "method.py:3: a description begins with 'What'"),
] + [(f"{word}.cpp", f"// A block.\n\n/// {word} it is.\nint a;\n", f"{word}.cpp:3: a description begins with '{word}'")
     for word in words.RELATIVE_CLAUSE
] + [(f"name{number}.cpp", f"// A test.\nTEST(loop,\n     ends_{word}_waits) {{}}\n",
      f"name{number}.cpp:3: '{word}' in the name of a test")
     for number, word in enumerate(words.IN_TEST_NAMES)]


def checked(files, style):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (pathlib.Path(folder) / name).write_text(text)
        subprocess.run(["git", "init", "-q", folder], check=True)
        ran = subprocess.run([sys.executable, style, folder], capture_output=True, text=True)
    assert not ran.stderr, ran.stderr
    return ran.stdout, ran.returncode


def main():
    style = sys.argv[1]
    printed, code = checked(GOOD, style)
    assert code == 0 and not printed, f"complains about good files: {printed}"

    sources = "\n".join(name for name, _, _ in BAD if name.endswith(".cpp"))
    planted = {name: text for name, text, _ in BAD} | {"CMakeLists.txt": f"add_executable(planted\n{sources})\n"}
    printed, code = checked(planted, style)
    assert code == 1, f"exit code {code}"
    lines = printed.splitlines()
    for _, _, expected in BAD:
        assert any(line.startswith(expected) for line in lines), f"style.py does not print {expected!r}:\n{printed}"
    named = {line.split(":")[0] for line in lines}
    assert named == {name for name, _, _ in BAD}, f"complains about {named - {name for name, _, _ in BAD}}"


if __name__ == "__main__":
    main()
