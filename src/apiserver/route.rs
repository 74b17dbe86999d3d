//! Translates HTTP requests into [`Request`]s. Counterpart: `apiserver/pkg/endpoints/request`.

use super::type_meta::readable;
use super::{not_allowed, problem, unsimulated};
use crate::api::field::{Errors, Path};
use crate::api::kind::{Kind, Kinds};
use crate::api::request::{FieldValidation, Options, PatchType, Payload, Propagation, ReadAt, Request, Subresource, Verb};
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
use arcstr::ArcStr;

/// An HTTP request as it comes over the wire.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HttpRequest {
    /// The HTTP method: `GET`, `POST` …
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The request body, if any.
    pub body: Option<Value>,
    /// The content type of the body, which determines the type of a patch.
    pub content_type: String,
    /// The accepted content types; `as=Table` asks for the columns of `kubectl get`.
    pub accept: String,
}

/// The words before the error of a list at a resource version that is not a number.
const BAD_VERSION: &str = "invalid resource version: ";

/// Returns the 404 of the plain HTTP server, whose body is not a Status.
fn no_page() -> Status {
    Status::new(Reason::NotFound, "")
}

fn unknown_path() -> Status {
    Status::new(Reason::NotFound, "the server could not find the requested resource")
}

/// Translates an HTTP request into an API request, for a server of these kinds, or returns the error.
pub fn route(kinds: &Kinds, http: &HttpRequest) -> Result<Request, Status> {
    let (path, query) = http.path.split_once('?').unwrap_or((&http.path, ""));
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        ["api", ..] | ["apis"] => return Err(unknown_path()),
        ["apis", group] if kinds.all().any(|k| k.row().group == *group) => return Err(unknown_path()),
        _ => return Err(no_page()),
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, within @ ..] if within.first().is_some_and(|part| !is_namespace_subresource(part)) => {
            (*namespace, within)
        }
        _ => ("", rest),
    };
    let served = group.is_empty() || kinds.all().any(|k| k.row().group == group && k.row().definition.is_none());
    let lost = if served { unknown_path } else { no_page };
    let (plural, name, subresource_name) = match rest {
        [plural] => (*plural, "", ""),
        [plural, name] => (*plural, *name, ""),
        [plural, name, subresource_name] => (*plural, *name, *subresource_name),
        _ => return Err(lost()),
    };
    let Some(kind) = kinds.of_resource(group, version, plural) else {
        if let Some(known) = unsimulated::of_resource(group, version, plural) {
            if !name.is_empty() && matches!(http.method.as_str(), "GET" | "PATCH" | "DELETE") {
                return Err(unsimulated::missing(&known, name));
            }
            let body = http.body.as_ref().filter(|_| http.method != "DELETE");
            return Err(body.map_or_else(|| unsimulated::absent(&known), |body| unsimulated::refuse(&known, body)));
        }
        return Err(lost());
    };
    let subresource = subresource(subresource_name).filter(|s| kind.row().has(*s)).ok_or_else(unknown_path)?;
    // A namespaced object has a path without a namespace only in lists and watches; a cluster-scoped one never has a path with a namespace.
    if (kind.row().namespaced && namespace.is_empty() && !name.is_empty()) || (!kind.row().namespaced && !namespace.is_empty()) {
        return Err(unknown_path());
    }
    let listed = http.method == "GET" && name.is_empty();
    if (kind.row().namespaced && namespace.is_empty() && !listed)
        || (http.method == "POST" && name.is_empty() == (subresource != Subresource::None))
    {
        return Err(not_allowed());
    }
    let mut request = Request::new(verb(&http.method, name)?, kind, namespace, name);
    request.subresource = subresource;
    check_write_options(request.verb, query, http.content_type == "application/apply-patch+yaml")?;
    if request.verb == Verb::List {
        check_list_options(query)?;
    }
    let listed = matches!(request.verb, Verb::List | Verb::DeleteCollection);
    let mut options = options_of_query(query, listed).map_err(|status| match status.message.strip_prefix(BAD_VERSION) {
        // For a get, the store refuses an invalid resourceVersion; for other requests the check of the options does.
        Some(problem) if request.verb == Verb::Get => Status::new(Reason::Unknown, problem),
        _ => status,
    })?;
    if let Some(other) = kind.row().in_version(version) {
        (options.version, options.answers_in_version) = (other.version, true);
    }
    options.as_table = http.accept.contains("as=Table");
    match (&http.body, request.verb) {
        (Some(body), Verb::Delete | Verb::DeleteCollection) => {
            check_content_type(&http.content_type)?;
            let body = decode_delete_options(body)?;
            validate_delete_options(body)?;
            read_delete_options(body, &mut options);
        }
        (None, Verb::Delete | Verb::DeleteCollection) => validate_delete_options(&delete_options_of_query(query))?,
        (Some(body), Verb::Patch) => request.payload = Payload::Patch(patch_type(&http.content_type, kind)?, Box::new(body.clone())),
        (Some(body), Verb::Create | Verb::Update) => {
            check_content_type(&http.content_type)?;
            if let (Subresource::Eviction, Some(inner)) = (subresource, body.get("deleteOptions").and_then(Value::as_map)) {
                validate_delete_options(inner)?;
                read_delete_options(inner, &mut options);
            }
            request.payload = Payload::Tree(Box::new(body.clone()));
        }
        _ => {}
    }
    if options != Options::default() {
        request.options = Some(Box::new(options));
    }
    Ok(request)
}

