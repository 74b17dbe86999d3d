"""Reads the Go structs of the Kubernetes API: what encoding/json leaves out, and the names of the types that its errors show."""
import os
import re

PLACES = {"meta.v1": "apimachinery/pkg/apis/meta/v1", "apiextensions.v1": "apiextensions-apiserver/pkg/apis/apiextensions/v1"}
FIELD = re.compile(r'^\s+(?:(\w+)\s+)?(\S+)\s+`(.*)`')


def package(root, group):
    """Returns the structs of one package such as `core.v1`, and the names of those that are owned as a whole."""
    folder = os.path.join(root, PLACES.get(group, "api/" + group.replace(".", "/")))
    structs, atomic = {}, set()
    for name in sorted(os.listdir(folder)):
        if not name.startswith("types") or name.endswith("_test.go") or "swagger" in name:
            continue
        structure, notes = None, []
        for line in open(os.path.join(folder, name)):
            text = line.strip()
            start = re.match(r"^type (\w+) struct \{", line)
            if start:
                structure = structs.setdefault(start.group(1), [])
                if "+structType=atomic" in notes:
                    atomic.add(start.group(1))
            elif line.startswith("}"):
                structure = None
            if text.startswith("//"):
                notes.append(text.lstrip("/ "))
                continue
            if structure is None:
                notes = [] if text else notes
                continue
            field = FIELD.match(line)
            if field:
                tag = re.search(r'json:"([^"]*)"', field.group(3))
                if tag:
                    structure.append((tag.group(1).split(","), field.group(2), notes))
            if text:
                notes = []
    return structs, atomic


class Types:
    """The packages that were read so far."""

    def __init__(self, root):
        self.root, self.packages = root, {}

    def package(self, group):
        if group not in self.packages:
            self.packages[group] = package(self.root, group)
        return self.packages[group]

    def is_atomic(self, schema):
        """Returns whether one manager owns a struct as a whole."""
        group, short = schema.rsplit(".", 1)
        return short in self.package(group)[1]

    def fields(self, schema):
        """Returns {json name: (Go type, tag options, notes)} of a struct, with inlined structs flattened."""
        group, short = schema.rsplit(".", 1)
        structs, _ = self.package(group)
        out = {}
        for options, kind, notes in structs.get(short, []):
            if "inline" in options[1:] and not options[0]:
                prefix, _, inner = kind.lstrip("*").rpartition(".")
                where = {"": group, "metav1": "meta.v1", "v1": "core.v1"}.get(prefix, group)
                out.update(self.fields(where + "." + inner))
            elif options[0] and options[0] != "-":
                out[options[0]] = (kind, options[1:], notes)
        return out
