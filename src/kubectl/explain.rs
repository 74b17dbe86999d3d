//! `kubectl explain`: prints the fields of a kind, from the schema table. Counterpart: `kubectl/pkg/explain/v2`.
//!
//! The layout is the real client's; the sentences about the fields are our own and shorter, and do not tell the meaning of each enum value.

use super::api_resources;
use super::errors::Stop;
use super::flags::{Args, Flag, switch, text};
use super::{Cx, Run, explain_custom, resource};
use crate::api::content;
use crate::api::field_help::{field_help, type_help};
use crate::api::kind::{Kinds, Served};
use crate::api::schema::{self, FieldInfo, Kind as Holds, Schema, SchemaRef, Shape};

/// The flags of `kubectl explain`.
const FLAGS: &[Flag] = &[text("api-version"), text("output").or('o'), switch("recursive").or('R')];

/// The maximum width of a line, including its indent, in columns.
const WIDTH: usize = 80;

/// Runs `kubectl explain TYPE[.FIELD…]`.
pub fn explain(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("explain", &[FLAGS], words)?;
    let [path] = args.words.as_slice() else {
        return Err(Stop::plain(if args.words.is_empty() {
            "You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources."
        } else {
            "We accept only this format: explain RESOURCE"
        }));
    };
    if let Some(format) = args.text("output").filter(|format| !matches!(*format, "plaintext" | "plaintext-openapiv2")) {
        return Err(Stop::plain(format!("unrecognized format: {format}")));
    }
    let word = path.split('.').next().unwrap_or_default();
    if let Some((kind, definition)) = resource::find_kind(&cx.env.kinds, word).ok().and_then(|kind| Some((kind, kind.row().definition?))) {
        let rest = path.strip_prefix(&format!("{}.{}", definition.plural, definition.group)).or_else(|| path.strip_prefix(word));
        let fields: Vec<&str> = rest.unwrap_or_default().split('.').filter(|name| !name.is_empty()).collect();
        let row = kind.row();
        cx.println(format!("GROUP:      {}\nKIND:       {}\nVERSION:    {}\n", row.group, row.name, row.version));
        cx.print(&explain_custom::page(definition, &fields, args.on("recursive"))?);
        return Ok(());
    }
    let (group, mut schema) = find(&cx.env.kinds, word)?;
    // After the plural of a type its group may stand before the fields: `deployments.apps.spec`.
    let is_plural = api_resources::find(&cx.env.kinds, word).is_some_and(|served| served.plural == word);
    let qualified = format!("{word}.{group}");
    let rest = path.strip_prefix(&qualified).filter(|_| is_plural && !group.is_empty() && args.text("api-version").is_none());
    let fields = rest.or_else(|| path.strip_prefix(word)).unwrap_or_default().split('.');
    let other = resource::find_kind(&cx.env.kinds, word).ok().and_then(|kind| kind.row().other_version);
    if let Some(other) = other.filter(|other| args.text("api-version") == Some(other.api_version)) {
        schema = schema::schema(other.schema).unwrap_or(schema);
    }
    let plural = api_resources::find(&cx.env.kinds, word).map_or(word, |served| served.plural);
    check_version(&args, group, schema, plural)?;
    if !group.is_empty() {
        cx.println(format!("GROUP:      {group}"));
    }
    let version = schema.go_path().split('.').next().unwrap_or_default();
    cx.println(format!("KIND:       {}\nVERSION:    {version}\n", schema.go_type()));
    let fields: Vec<&str> = fields.filter(|name| !name.is_empty()).collect();
    cx.print(&page_of(schema, &fields, args.on("recursive"))?);
    Ok(())
}

/// Returns the API group and the schema of a type, which is given by its plural, singular or short name.
fn find(kinds: &Kinds, word: &str) -> Result<(&'static str, SchemaRef), Stop> {
    let missing = |failure| move || failure;
    match resource::find_kind(kinds, word) {
        Ok(kind) => {
            schema::schema(kind.row().schema).map(|schema| (kind.row().group, schema)).ok_or_else(missing(Stop::plain("no schema")))
        }
        Err(failure) => {
            let failure = if api_resources::find(kinds, word).is_some() { failure } else { Stop::no_resource(word, "") };
            api_resources::find(kinds, word).and_then(|served| Some((served.group(), schema_of(&served)?))).ok_or_else(missing(failure))
        }
    }
}

fn check_version(args: &Args, group: &str, schema: &Schema, resource: &str) -> Result<(), Stop> {
    let version = schema.go_path().split('.').next().unwrap_or_default();
    let own = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    match args.text("api-version") {
        Some(wanted) if !wanted.is_empty() && wanted != own => {
            let (group, version) = wanted.split_once('/').unwrap_or(("", wanted));
            Err(Stop::plain(format!("couldn't find resource for \"{group}/{version}, Resource={resource}\"")))
        }
        _ => Ok(()),
    }
}

