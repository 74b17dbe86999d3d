//! Custom objects and the rules in their definitions, in the words of upstream's functions.

use crate::upstream::{run, server};
use loopscope::apiserver::ApiServer;

fn definition(spec: &str) -> String {
    format!(
        "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: gadgets.example.org}}
spec:
  group: example.org
  scope: Namespaced
  names: {{plural: gadgets, kind: Gadget}}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {spec}}}}}}}
"
    )
}

fn gadget(spec: &str) -> String {
    format!("{{apiVersion: example.org/v1, kind: Gadget, metadata: {{name: a}}, spec: {spec}}}")
}

fn with(spec: &str) -> ApiServer {
    let mut server = server();
    let said = run(&mut server, "create -f -", &definition(spec));
    assert!(said.ends_with("created\n"), "{said}");
    server
}

/// Creates an object of a definition with this schema, and returns what kubectl says about it after `is invalid: `.
fn created(schema: &str, spec: &str) -> String {
    let said = run(&mut with(schema), "create -f -", &gadget(spec));
    said.split_once(" is invalid: ").map_or(said.clone(), |(_, rest)| rest.trim_end().to_owned())
}

/// Counterparts: `compileRule`, `checker.check`, `ValidateCustomResourceDefinitionOpenAPISchema`.
#[test]
fn a_definition_is_refused_for_what_its_rules_say_about_unknown_or_other_types() {
    let properties = "{num: {type: integer}, s: {type: string}, d: {type: number}, l: {type: array, items: {type: object, properties: {x: {type: string}}}}, \
        m: {type: object, additionalProperties: {type: integer}}, t: {type: string, format: date-time}, any: {x-kubernetes-int-or-string: true}, a-b: {type: boolean}}";
    let said = |rule: &str| {
        let schema = format!("{{type: object, properties: {properties}, x-kubernetes-validations: [{{{rule}}}]}}");
        run(&mut server(), "create -f -", &definition(&schema))
    };
    for rule in [
        "self.num > 3 && self.s.startsWith('a') || self.d == 2.5",
        "self.num < self.d && size(self.l) + self.m.size() > 1",
        "self.l.all(i, i.x != '') && self.l.exists_one(i, has(i.x)) && self.m.exists(k, self.m[k] > 1)",
        "self.l.map(i, i.x).join(',') in ['a', 'b'] && 'k' in self.m",
        "self.l.filter(i, i.x == 'a').size() == 0 ? self.a__dash__b : !self.a__dash__b",
        "type(self.any) == int ? self.any > 1 : self.any.endsWith('%')",
        "self.t > timestamp('2020-01-01T00:00:00Z') && self.t - duration('1h') < self.t",
        "quantity(self.s).isGreaterThan(quantity('1Gi')) && isURL(self.s) && sets.contains([1], [2])",
        r"self.s.matches(r'^\d+$') && self == oldSelf // as it was",
        "-self.num == -1 && !(self.num in [1, 2, 3]) && dyn(self.num) == 5 && self.num % 2 == 0",
    ] {
        assert_eq!(
            said(&format!("rule: {rule:?}")),
            "customresourcedefinition.apiextensions.k8s.io/gadgets.example.org created\n",
            "{rule}"
        );
    }
    let overload = |name: &str, arguments: &str| format!("found no matching overload for '{name}' applied to '{arguments}'");
    for (rule, column, problem) in [
        ("self.foo > 1", 5, "undefined field 'foo'".to_owned()),
        ("has(self.foo)", 4, "undefined field 'foo'".to_owned()),
        ("self.l.all(i, i.y == 'a')", 16, "undefined field 'y'".to_owned()),
        ("self.a-1 > 0", 5, "undefined field 'a'".to_owned()),
        ("foo > 1", 1, "undeclared reference to 'foo' (in container '')".to_owned()),
        ("self.s.foo('a')", 11, "undeclared reference to 'foo' (in container '')".to_owned()),
        ("self.num.x == 1", 9, "type 'int' does not support field selection".to_owned()),
        ("self.num == 'a'", 10, overload("_==_", "(int, string)")),
        ("self.num == null", 10, overload("_==_", "(int, null)")),
        ("self.s > 5", 8, overload("_>_", "(string, int)")),
        ("self.num + self.d > 1.0", 10, overload("_+_", "(int, double)")),
        ("self.num.startsWith('a')", 20, overload("startsWith", "int.(string)")),
        ("self.s.startsWith('a', 'b')", 18, overload("startsWith", "string.(string, string)")),
        ("self.l['a'].x == ''", 7, overload("_[_]", "(list(LIST), string)")),
        ("'a' in self.num", 5, overload("@in", "(string, int)")),
        ("self.num ? true : false", 10, overload("_?_:_", "(int, bool, bool)")),
        ("self.num && true", 5, "expected type 'bool' but found 'int'".to_owned()),
        ("self.l.exists(i, i.x)", 19, "expected type 'bool' but found 'string'".to_owned()),
        ("self.s in ['a', 1]", 17, "expected type 'string' but found 'int'".to_owned()),
        (
            "self.num.all(i, i > 1)",
            5,
            "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)".to_owned(),
        ),
        ("has(self)", 5, "invalid argument to has() macro".to_owned()),
        ("for == 1", 1, "reserved identifier: for".to_owned()),
    ] {
        let said = said(&format!("rule: {rule:?}"));
        let mut said = said.split_once("\"OptionalOldSelf\":null}: ").map_or(said.as_str(), |(_, rest)| rest).to_owned();
        if let Some(start) = said.find("selfType") {
            said.replace_range(start..start + said[start..].find(')').unwrap(), "LIST");
        }
        let expected = format!("compilation failed: ERROR: <input>:1:{column}: {problem}\n | {rule}\n | {}^\n", ".".repeat(column - 1));
        assert_eq!(said, expected, "{rule}");
    }
    let path = "The CustomResourceDefinition \"gadgets.example.org\" is invalid: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]";
    for (rule, problem) in [
        (
            "rule: self.num >",
            ".rule: Invalid value: {\"Rule\":\"self.num \\u003e\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: compilation failed: ERROR: <input>:1:11: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.num >\n | ..........^",
        ),
        (
            "rule: self.num + 1, message: m",
            ".rule: Invalid value: {\"Rule\":\"self.num + 1\",\"Message\":\"m\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: cel expression must evaluate to a bool",
        ),
        (
            "rule: self.a__dash__b, messageExpression: self.num",
            ".messageExpression: Invalid value: {\"Rule\":\"self.a__dash__b\",\"Message\":\"\",\"MessageExpression\":\"self.num\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: messageExpression must evaluate to a string",
        ),
        (
            "rule: self.a__dash__b, messageExpression: ' '",
            ".messageExpression: Required value: messageExpression must be non-empty if specified",
        ),
        ("rule: self.a__dash__b, fieldPath: .foo", ".fieldPath: Invalid value: \".foo\": must be a valid path"),
        (
            "rule: self.a__dash__b, optionalOldSelf: true",
            ".optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
        ),
    ] {
        assert_eq!(said(rule), format!("{path}{problem}\n"), "{rule}");
    }
    let list =
        "{type: object, properties: {l: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf}]}}}}";
    assert_eq!(
        run(&mut server(), "create -f -", &definition(list)),
        "The CustomResourceDefinition \"gadgets.example.org\" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[l].items.x-kubernetes-validations[0].rule: Invalid value: \"self >= oldSelf\": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[l]\n"
    );
}

