//! `kubectl create configmap` and `kubectl create secret`: keys and values from literals and files. Counterparts: `create_configmap.go`, `create_secret*.go`.
//!
//! Simplification: a certificate or key is only checked for a PEM header.

use super::create_kinds::{create_object, named, one_name};
use super::errors::Stop;
use super::flags::{Args, CREATED, Flag, OUTPUT, switch, text};
use super::{Cx, Run, kustomize};
use crate::api::base64;
use crate::api::kind::Kind;
use crate::api::value::{Map, Value};
use crate::api::{json, names};
use crate::map;

const SOURCES: &[Flag] = &[switch("append-hash"), text("from-env-file"), text("from-file"), text("from-literal")];
const TLS: &[Flag] = &[switch("append-hash"), text("cert"), text("key")];
const REGISTRY: &[Flag] = &[
    switch("append-hash"),
    text("docker-email"),
    text("docker-password"),
    text("docker-server"),
    text("docker-username"),
    text("from-file"),
];

/// Runs `kubectl create configmap NAME …`.
pub fn config_map(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create configmap", &[OUTPUT, SOURCES, CREATED], words)?;
    let name = one_name("create configmap", &args)?;
    let mut object = named(name);
    for (key, value) in entries(cx, &args)? {
        let problems = names::config_key(&key);
        if !problems.is_empty() {
            return Err(Stop::plain(format!("\"{key}\" is not a valid key name for a ConfigMap: {}", problems.join(","))));
        }
        let data = object.map_mut("data");
        if data.has(&key) {
            return Err(Stop::plain(format!(
                "cannot add key \"{key}\", another key by that name already exists in Data for ConfigMap \"{name}\""
            )));
        }
        data.insert(key.as_str(), value);
    }
    create_hashed(cx, &args, Kind::CONFIG_MAP, object, "failed to create configmap: ")
}

/// Runs `kubectl create secret generic|tls|docker-registry NAME …`.
pub fn secret(cx: &mut Cx, words: &[String]) -> Run {
    let Some((variety, rest)) = words.split_first() else { return Ok(()) };
    match variety.as_str() {
        "generic" => generic(cx, rest),
        "tls" => tls(cx, rest),
        "docker-registry" => docker_registry(cx, rest),
        _ => Err(Stop::usage("create secret", &format!("unknown command \"{}\"", words.join(" ")))),
    }
}

fn generic(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create secret generic", &[OUTPUT, SOURCES, CREATED, &[text("type")]], words)?;
    let mut object = named(one_name("create secret generic", &args)?);
    for (key, value) in entries(cx, &args)? {
        let problems = names::config_key(&key);
        if !problems.is_empty() {
            return Err(Stop::plain(format!("\"{key}\" is not valid key name for a Secret {}", problems.join(";"))));
        }
        let data = object.map_mut("data");
        if data.has(&key) {
            return Err(Stop::plain(format!("cannot add key {key}, another key by that name already exists")));
        }
        data.insert(key.as_str(), base64::encode(value));
    }
    if let Some(variety) = args.text("type").filter(|variety| !variety.is_empty()) {
        object.insert("type", variety);
    }
    create_hashed(cx, &args, Kind::SECRET, object, "failed to create secret ")
}

fn tls(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create secret tls", &[OUTPUT, TLS, CREATED], words)?;
    let mut object = named(one_name("create secret tls", &args)?);
    let (Some(cert), Some(key)) = (args.text("cert"), args.text("key")) else {
        return Err(Stop::plain("key and cert must be specified"));
    };
    for (field, path, what) in [("tls.crt", cert, "certificate"), ("tls.key", key, "key")] {
        let text = file(cx, path).ok_or_else(|| Stop::plain(format!("Cannot read file {path}, open {path}: no such file or directory")))?;
        if !text.contains("-----BEGIN ") {
            return Err(Stop::plain(format!("tls: failed to find any PEM data in {what} input")));
        }
        object.map_mut("data").insert(field, base64::encode(text));
    }
    object.insert("type", "kubernetes.io/tls");
    create_hashed(cx, &args, Kind::SECRET, object, "failed to create secret ")
}

