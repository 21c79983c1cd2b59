"""Finds words that the project avoids, in comments, strings, identifiers, documents and names of files.

WORDS is the list of these words. A line that quotes such a word from another project's text has the comment
`words: quoted`.
"""

import ast
import re

WORDS = {
    "somebody": "name the process or program",
    "anybody": "name the process or program",
    "nobody": "write which process or program does not",
    "whoever": "name the process or program",
    "is told": "write 'receives', 'is passed' or 'is configured with'",
    "goes on": "write 'continues'",
    "is none": "say what it is, for example 'is not a number'",
    "so many": "write the number, or its name",
    "so much": "write the amount, or its name",
    "stranger": "write 'third-party'",
    "comes to lie": "write 'is placed'",
    "as ever": "leave it out",
    "by itself": "write 'automatically' or 'alone', or leave it out",
    "may not": "write 'cannot', 'must not' or 'might not'",
    "twin": "write 'A/A copy'",
    "unfit": "write 'unreliable'",
    "side file": "write 'histogram file'",
    "scratch folder": "write 'temporary folder'",
    "headline metric": "write 'primary metric'",
    "smoke size": "write 'small size'",
    "real size": "write 'full size'",
}
ALLOWED = {"is none": "there"}  # in "there is none"

RELATIVE_CLAUSE = {"What", "Of", "How", "Whether", "Who", "Why"}

IN_TEST_NAMES = ["whoever", "somebody", "nobody", "who", "goes_on", "is_none"]

QUOTED = "words: quoted"

# The files that are not checked: they contain program output, planted errors, or texts of other authors.
NOT_CHECKED = ("reports/evidence/", "tests/mutants/", "tests/style/words", "LICENSE", "CHANGELOG.md")

GAP = r"""(?:[ _-]|["' \\]*\n[\s/#*"'>]*)"""  # a phrase can continue on the next line


def word_pattern(word):
    """Returns a pattern for the word that also matches in identifiers and with a capital letter, but not Python's `is
    None`.
    """
    first = f"[{word[0].upper()}{word[0]}]"
    return re.compile(rf"(?<![A-Za-z]){first}{word[1:].replace(' ', GAP)}s?(?![A-Za-z])")


PATTERNS = [(word, word_pattern(word), remedy) for word, remedy in WORDS.items()]


def banned_words(text):
    lines = text.splitlines()
    for word, pattern, remedy in PATTERNS:
        for found in pattern.finditer(text):
            number = text.count("\n", 0, found.start()) + 1
            before = re.findall(r"\w+", text[max(0, found.start() - 40):found.start()])
            allowed = word in ALLOWED and before and before[-1].lower() == ALLOWED[word]
            if not allowed and QUOTED not in lines[number - 1]:
                yield number, f"'{word}': {remedy}"


def beginning(sentence):
    first = re.match(r"\w*", sentence).group()
    if first in RELATIVE_CLAUSE:
        return f"a description begins with '{first}': begin with a verb ('Returns') or a noun ('A reply to')"
    if first[:1].islower():
        return f"a description begins with '{first}', in lower case: begin with a verb or a noun, and a capital"
    return None


def blocks(text):
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        block = re.match(r"\s*/// *(\w.*)", line)
        if block and not before.lstrip().startswith("///") and (complaint := beginning(block.group(1))):
            yield number, complaint
        before = line


def docstrings(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            described = ast.get_docstring(node)
            if described and (complaint := beginning(described)):
                yield node.body[0].lineno, complaint


def test_names(text):
    pattern = re.compile(rf"_({'|'.join(IN_TEST_NAMES)})_")
    for test in re.finditer(r"\b(?:CONFORMANCE_)?TEST(?:_[FP])?\(\s*\w+,\s*(\w+)", text):
        if found := pattern.search(f"_{test.group(1)}_"):
            yield (text.count("\n", 0, test.start(1)) + 1,
                   f"'{found.group(1)}' in the name of a test: state the behaviour, with a subject and a verb")


def complaints(name, text):
    if name.startswith(NOT_CHECKED):
        return
    for _, problem in banned_words(name):
        yield 1, f"the file's name has {problem}"
    yield from banned_words(text)
    if name.endswith((".cpp", ".hpp", ".in", ".js")):
        yield from blocks(text)
        yield from test_names(text)
    if name.endswith(".py"):
        yield from docstrings(text)