/// Returns the help text of a built-in type, or of the field in it to which the names lead.
pub fn page_of(schema: SchemaRef, names: &[&str], recursive: bool) -> Result<String, Stop> {
    let mut at = Some(schema);
    let mut last: Option<(&Schema, &FieldInfo)> = None;
    for name in names {
        let Some((owner, info)) = at.and_then(|schema| Some((schema, schema.field(name)?))) else {
            return Err(does_not_exist(names));
        };
        last = Some((owner, info));
        at = inner(info);
    }
    Ok(page(last, at, recursive))
}

/// Returns the error for names that lead nowhere. The real client tells the last of them, whichever is wrong.
pub fn does_not_exist(names: &[&str]) -> Stop {
    Stop::plain(format!("field \"{}\" does not exist", names.last().unwrap_or(&"")))
}

/// Returns the help text after the heading: the description of the field (given with the type that contains it), and the fields of its own type.
fn page(field: Option<(&Schema, &FieldInfo)>, schema: Option<SchemaRef>, recursive: bool) -> String {
    let mut about: Vec<&str> = field.and_then(|(owner, info)| field_help(owner.name, info.name)).into_iter().collect();
    about.extend(schema.and_then(|schema| type_help(schema.name)));
    about.dedup();
    if about.is_empty() {
        about.push("<no description>");
    }
    let mut fields = String::new();
    if let Some(schema) = schema {
        write_fields(&mut fields, schema, recursive, 1, &mut vec![schema.name]);
    }
    let field = field.map(|(_, info)| (info.name, type_text(info), own_enum(info).to_owned()));
    layout(field, &about, &fields)
}

/// Lays out a page: the name, type and values of the field, if it is about one, then the description and the fields.
pub fn layout(field: Option<(&str, String, String)>, about: &[&str], fields: &str) -> String {
    let mut out = String::new();
    if let Some((name, type_, values)) = field {
        out.push_str(&format!("FIELD: {name} <{type_}>\n"));
        if !values.is_empty() {
            out.push_str("ENUM:");
            values.split(", ").for_each(|value| out.push_str(&format!("\n    {value}")));
        }
        out.push_str("\n\n");
    }
    out.push_str("DESCRIPTION:\n");
    about.iter().for_each(|text| wrap(&mut out, text));
    out.push_str(if about.is_empty() { "    <empty>\n" } else { "    \n" });
    if !fields.is_empty() {
        out.push_str("FIELDS:\n");
        out.push_str(fields);
    }
    out.push('\n');
    out
}

/// Writes the line of a field in a list, and the line of its values, of which four are shown.
pub fn write_field(out: &mut String, depth: usize, (name, type_, values): (&str, &str, &str), required: bool) {
    let indent = "  ".repeat(depth);
    let required = if required { " -required-" } else { "" };
    out.push_str(&format!("{indent}{name}\t<{type_}>{required}\n"));
    if !values.is_empty() {
        let mut shown: Vec<&str> = values.split(", ").take(5).collect();
        if let [.., last] = shown.as_mut_slice()
            && values.split(", ").count() > 4
        {
            *last = "....";
        }
        out.push_str(&format!("{indent}enum: {}\n", shown.join(", ")));
    }
}

/// Writes the fields of a type; with `recursive` also the fields of their types, except for a type inside itself.
pub fn write_fields(out: &mut String, schema: &Schema, recursive: bool, depth: usize, open: &mut Vec<&'static str>) {
    for info in &schema.fields {
        write_field(out, depth, (info.name, &type_text(info), own_enum(info)), info.required);
        if !recursive {
            wrap(out, field_help(schema.name, info.name).unwrap_or("<no description>"));
            out.push('\n');
        } else if let Some(inner) = inner(info)
            && !open.contains(&inner.name)
        {
            open.push(inner.name);
            write_fields(out, inner, recursive, depth + 1, open);
            open.pop();
        }
    }
}

pub fn inner(info: &FieldInfo) -> Option<SchemaRef> {
    match info.kind {
        Holds::Schema(name) => schema::schema(name),
        _ => None,
    }
}

/// Formats the type of a field: `[]Container`, `map[string]string`.
pub fn type_text(info: &FieldInfo) -> String {
    let one = match info.kind {
        Holds::String | Holds::Bytes => "string",
        Holds::Int32 | Holds::Int64 => "integer",
        Holds::Bool => "boolean",
        Holds::Double => "number",
        Holds::Time => "Time",
        Holds::MicroTime => "MicroTime",
        Holds::Quantity => "Quantity",
        Holds::IntOrString => "IntOrString",
        Holds::Any if info.name == "fieldsV1" => "FieldsV1",
        Holds::Any if info.name == "data" => "RawExtension",
        Holds::Any => "Object",
        Holds::Schema(name) => name.rsplit('.').next().unwrap_or(name),
    };
    let shape = match info.shape {
        Shape::One => "",
        Shape::List => "[]",
        Shape::Map => "map[string]",
    };
    format!("{shape}{one}")
}