fn docker_registry(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create secret docker-registry", &[OUTPUT, REGISTRY, CREATED], words)?;
    let mut object = named(one_name("create secret docker-registry", &args)?);
    const KEY: &str = ".dockerconfigjson";
    let config = match (args.text("docker-username"), args.text("docker-password"), args.text("from-file")) {
        (_, _, Some(path)) => {
            let path = path.strip_prefix(KEY).and_then(|path| path.strip_prefix('=')).unwrap_or(path);
            file(cx, path).ok_or_else(|| no_file(path))?.to_owned()
        }
        (Some(user), Some(password), None) => {
            let quoted = |text: &str| json::to_string(&Value::Str(text.into()));
            let server = quoted(args.text("docker-server").unwrap_or("https://index.docker.io/v1/"));
            let email = args.text("docker-email").filter(|email| !email.is_empty());
            let email = email.map(|email| format!("\"email\":{},", quoted(email))).unwrap_or_default();
            let auth = quoted(&base64::encode(format!("{user}:{password}")));
            let (user, password) = (quoted(user), quoted(password));
            // Go marshals the fields in the order of the struct, not by name.
            format!("{{\"auths\":{{{server}:{{\"username\":{user},\"password\":{password},{email}\"auth\":{auth}}}}}}}")
        }
        _ => {
            let text = "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required";
            return Err(Stop::plain(text));
        }
    };
    object.map_mut("data").insert(KEY, base64::encode(config));
    object.insert("type", "kubernetes.io/dockerconfigjson");
    create_hashed(cx, &args, Kind::SECRET, object, "failed to create secret ")
}

/// Creates a ConfigMap or Secret; with `--append-hash` its name ends in a hash of its content. Counterpart: `kubectl/pkg/util/hash`.
fn create_hashed(cx: &mut Cx, args: &Args, kind: Kind, mut object: Map, wrap: &str) -> Run {
    if args.on("append-hash") {
        let metadata = object.map("metadata").cloned().unwrap_or_default();
        let data = object.map("data").cloned().unwrap_or_default();
        let mut summary = map! { "kind" => kind.row().name, "name" => metadata.str("name"), "data" => data };
        if kind == Kind::SECRET {
            summary.insert("type", object.str("type"));
        }
        let name = format!("{}-{}", metadata.str("name"), kustomize::hash(&json::to_string_html(&summary.into())));
        object.map_mut("metadata").insert("name", name);
    }
    create_object(cx, args, kind, object, "created", Some(wrap))
}

fn file<'c>(cx: &'c Cx, path: &str) -> Option<&'c str> {
    cx.env.files.iter().find(|(name, _)| name == path.strip_prefix("./").unwrap_or(path)).map(|(_, text)| text.as_str())
}

fn no_file(path: &str) -> Stop {
    Stop::plain(format!("error reading {path}: no such file or directory"))
}

/// Reads keys and values from `--from-file`, `--from-literal` and `--from-env-file`.
fn entries(cx: &Cx, args: &Args) -> Result<Vec<(String, String)>, Stop> {
    let (files, literals, env_files) = (args.all("from-file"), args.all("from-literal"), args.all("from-env-file"));
    let others = files.len() + literals.len();
    if !env_files.is_empty() && others > 0 {
        return Err(Stop::plain("from-env-file cannot be combined with from-file or from-literal"));
    }
    let mut all = Vec::new();
    for source in files {
        from_file(cx, source, &mut all)?;
    }
    for literal in literals {
        let (key, value) = literal
            .split_once('=')
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| Stop::plain(format!("invalid literal source {literal}, expected key=value")))?;
        let unquoted = ['"', '\''].iter().find_map(|q| value.strip_prefix(*q)?.strip_suffix(*q)).unwrap_or(value);
        all.push((key.to_owned(), unquoted.to_owned()));
    }
    for path in env_files {
        let text = file(cx, path).ok_or_else(|| no_file(path))?;
        let lines = text.lines().map(|line| line.trim_start()).filter(|line| !line.is_empty() && !line.starts_with('#'));
        // kubectl takes a key without a value from the environment, which is empty here.
        for (key, value) in lines.filter_map(|line| line.split_once('=')) {
            all.push((env_key(key)?, value.to_owned()));
        }
    }
    Ok(all)
}

fn env_key(key: &str) -> Result<String, Stop> {
    match names::strict_env_name(key) {
        problems if problems.is_empty() => Ok(key.to_owned()),
        problems => Err(Stop::plain(format!("\"{key}\" is not a valid key name: {}", problems.join(";")))),
    }
}

