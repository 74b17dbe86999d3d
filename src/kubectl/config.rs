//! `kubectl config`: one context, whose namespace can be changed. Counterpart: `kubectl/pkg/cmd/config`.
//!
//! There is no kubeconfig file: the terminal keeps the namespace, and commands that would write anything else are refused.

use super::errors::Stop;
use super::flags::{Args, Flag, switch, text};
use super::jsonpath::Template;
use super::print::{Output, document, table};
use super::{Cx, Failures, Run};
use crate::api::value::{Map, Value};
use crate::map;
use crate::sim::Effect;

/// The name of the only context and of its cluster.
pub const CONTEXT: &str = "loopscope";
/// The name of the only user.
pub const USER: &str = "admin";
/// The address of the API server, as kubectl shows it.
pub const SERVER: &str = "https://kubernetes.example:6443";

const SET_CONTEXT: &[Flag] = &[switch("current"), text("cluster"), text("user")];
const VIEW: &[Flag] =
    &[text("output").or('o'), switch("minify"), switch("raw"), switch("flatten"), switch("merge"), switch("allow-missing-template-keys")];
const GET: &[Flag] = &[switch("no-headers"), text("output").or('o')];

/// Runs `kubectl config WHAT …`.
pub fn config(cx: &mut Cx, words: &[String]) -> Run {
    let Some((what, rest)) = words.split_first() else { return Ok(()) };
    match what.as_str() {
        "current-context" => {
            Args::read("config current-context", &[], rest)?;
            cx.println(CONTEXT);
            Ok(())
        }
        "get-contexts" => get_contexts(cx, rest),
        "get-clusters" => {
            Args::read("config get-clusters", &[], rest)?;
            cx.println(format!("NAME\n{CONTEXT}"));
            Ok(())
        }
        "get-users" => {
            Args::read("config get-users", &[], rest)?;
            cx.println(format!("NAME\n{USER}"));
            Ok(())
        }
        "set-context" => set_context(cx, rest),
        "use-context" | "use" => use_context(cx, rest),
        "view" => view(cx, rest),
        "delete-cluster" | "delete-context" | "delete-user" | "rename-context" | "set" | "set-cluster" | "set-credentials" | "unset" => {
            let text = format!("this playground has no \"kubectl config {what}\": it has one cluster, one user and one context");
            Err(Stop::plain(text))
        }
        _ => Err(Stop::usage("config", &format!("unknown command \"{}\"", words.join(" ")))),
    }
}

fn no_context(name: &str) -> Stop {
    Stop::plain(format!("no context exists with the name: \"{name}\""))
}

/// Returns the namespace of the context, or `""` if it is `default`, which a kubeconfig leaves out.
fn named_namespace<'c>(cx: &'c Cx) -> &'c str {
    if cx.env.namespace == "default" { "" } else { &cx.env.namespace }
}

fn get_contexts(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("config get-contexts", &[GET], words)?;
    let unknown = args.words.iter().filter(|name| *name != CONTEXT);
    let missing = Failures(unknown.map(|name| Stop::plain(format!("context {name} not found"))).collect());
    let named = args.words.is_empty() || args.words.iter().any(|name| name == CONTEXT);
    match args.text("output") {
        None | Some("") => {}
        Some("name") => {
            if named {
                cx.println(CONTEXT);
            }
            return missing.finish();
        }
        Some(_) => return Err(Stop::plain("output must be one of '' or 'name'")),
    }
    let head = ["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"];
    let rows = [head, ["*", CONTEXT, CONTEXT, USER, named_namespace(cx)]];
    let rows: Vec<Vec<String>> = rows
        .iter()
        .take(1 + usize::from(named))
        .skip(usize::from(args.on("no-headers")))
        .map(|row| row.map(str::to_owned).to_vec())
        .collect();
    cx.print(&table(&rows));
    missing.finish()
}