/// Counterparts: `validateExpressions`, `fieldErrorForReason`, `validateMap`.
#[test]
fn a_rule_that_cannot_be_evaluated_is_an_error_of_the_object() {
    let schema = |rule: &str| {
        format!(
            "{{type: object, properties: {{num: {{type: integer}}, d: {{type: number}}, l: {{type: array, items: {{type: integer}}}}}}, x-kubernetes-validations: [{{{rule}}}]}}"
        )
    };
    for (rule, spec, expected) in [
        ("rule: self.num > 3", "{}", "spec: Invalid value: \"object\": no such key: num evaluating rule: self.num > 3"),
        ("rule: self.num > 3, message: too few", "{}", "spec: Invalid value: \"object\": no such key: num evaluating rule: too few"),
        ("rule: 10 / self.num > 3", "{num: 0}", "spec: Invalid value: \"object\": division by zero evaluating rule: 10 / self.num > 3"),
        ("rule: 'self.l[2] > 3'", "{l: [1]}", "spec: Invalid value: \"object\": index out of bounds: 2 evaluating rule: self.l[2] > 3"),
        ("rule: self.d / 2.0 == 0.5", "{d: 1}", "gadget.example.org/a created\n"),
        ("rule: self.num > 3", "{num: 1}", "spec: Invalid value: failed rule: self.num > 3"),
        ("rule: self.num > 3, fieldPath: .num, reason: FieldValueForbidden", "{num: 1}", "spec.num: Forbidden: failed rule: self.num > 3"),
        ("rule: self.num > 3, message: m, reason: FieldValueDuplicate", "{num: 1}", "spec: Duplicate value"),
        ("rule: self.num > 3, message: m, messageExpression: '\"got \" + string(self.num)'", "{num: 1}", "spec: Invalid value: got 1"),
    ] {
        assert_eq!(created(&schema(rule), spec), expected, "{rule}");
    }
    let map = "{type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}}";
    assert_eq!(created(map, "{k: 1}"), "spec[k]: Invalid value: 1: failed rule: self > 1");
}