fn is_namespace_subresource(name: &str) -> bool {
    matches!(name, "status" | "finalize")
}

fn subresource(name: &str) -> Option<Subresource> {
    Some(match name {
        "" => Subresource::None,
        "status" => Subresource::Status,
        "scale" => Subresource::Scale,
        "binding" => Subresource::Binding,
        "eviction" => Subresource::Eviction,
        "finalize" => Subresource::Finalize,
        "log" => Subresource::Log,
        "exec" | "attach" => Subresource::Exec,
        "ephemeralcontainers" => Subresource::EphemeralContainers,
        "resize" => Subresource::Resize,
        _ => return None,
    })
}

fn verb(method: &str, name: &str) -> Result<Verb, Status> {
    Ok(match (method, name.is_empty()) {
        ("GET", true) => Verb::List,
        ("GET", false) => Verb::Get,
        ("POST", _) => Verb::Create,
        ("PUT", false) => Verb::Update,
        ("PATCH", false) => Verb::Patch,
        ("DELETE", false) => Verb::Delete,
        ("DELETE", true) => Verb::DeleteCollection,
        _ => return Err(not_allowed()),
    })
}

/// Returns the error for a body whose content type the server cannot decode.
fn unknown_format(accepted: &[&str]) -> Status {
    let accepted: Vec<String> = accepted.iter().map(|name| format!("application/{name}")).collect();
    let message = format!("the body of the request was in an unknown format - accepted media types include: {}", accepted.join(", "));
    Status::new(Reason::UnsupportedMediaType, message)
}

/// Refuses a body to create or replace an object if it is neither JSON nor YAML.
fn check_content_type(content_type: &str) -> Result<(), Status> {
    match content_type.split(';').next().unwrap_or("").trim() {
        "" | "application/json" | "application/yaml" => Ok(()),
        _ => Err(unknown_format(&["json", "yaml", "vnd.kubernetes.protobuf"])),
    }
}

fn patch_type(content_type: &str, kind: Kind) -> Result<PatchType, Status> {
    // The server knows no merge keys of custom objects.
    let strategic = kind.row().definition.is_none();
    match content_type.split(';').next().unwrap_or("").trim() {
        "application/json-patch+json" => Ok(PatchType::Json),
        "application/merge-patch+json" => Ok(PatchType::Merge),
        "application/strategic-merge-patch+json" if strategic => Ok(PatchType::Strategic),
        "application/apply-patch+yaml" => Ok(PatchType::Apply),
        _ => {
            let mut accepted = vec!["json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"];
            accepted.retain(|name| strategic || !name.starts_with("strategic"));
            Err(unknown_format(&accepted))
        }
    }
}

/// Refuses delete options that cannot be decoded. They may be of any version.
fn decode_delete_options(tree: &Value) -> Result<&Map, Status> {
    let body = readable(tree).map_err(Status::bad_request)?;
    if !matches!(body.str("kind"), "" | "DeleteOptions") {
        return Err(Status::bad_request(format!(
            "no kind \"{}\" is registered for version \"{}\" in scheme \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"",
            body.str("kind"),
            body.str("apiVersion")
        )));
    }
    match crate::api::schema::check("meta.v1.DeleteOptions", "DeleteOptions", "v1", tree) {
        Err(error) if !error.strict_only => Err(Status::bad_request(problem(&error.message))),
        _ => Ok(body),
    }
}