fn set_context(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("config set-context", &[SET_CONTEXT], words)?;
    match (args.words.as_slice(), args.on("current")) {
        ([], true) => {}
        ([name], false) if name == CONTEXT => {}
        ([_], true) => return Err(Stop::plain("you must specify one of --current or a context name, not both")),
        ([name], false) => {
            let text = format!("this playground cannot make the context \"{name}\": \"{CONTEXT}\" is the only one");
            return Err(Stop::plain(text));
        }
        _ => return Err(Stop::plain("you must specify a non-empty context name or --current")),
    }
    let others = [("cluster", CONTEXT), ("user", USER)];
    if let Some((flag, only)) = others.iter().find(|(flag, only)| args.text(flag).is_some_and(|given| given != *only)) {
        return Err(Stop::plain(format!("this playground cannot change the context's {flag}: \"{only}\" is the only one")));
    }
    if let Some(namespace) = args.text("namespace") {
        cx.effects.push(Effect::Namespace(if namespace.is_empty() { "default" } else { namespace }.into()));
    }
    cx.println(format!("Context \"{CONTEXT}\" modified."));
    Ok(())
}

fn use_context(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("config use-context", &[], words)?;
    match args.words.as_slice() {
        [name] if name == CONTEXT => {
            cx.println(format!("Switched to context \"{CONTEXT}\"."));
            Ok(())
        }
        [name] => Err(no_context(name)),
        words => Err(Stop::usage("config use-context", &format!("accepts 1 arg(s), received {}", words.len()))),
    }
}

fn view(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("config view", &[VIEW], words)?;
    let config = kubeconfig(named_namespace(cx));
    if let Some(template) = args.text("output").and_then(|format| format.strip_prefix("jsonpath=")) {
        let text = Template::parse(template).and_then(|template| template.print(&Value::Map(config))).map_err(Stop::plain)?;
        cx.print(&text);
        return Ok(());
    }
    let output = if args.text("output").is_none() { Output::Yaml } else { Output::of(&args, false)? };
    document(cx, output, &config);
    Ok(())
}

fn kubeconfig(namespace: &str) -> Map {
    let mut context = map! { "cluster" => CONTEXT, "user" => USER };
    if !namespace.is_empty() {
        context.insert("namespace", namespace);
    }
    map! {
        "apiVersion" => "v1",
        "kind" => "Config",
        "preferences" => Map::new(),
        "current-context" => CONTEXT,
        "clusters" => vec![map! { "name" => CONTEXT, "cluster" => map! { "server" => SERVER } }.into()],
        "contexts" => vec![map! { "name" => CONTEXT, "context" => context }.into()],
        "users" => vec![map! { "name" => USER, "user" => Map::new() }.into()],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::World;
    use super::*;

    #[test]
    fn the_namespace_of_the_context_can_be_changed() {
        let mut world = World::new();
        world.check(&[("config set-context --current --namespace=demo", "Context \"loopscope\" modified.\n0")]);
        assert_eq!(world.effects, [Effect::Namespace("demo".into())]);
        world.check(&[
            ("config current-context", "loopscope\n0"),
            ("config use-context loopscope", "Switched to context \"loopscope\".\n0"),
            ("config use-context nope", "error: no context exists with the name: \"nope\"\n1"),
            (
                "config get-contexts",
                "CURRENT   NAME        CLUSTER     AUTHINFO   NAMESPACE\n*         loopscope   loopscope   admin      \n0",
            ),
            ("config get-clusters", "NAME\nloopscope\n0"),
            ("config view -o jsonpath='{.current-context}'", "loopscope0"),
        ]);
        assert!(world.effects.is_empty());
        for refused in ["config set a b", "config unset a", "config set-context other --namespace=x", "config foo"] {
            assert!(world.run(refused, "").ends_with("\n1"), "{refused}");
        }
    }

    #[test]
    fn an_admin_may_do_everything() {
        World::new().check(&[
            ("auth can-i create pods", "yes\n0"),
            ("auth can-i '*' '*'", "yes\n0"),
            ("auth can-i list nodes", "yes\nWarning: resource 'nodes' is not namespace scoped\n\n0"),
            ("auth can-i get foos -q", "Warning: the server doesn't have a resource type 'foos'\n\n0"),
            ("auth whoami", "ATTRIBUTE   VALUE\nUsername    admin\nGroups      [system:masters system:authenticated]\n0"),
        ]);
    }
}