/// Reads the value of one `--from-file`, which is `PATH` or `KEY=PATH`, and adds its keys to `all`. A folder adds all files directly in it.
fn from_file(cx: &Cx, source: &str, all: &mut Vec<(String, String)>) -> Result<(), Stop> {
    let (key, path) = match source.split_once('=') {
        None => (None, source),
        Some(("", path)) => return Err(Stop::plain(format!("key name for file path {path} missing"))),
        Some((key, "")) => return Err(Stop::plain(format!("file path for key name {key} missing"))),
        Some((_, path)) if path.contains('=') => return Err(Stop::plain("key names or file paths cannot contain '='")),
        Some((key, path)) => (Some(key), path),
    };
    let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    if let Some(text) = file(cx, path) {
        all.push((key.map_or_else(|| last(path), str::to_owned), text.to_owned()));
        return Ok(());
    }
    let directory = format!("{}/", path.trim_end_matches('/'));
    let inside = |name: &str| name.strip_prefix(directory.as_str()).is_some_and(|rest| !rest.contains('/'));
    let found: Vec<_> = cx.env.files.iter().filter(|(name, _)| inside(name)).collect();
    match (found.is_empty(), key) {
        (true, _) => Err(no_file(path)),
        (false, Some(_)) => Err(Stop::plain("cannot give a key name for a directory path")),
        (false, None) => {
            all.extend(found.into_iter().map(|(name, text)| (last(name), text.clone())));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::World;

    fn world() -> World {
        let mut world = World::new();
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        world.files = vec![
            file("app.env", "# comment\nA=1\n\nB=two words\nC\n"),
            file("conf/a.txt", "alpha"),
            file("conf/b.txt", "beta"),
            file("tls.pem", "-----BEGIN CERTIFICATE-----\n"),
        ];
        world
    }

    #[test]
    fn keys_come_from_literals_files_and_directories() {
        let mut world = world();
        for (flags, data) in [
            ("--from-literal=a=b --from-literal=c='x y'", "{\"a\":\"b\",\"c\":\"x y\"}"),
            ("--from-file=conf/a.txt --from-file=key=conf/b.txt", "{\"a.txt\":\"alpha\",\"key\":\"beta\"}"),
            ("--from-file=conf", "{\"a.txt\":\"alpha\",\"b.txt\":\"beta\"}"),
            ("--from-env-file=app.env", "{\"A\":\"1\",\"B\":\"two words\"}"),
        ] {
            assert_eq!(world.run(&format!("create configmap c {flags}"), ""), "configmap/c created\n0");
            assert_eq!(world.run("get cm c -o jsonpath='{.data}'", ""), format!("{data}0"));
            world.run("delete cm c", "");
        }
    }

    #[test]
    fn mistakes_are_told_in_the_real_clients_words() {
        world().check(&[
            ("create cm c --from-file=nope", "error: error reading nope: no such file or directory\n1"),
            ("create cm c --from-literal=a", "error: invalid literal source a, expected key=value\n1"),
            (
                "create cm c --from-env-file=app.env --from-literal=a=b",
                "error: from-env-file cannot be combined with from-file or from-literal\n1",
            ),
            (
                "create cm c --from-literal=a=b --from-literal=a=c",
                "error: cannot add key \"a\", another key by that name already exists in Data for ConfigMap \"c\"\n1",
            ),
            ("create secret tls t --cert=tls.pem", "error: key and cert must be specified\n1"),
            ("create secret tls t --cert=app.env --key=tls.pem", "error: tls: failed to find any PEM data in certificate input\n1"),
            (
                "create secret docker-registry r",
                "error: either --from-file or the combination of --docker-username, --docker-password and --docker-server is required\n1",
            ),
            ("create secret foo x", "error: unknown command \"foo x\"\nSee 'kubectl create secret -h' for help and examples\n1"),
            ("create service externalname e", "error: required flag(s) \"external-name\" not set\n1"),
            ("create service clusterip c", "error: at least one tcp port specifier must be provided\n1"),
            // The hash is of the whole object, so it was computed by hand from the text that the real client hashes.
            ("create cm c --from-literal=one= --append-hash --dry-run=client -o name", "configmap/c-gckg68hmbk\n0"),
            ("cp a b", "error: one of src or dest must be a remote file specification\n1"),
        ]);
    }

    #[test]
    fn secrets_of_all_types_can_be_made() {
        let dry = "--dry-run=client -o yaml";
        let generic = "apiVersion: v1\ndata:\n  p: cQ==\nkind: Secret\nmetadata:\n  name: s\n0";
        let login = "eyJhdXRocyI6eyJyLmV4YW1wbGUiOnsidXNlcm5hbWUiOiJ1IiwicGFzc3dvcmQiOiJwIiwiYXV0aCI6ImRUcHcifX19";
        let registry = format!(
            "apiVersion: v1\ndata:\n  .dockerconfigjson: {login}\nkind: Secret\nmetadata:\n  name: r\ntype: kubernetes.io/dockerconfigjson\n0"
        );
        world().check(&[
            (&format!("create secret generic s --from-literal=p=q {dry}"), generic),
            (
                &format!("create secret docker-registry r --docker-server=r.example --docker-username=u --docker-password=p {dry}"),
                &registry,
            ),
            ("create secret tls t --cert=tls.pem --key=tls.pem", "secret/t created\n0"),
            ("create service externalname e --external-name=x.example", "service/e created\n0"),
            ("create service nodeport n --tcp=80:8080 --node-port=30080", "service/n created\n0"),
        ]);
    }
}