/// Refuses delete options that contradict each other. Counterpart: `ValidateDeleteOptions`.
fn validate_delete_options(body: &Map) -> Result<(), Status> {
    let mut errors = Errors::default();
    if let Some(policy) = body.get("propagationPolicy").and_then(Value::as_str) {
        let path = Path::new("propagationPolicy");
        if body.get("orphanDependents").is_some_and(|v| !v.is_null()) {
            errors.invalid(&path, policy, "orphanDependents and deletionPropagation cannot be both set");
        }
        if propagation(policy).is_none() {
            errors.not_supported(&path, policy, &["Foreground", "Background", "Orphan", "nil"]);
        }
    }
    if body.list("dryRun").iter().any(|v| v.as_str() != Some("All")) {
        errors.not_supported(&Path::new("dryRun"), body.list("dryRun").to_vec(), &["All"]);
    }
    refuse_options("DeleteOptions", &errors)
}

/// Fails with an Invalid error about an options object of this kind, unless there are no errors.
fn refuse_options(kind: &str, errors: &Errors) -> Result<(), Status> {
    if errors.is_empty() {
        return Ok(());
    }
    let mut status = Status::invalid(Kind::FIRST, "", errors);
    let rest = status.message.split_once(" is invalid: ").map_or("", |(_, rest)| rest).to_owned();
    status.message = format!("{kind}.meta.k8s.io \"\" is invalid: {rest}");
    (status.kind, status.group) = (kind.to_owned(), "meta.k8s.io");
    Err(status)
}

/// Refuses invalid options of a write. Counterparts: `ValidateCreateOptions`, `ValidateUpdateOptions`, `ValidatePatchOptions`.
fn check_write_options(verb: Verb, query: &str, applies: bool) -> Result<(), Status> {
    let kind = match verb {
        Verb::Create => "CreateOptions",
        Verb::Update => "UpdateOptions",
        Verb::Patch => "PatchOptions",
        _ => return Ok(()),
    };
    let values = |key: &str| -> Vec<ArcStr> {
        query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(k, _)| *k == key).map(|(_, v)| unescape(v)).collect()
    };
    let mut errors = Errors::default();
    if kind == "PatchOptions" && !applies && values("force").iter().any(|v| !v.is_empty()) {
        errors.forbidden(&Path::new("force"), "may not be specified for non-apply patch");
    }
    let manager = values("fieldManager").into_iter().next().unwrap_or_default();
    if manager.chars().count() > 128 {
        errors.too_long(&Path::new("fieldManager"), 128);
    }
    if let Some((i, c)) = manager.char_indices().find(|(_, c)| c.is_control()) {
        let detail = format!("invalid character U+{:04X} (at position {i})", u32::from(c));
        errors.invalid(&Path::new("fieldManager"), manager.as_str(), &detail);
    }
    let dry_run = values("dryRun");
    if dry_run.iter().any(|v| v != "All") {
        errors.not_supported(&Path::new("dryRun"), dry_run.iter().map(Value::from).collect::<Vec<_>>(), &["All"]);
    }
    if let Some(wrong) = values("fieldValidation").iter().find(|v| !matches!(v.as_str(), "" | "Ignore" | "Strict" | "Warn")) {
        errors.not_supported(&Path::new("fieldValidation"), wrong, &["", "Ignore", "Strict", "Warn"]);
    }
    refuse_options(kind, &errors)
}

/// Refuses options of a list that contradict each other. Counterpart: `ValidateListOptions`.
fn check_list_options(query: &str) -> Result<(), Status> {
    let value = |key: &str| query.split('&').filter_map(|pair| pair.split_once('=')).find(|(k, _)| *k == key).map_or("", |(_, v)| v);
    let (matches, path) = (value("resourceVersionMatch"), Path::new("resourceVersionMatch"));
    let mut errors = Errors::default();
    if !matches.is_empty() {
        if value("resourceVersion").is_empty() {
            errors.forbidden(&path, "resourceVersionMatch is forbidden unless resourceVersion is provided");
        }
        if !value("continue").is_empty() {
            errors.forbidden(&path, "resourceVersionMatch is forbidden when continue is provided");
        }
        if !matches!(matches, "Exact" | "NotOlderThan") {
            errors.not_supported(&path, matches, &["Exact", "NotOlderThan", ""]);
        }
        if matches == "Exact" && value("resourceVersion") == "0" {
            errors.forbidden(&path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
        }
    }
    if !value("sendInitialEvents").is_empty() {
        errors.forbidden(&Path::new("sendInitialEvents"), "sendInitialEvents is forbidden for list");
    }
    refuse_options("ListOptions", &errors)
}

/// Converts the delete options in a query into the form of a request body.
fn delete_options_of_query(query: &str) -> Map {
    let mut body = Map::new();
    for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        match key {
            "propagationPolicy" => body.insert("propagationPolicy", unescape(value)),
            "orphanDependents" => body.insert("orphanDependents", value != "false" && value != "0"),
            "dryRun" => {
                let mut values = body.list("dryRun").to_vec();
                values.push(unescape(value).into());
                body.insert("dryRun", values);
            }
            _ => {}
        }
    }
    body
}

