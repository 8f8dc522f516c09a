"""Reads C++ well enough for ci/lint: comments, strings, function bodies. A scanner, not a parser."""
import re

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^()\\ ]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])+\'',
    re.S)
_CONTAINER = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:inline\s+|typedef\s+|static\s+|export\s+)*"
                        r"(?:namespace|class|struct|union|enum|extern\s*\"|extern\b)", re.S)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The text with comments blanked and string contents emptied, lines unmoved; #include lines keep their names."""
    def replace(match):
        token = match[0]
        if token.startswith(("//", "/*")):
            return _blank(token)
        line = text.rfind("\n", 0, match.start()) + 1
        if re.match(r"\s*#\s*include\b", text[line:match.start()]):
            return token
        return token[0] + _blank(token[1:-1]) + token[-1] if len(token) > 1 else token
    return _TOKEN.sub(replace, text)


def comments_of(path, text):
    """Yields (line, comment text), one a line."""
    if not path.endswith((".h", ".cc", ".proto")):
        for number, line in enumerate(text.split("\n"), 1):
            if "#" in line:
                yield number, line[line.index("#"):]
        return
    for match in _TOKEN.finditer(text):
        if match[0].startswith(("//", "/*")):
            first = text.count("\n", 0, match.start()) + 1
            for offset, line in enumerate(match[0].split("\n")):
                yield first + offset, line


def functions_of(text):
    """Yields (line, name, number of lines) of each function body at namespace or class level."""
    code = without_comments(text)
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: _blank(m[0]), code, flags=re.M)
    stack = []  # of (is it a container, line of the head, head)
    head_start = 0
    parens = 0
    for match in re.finditer(r"[{}();]", code):
        char, at = match[0], match.start()
        if char == "(":
            parens += 1
        elif char == ")":
            parens = max(0, parens - 1)
        elif char == "{":
            head = code[head_start:at]
            inside_code = any(not container for container, _, _ in stack) or parens > 0
            container = not inside_code and ("(" not in head or bool(_CONTAINER.match(head)))
            first = head_start + len(head) - len(head.lstrip())
            stack.append((container, code.count("\n", 0, first) + 1, head))
            head_start = at + 1
        elif char == "}":
            if stack:
                container, line, head = stack.pop()
                outermost = all(c for c, _, _ in stack)
                if not container and outermost and parens == 0 and "(" in head:
                    last = code.count("\n", 0, at) + 1
                    yield line, _name_of(head), last - line + 1
            head_start = at + 1
        elif char == ";" and parens == 0:
            head_start = at + 1


def _name_of(head):
    before = head[:head.index("(")].split()
    name = before[-1] if before else "function"
    if name in ("TEST", "TEST_F", "TEST_P", "TYPED_TEST", "BENCHMARK_F"):
        return " ".join(head[head.index(name):].split())
    return name
