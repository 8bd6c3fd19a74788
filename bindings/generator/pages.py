"""Writes the documentation page that lists every operator."""

from collections import defaultdict

from .schema import Schema


def generate_operator_page(ops: list[Schema]) -> str:
    families: dict[str, dict[tuple[str, str], list[Schema]]] = defaultdict(lambda: defaultdict(list))
    for s in ops:
        family = s.file.split("/")[0] if "/" in s.file else "other"
        families[family][(s.module, s.base_name)].append(s)
    count = sum(len(family) for family in families.values())
    lines = ["# Operators", "", f"{len(ops)} overloads and forms of {count} operators.", ""]
    for family in sorted(families):
        lines += [f"## {family}", ""]
        for (module, name), group in sorted(families[family].items()):
            lines += [f"### {module + '.' if module else ''}{name}", ""]
            if group[0].doc:
                lines += [group[0].doc, ""]
            aliases = sorted({a for s in group for a in s.aliases})
            if aliases:
                lines += ["Also: " + ", ".join(f"`{a}`" for a in aliases), ""]
            lines += ["```", *(s.text for s in group), "```", ""]
    return "\n".join(lines)