/// Returns the values of an enum field. Those of a list's items are not shown by the real client, either.
fn own_enum(info: &FieldInfo) -> &'static str {
    if info.shape == Shape::One { enum_of(info) } else { "" }
}

/// Returns the values that a field, or each item of it, may have, separated by commas; empty if it is no enum.
pub fn enum_of(info: &FieldInfo) -> &'static str {
    let name = info.go_name.rsplit('.').next().unwrap_or_default();
    content::rows("enums.txt").into_iter().find(|(known, _)| *known == name).map_or("", |(_, values)| values)
}

/// Writes a text in lines of at most 80 columns, indented by four spaces.
pub fn wrap(out: &mut String, text: &str) {
    let mut width = 0;
    for word in text.split([' ', '\n']) {
        let len = word.chars().count();
        if width > 0 && width + 1 + len <= WIDTH {
            out.push(' ');
            width += 1 + len;
        } else {
            out.push_str(if width == 0 { "    " } else { "\n    " });
            width = 4 + len;
        }
        out.push_str(word);
    }
    out.push('\n');
}

/// Returns the names of the fields under a path such as `pod.spec`, for completion.
pub fn fields_under(kinds: &Kinds, path: &str) -> Vec<&'static str> {
    let mut names = path.split('.');
    let Ok((_, first)) = find(kinds, names.next().unwrap_or_default()) else { return Vec::new() };
    let mut at = Some(first);
    for name in names.filter(|name| !name.is_empty()) {
        at = at.and_then(|schema| schema.field(name)).and_then(inner);
    }
    at.map(|schema| schema.fields.iter().map(|info| info.name).collect()).unwrap_or_default()
}

/// Returns the plural names of all built-in types that have a schema.
pub fn types() -> impl Iterator<Item = &'static str> {
    Served::all(&Kinds::default()).into_iter().filter(|served| schema_of(served).is_some()).map(|served| served.plural)
}

fn schema_of(served: &Served) -> Option<SchemaRef> {
    schema::schema_of(served.group(), served.version(), served.kind)
}

#[cfg(test)]
mod tests {
    use super::super::tests::World;

    #[test]
    fn a_field_is_laid_out_as_the_real_client_does() {
        let wanted = "GROUP:      apps
KIND:       Deployment
VERSION:    v1

FIELD: strategy <DeploymentStrategy>


DESCRIPTION:
    How old pods are replaced by new ones.
    
FIELDS:
  rollingUpdate\t<RollingUpdateDeployment>
    Step sizes. Only with the type RollingUpdate.

  type\t<string>
  enum: Recreate, RollingUpdate
    RollingUpdate replaces a few at a time; Recreate stops all old pods first.


0";
        assert_eq!(World::new().run("explain deployment.spec.strategy", ""), wanted);
    }

    #[test]
    fn a_group_may_stand_between_a_type_and_its_fields() {
        let mut world = World::new();
        let fields = world.run("explain deployments.spec.strategy", "");
        assert_eq!(world.run("explain deployments.apps.spec.strategy", ""), fields);
        let wrong = world.run("explain deployment.apps", "");
        assert!(wrong.ends_with("error: field \"apps\" does not exist\n1"), "{wrong}");
    }

    #[test]
    fn a_plain_field_has_its_values_listed() {
        let shown = World::new().run("explain po.spec.restartPolicy", "");
        let wanted = "\nFIELD: restartPolicy <string>\nENUM:\n    Always\n    Never\n    OnFailure\n\nDESCRIPTION:\n    Whether containers";
        assert!(shown.contains(wanted), "{shown}");
        assert!(shown.ends_with("unless given.\n    \n\n0"), "{shown}");
    }

    #[test]
    fn fields_tell_their_types_and_what_must_be_given() {
        let shown = World::new().run("explain pod.spec --recursive", "");
        for line in [
            "  containers\t<[]Container> -required-\n    args\t<[]string>\n",
            "      limits\t<map[string]Quantity>\n",
            "    imagePullPolicy\t<string>\n    enum: Always, IfNotPresent, Never\n",
            "        port\t<IntOrString> -required-\n",
        ] {
            assert!(shown.contains(line), "{line}");
        }
        let shown = World::new().run("explain pod.spec", "");
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        let recursive = World::new().run("explain crd --recursive", "");
        assert!(recursive.lines().count() < 500, "a type inside itself is not opened again");
    }

    #[test]
    fn what_is_not_there_is_named() {
        World::new().check(&[
            ("explain nope", "the server doesn't have a resource type \"nope\"\n1"),
            ("explain svc.spec.nope", "KIND:       Service\nVERSION:    v1\n\nerror: field \"nope\" does not exist\n1"),
            (
                "explain",
                "error: You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.\n1",
            ),
            ("explain deploy --api-version=apps/v2", "error: couldn't find resource for \"apps/v2, Resource=deployments\"\n1"),
        ]);
        assert!(World::new().run("explain pv.spec.rbd.pool --api-version=v1", "").contains("<no description>"));
    }
}
