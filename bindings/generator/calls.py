"""How a call of each operator looks in the languages without typed functions: the form, and a comment with its types.

Defaults are those of the schema, in the language's words. Every call may omit them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from .schema import Argument
from .typed import Operator, strip_type_modifiers


@dataclass(frozen=True)
class Language:
    name: str
    highlighting: str
    function: str  # with {name} and {arguments}, separated by commas
    method: str
    place: str  # an argument by place, with {name}
    keyword: str  # an optional argument, with {name} and {value}
    keywords: str  # what encloses all of them, with {all}
    none: str
    true: str
    false: str
    list: str  # with {items}
    comment: str
    separator: str = ", "


LANGUAGES = {
    "ruby": Language(
        "Ruby", "ruby", "MindTorch.{name}({arguments})", "tensor.{name}({arguments})", "{name}", "{name}: {value}",
        "{all}", "nil", "true", "false", "[{items}]", "#",
    ),
    "lua": Language(
        "Lua", "lua", "mindtorch.{name}({arguments})", "tensor:{name}({arguments})", "{name}", "{name} = {value}",
        "{{{all}}}", "mindtorch.none", "true", "false", "{{{items}}}", "--",
    ),
    "perl": Language(
        "Perl", "perl", "MindTorch::{name}({arguments})", "$tensor->{name}({arguments})", "${name}",
        "{name} => {value}", "{{{all}}}", "undef", "1", "0", "[{items}]", "#",
    ),
    "php": Language(
        "PHP", "php", "Torch::{name}({arguments})", "$tensor->{name}({arguments})", "${name}", "{name}: {value}",
        "{all}", "null", "true", "false", "[{items}]", "//",
    ),
    "r": Language(
        "R", "r", "mt${name}({arguments})", "tensor${name}({arguments})", "{name}", "{name} = {value}",
        "{all}", "NULL", "TRUE", "FALSE", "c({items})", "#",
    ),
    "octave": Language(
        "Octave", "octave", "torch.{name} ({arguments})", "tensor.{name} ({arguments})", "{name}", '"{name}", {value}',
        "{all}", "[]", "true", "false", "[{items}]", "%",
    ),
    "tcl": Language(
        "Tcl", "tcl", "torch {name} {arguments}", "torch {name} $tensor {arguments}", "${name}", "-{name} {value}",
        "{all}", "none", "1", "0", "{{{items}}}", ";#", " ",
    ),
    "java": Language(
        "Java", "java", 'MindTorch.apply("{name}", "", {arguments})', 'tensor.apply("{name}", {arguments})', "{name}",
        'named("{name}", {value})', "{all}", "null", "true", "false", "new long[] {{{items}}}", "//",
    ),
    "csharp": Language(
        "C#", "csharp", 'Torch.Apply("{name}", "", {arguments})', 'tensor.Apply("{name}", {arguments})', "{name}",
        '("{name}", (object) {value})', "{all}", "null", "true", "false", "new long[] {{ {items} }}", "//",
    ),
}  # fmt: skip


def translate_default(a: Argument, language: Language) -> str:
    """A default in the language's words."""
    text = a.default or "None"
    if text in ("None", "True", "False"):
        return {"None": language.none, "True": language.true, "False": language.false}[text]
    if text.startswith("["):
        items = [item.strip() for item in text.strip("[]").split(",") if item.strip()]
        separator = " " if language.separator == " " else ", "
        return language.list.format(items=separator.join(items))
    if a.type.removesuffix("?") in ("MemoryFormat", "Layout"):
        return text.rsplit("_format", 1)[0]
    return text.replace("'", '"')


def write_example_call(operator: Operator, language: Language) -> str:
    s = operator.schema
    arguments = list(s.args[1:] if operator.is_method else s.args)
    places = [language.place.format(name=a.name) for a in arguments if a.default is None and not a.keyword_only]
    named = [a for a in arguments if a.default is not None or a.keyword_only]
    words = [
        language.keyword.format(
            name=a.name,
            value=language.place.format(name=a.name) if a.default is None else translate_default(a, language),
        )
        for a in named
    ]
    if words:
        places.append(language.keywords.format(all=language.separator.join(words)))
    form = language.method if operator.is_method else language.function
    made = form.format(name=s.name, arguments=language.separator.join(places))
    made = made.replace(", )", ")").rstrip()
    types = ", ".join(
        f"{strip_type_modifiers(a.type)}{'?' if a.type.endswith('?') else ''} {a.name}" for a in arguments
    )
    returns = ", ".join(r.type for r in s.returns) or "nothing"
    return f"{made}  {language.comment} {types + ' -> ' if types else '-> '}{returns}"


def make_call_writer(language: Language) -> Callable[[Operator], list[str]]:
    return lambda operator: [write_example_call(operator, language)]