/// Counterparts: `schemaobjectmeta.Validate`, `ValidateListSetsAndMaps`.
#[test]
fn embedded_objects_and_unique_lists_are_checked_after_the_schema() {
    let embedded = "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}";
    for (spec, expected) in [
        ("{kind: Pod}", "spec.apiVersion: Required value"),
        ("{apiVersion: v1, kind: Pod, metadata: {name: A}}", "gadget.example.org/a created\n"),
        ("{apiVersion: v1, kind: Pod, metadata: {name: a/b}}", "spec.metadata.name: Invalid value: \"a/b\": may not contain '/'"),
        ("{apiVersion: a/b/c, kind: Pod}", "spec.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c"),
        ("{apiVersion: '', kind: Pod}", "spec.apiVersion: Invalid value: \"\": must not be empty"),
    ] {
        assert_eq!(created(embedded, spec), expected, "{spec}");
    }
    let sets = "{type: object, properties: {s: {type: array, x-kubernetes-list-type: set, items: {type: integer}}, z: {type: integer}}}";
    assert_eq!(
        created(sets, "{s: [1, 1, 1], z: x}"),
        "\n* spec.z: Invalid value: \"string\": spec.z in body must be of type integer: \"string\"\n* spec.s[1]: Duplicate value: 1"
    );
}

/// Counterparts: `RatchetingSchemaValidator`, `shouldRatchetError`.
#[test]
fn an_update_may_keep_what_a_newer_schema_no_longer_allows() {
    let mut server = with("{type: object, properties: {num: {type: integer}, s: {type: string}}}");
    run(&mut server, "create -f -", &gadget("{num: 9, s: a}"));
    let tight =
        "{type: object, properties: {num: {type: integer, maximum: 5, x-kubernetes-validations: [{rule: self < 5}]}, s: {type: string}}}";
    run(&mut server, "apply -f -", &definition(tight));
    let mut patch = |spec: &str| run(&mut server, &format!("patch gadget a --type=merge -p '{{\"spec\":{spec}}}'"), "");
    assert_eq!(patch(r#"{"s":"b"}"#), "gadget.example.org/a patched\n");
    assert_eq!(
        patch(r#"{"num":8}"#),
        "The Gadget \"a\" is invalid: \n* spec.num: Invalid value: 8: spec.num in body should be less than or equal to 5\n* spec.num: Invalid value: 8: failed rule: self < 5\n"
    );
}

/// Counterpart: `ErrorBody`, which quotes texts as Go does and writes anything else with `json.Marshal`.
#[test]
fn messages_show_values_as_go_writes_them() {
    let mut server = server();
    let job = |command: &str| {
        format!(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: a}}, spec: {{suspend: true, template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: busybox, command: [sh, -c, {command:?}]}}]}}}}}}}}"
        )
    };
    run(&mut server, "apply -f -", &job("a"));
    let said = run(&mut server, "apply -f -", &job("a > b && c"));
    assert!(said.contains(r#""Command":["sh","-c","a \u003e b \u0026\u0026 c"]"#), "{said}");
    let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {\"a\\x01<\": b}}";
    let said = run(&mut server, "apply -f -", map);
    assert!(said.contains(r#"Invalid value: "a\x01<": a valid config key"#), "{said}");
}