fn read_delete_options(body: &Map, options: &mut Options) {
    options.grace_seconds = body.int("gracePeriodSeconds").or(options.grace_seconds);
    options.dry_run |= !body.list("dryRun").is_empty();
    options.propagation = propagation(body.str("propagationPolicy")).or(options.propagation);
    if let Some(orphan) = body.get("orphanDependents").and_then(Value::as_bool) {
        options.propagation = Some(if orphan { Propagation::Orphan } else { Propagation::Background });
    }
    if let Some(preconditions) = body.map("preconditions") {
        options.preconditions = ["uid", "resourceVersion"].map(|key| preconditions.get(key).and_then(Value::as_str).map(str::to_owned));
    }
}

fn propagation(text: &str) -> Option<Propagation> {
    match text {
        "Background" => Some(Propagation::Background),
        "Foreground" => Some(Propagation::Foreground),
        "Orphan" => Some(Propagation::Orphan),
        _ => None,
    }
}

/// Reads the options in a query. `listed` tells that they are those of a list.
fn options_of_query(query: &str, listed: bool) -> Result<Options, Status> {
    let mut options = Options { field_validation: FieldValidation::Warn, ..Options::default() };
    let (mut version, mut exact) = (None, false);
    for pair in query.split('&').filter(|p| !p.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = unescape(value);
        match key {
            "dryRun" => options.dry_run = value == "All",
            "labelSelector" => options.label_selector = value.to_string(),
            "fieldSelector" => options.field_selector = value.to_string(),
            "limit" if listed => options.limit = usize::try_from(whole(&value)?).unwrap_or(0),
            "timeoutSeconds" if listed => drop(whole(&value)?),
            "continue" => options.continue_token = value.to_string(),
            "gracePeriodSeconds" => options.grace_seconds = Some(whole(&value)?),
            "propagationPolicy" => options.propagation = propagation(&value),
            "orphanDependents" => {
                options.propagation = Some(if value == "false" || value == "0" { Propagation::Background } else { Propagation::Orphan });
            }
            "fieldValidation" => {
                options.field_validation = match value.as_str() {
                    "Strict" => FieldValidation::Strict,
                    "Ignore" => FieldValidation::Ignore,
                    _ => FieldValidation::Warn,
                }
            }
            "fieldManager" => options.field_manager = value,
            "force" => options.force = value == "true",
            "resourceVersion" => version = Some(value),
            "resourceVersionMatch" => exact = value == "Exact",
            _ => {}
        }
    }
    if let Some(text) = version.filter(|v| !v.is_empty()) {
        let number = version_number(&text)
            .map_err(|problem| Status::bad_request(format!("{BAD_VERSION}resourceVersion: Invalid value: \"{text}\": {problem}")))?;
        options.at = if exact { ReadAt::Exact(number) } else { ReadAt::NotOlderThan(number) };
    }
    Ok(options)
}

/// Parses a number in a query; the error has the text of Go's parser.
fn whole(text: &str) -> Result<i64, Status> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    text.parse().map_err(|_| Status::bad_request(format!("strconv.ParseInt: parsing {text:?}: {}", unreadable(digits))))
}

/// Parses a resource version; the error is the text of Go's parser.
pub(super) fn version_number(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|_| !text.starts_with('+'));
    number.ok_or_else(|| format!("strconv.ParseUint: parsing {text:?}: {}", unreadable(text)))
}

fn unreadable(digits: &str) -> &'static str {
    let numeric = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if numeric { "value out of range" } else { "invalid syntax" }
}

fn unescape(text: &str) -> ArcStr {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok()).and_then(|h| u8::from_str_radix(h, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    ArcStr::from(&*String::from_utf8_lossy(&bytes))
}
