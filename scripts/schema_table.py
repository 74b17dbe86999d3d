#!/usr/bin/env python3
"""Makes static/content/schema.txt, the compact field table, from the schema.json that was taken from a real API server and from the Go structs of the same
version, which tell what encoding leaves out and what its errors call a type.

    python3 scripts/schema_table.py schema.json kubernetes/staging/src/k8s.io > static/content/schema.txt

One line a schema: its name, with `@` if one manager owns it as a whole, then its fields as `name=TYPE[:GO][ENCODING][!][*LIST][~PATCH]`.
TYPE: s string, i int32, l int64, b bool, t time, u time with microseconds, q quantity, x int or string, a anything,
d double, y base64, `.Name` a schema of the same group, a dotted name any other; [T] a list, {T} a map.
GO: the name of a Go string type, which error messages show. ENCODING: `?` a pointer, which is encoded if it is set, `&` a value that is encoded even if
it is zero, `%` a pointer that is encoded as null if it is not set; without a sign it is left out if it is zero. `!` is required. LIST: @a atomic (also of maps), @s set,
@g a struct that is owned by its fields although its type is not, else the map keys joined by `+`. PATCH: strategy, with `/` before the merge key.
"""
import json
import re
import sys

from go_types import Types

CODES = {"string": "s", "int32": "i", "int64": "l", "boolean": "b", "time": "t", "quantity": "q", "intOrString": "x",
         "any": "a", "double": "d", "base64": "y"}
# Schemas that schema.json lacks are made from their Go structs alone.
FROM_GO = ["rbac.v1." + name for name in
           "AggregationRule ClusterRole ClusterRoleBinding PolicyRule Role RoleBinding RoleRef Subject".split()] + \
          ["networking.v1." + name for name in "IngressClass IngressClassParametersReference IngressClassSpec".split()] + \
          ["autoscaling.v1." + name for name in "CrossVersionObjectReference HorizontalPodAutoscaler HorizontalPodAutoscalerSpec "
           "HorizontalPodAutoscalerStatus".split()]
PRIMITIVE = {"string": "string", "int32": "int32", "int64": "int64", "bool": "boolean", "metav1.Time": "time",
             "metav1.ObjectMeta": "meta.v1.ObjectMeta", "metav1.LabelSelector": "meta.v1.LabelSelector"}


def code(kind, schema, go):
    if kind[0] in "[{":
        return kind[0] + code(kind[1:-1], schema, go) + kind[-1]
    group = schema.rsplit(".", 1)[0]
    if kind == "time" and "MicroTime" in go:
        return "u"
    if kind in CODES:
        return CODES[kind]
    return kind[len(group):] if kind.startswith(group + ".") else kind


def go_name(kind, schema, go):
    """Returns the name of a Go type that is a string underneath, as the decoder's errors give it."""
    inner = re.sub(r"^(\*|\[\]|map\[\w+\])+", "", go)
    if kind.strip("[]{}") != "string" or inner in ("string", "[]byte"):
        return ""
    package, _, short = inner.rpartition(".")
    return ":" + ("types" if package == "types" else schema.split(".")[1] if not package else "v1") + "." + short


def encoding(go, options):
    pointer = go.startswith("*")
    left_out = "omitempty" in options or "omitzero" in options
    return {(True, True): "?", (True, False): "%", (False, True): "", (False, False): "&"}[pointer, left_out]


def line(schema, fields, go, atomic):
    out = [schema + "@" if atomic else schema]
    for field, info in fields.items():
        kind, options, notes = go[field]
        text = field + "=" + code(info["type"], schema, kind) + go_name(info["type"], schema, kind) + encoding(kind, options)
        if info.get("required"):
            text += "!"
        list_type = info.get("listType")
        if list_type:
            text += "*" + ("+".join(info["listMapKeys"]) if list_type == "map" else {"atomic": "@a", "set": "@s"}[list_type])
        elif "+mapType=atomic" in notes:
            text += "*@a"
        elif "+structType=granular" in notes:
            text += "*@g"
        if info.get("patchStrategy"):
            text += "~" + info["patchStrategy"] + ("/" + info["patchMergeKey"] if "patchMergeKey" in info else "")
        out.append(text)
    return " ".join(out)


def from_go(schema, go):
    """Describes a struct as schema.json does."""
    out = {}
    for field, (kind, options, notes) in sorted(go.items()):
        inner = re.sub(r"^(\*|\[\])+", "", kind)
        name = PRIMITIVE.get(inner, schema.rsplit(".", 1)[0] + "." + inner)
        info = {"type": "[" + name + "]" if "[]" in kind else name, "required": "+required" in notes or "+optional" not in notes and "omitempty" not in options}
        listed = [note.split("=")[1] for note in notes if note.startswith("+listType=")]
        if listed:
            info["listType"] = listed[0]
        out[field] = info
    if "metadata" in out:
        out["apiVersion"]["required"] = out["kind"]["required"] = False
    return out


schemas = json.load(open(sys.argv[1]))["schemas"]
types = Types(sys.argv[2])
for schema in FROM_GO:
    schemas.setdefault(schema, from_go(schema, types.fields(schema)))
for schema in sorted(schemas):
    print(line(schema, schemas[schema], types.fields(schema), types.is_atomic(schema)))
