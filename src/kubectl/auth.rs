//! `kubectl auth`: the only user is an admin who may do everything. Counterpart: `kubectl/pkg/cmd/auth`.

use super::errors::Stop;
use super::flags::{Args, Flag, switch, text};
use super::print::{Output, document, table};
use super::served;
use super::{Cx, Run};
use crate::map;

const CAN_I: &[Flag] =
    &[switch("all-namespaces").or('A'), switch("list"), switch("no-headers"), switch("quiet").or('q'), text("subresource")];

const USER: &str = "admin";
const GROUPS: [&str; 2] = ["system:masters", "system:authenticated"];

/// `kubectl auth can-i VERB TYPE` and `kubectl auth whoami`
pub fn auth(cx: &mut Cx, words: &[String]) -> Run {
    match words.split_first().map(|(what, rest)| (what.as_str(), rest)) {
        Some(("can-i", rest)) => can_i(cx, rest),
        Some(("whoami", rest)) => who_am_i(cx, rest),
        Some(("reconcile", _)) => Err(Stop::plain("this playground has no \"kubectl auth reconcile\": it has no roles")),
        _ => Err(Stop::usage("auth", &format!("unknown command \"{}\"", words.join(" ")))),
    }
}

fn can_i(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("auth can-i", &[CAN_I], words)?;
    args.refuse("auth can-i", &["as", "as-group"])?;
    if args.on("list") {
        let head = ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"];
        let rows = [head, ["*.*", "[]", "[]", "[*]"], ["", "[*]", "[]", "[*]"]];
        let rows: Vec<Vec<String>> =
            rows.iter().skip(usize::from(args.on("no-headers"))).map(|row| row.map(str::to_owned).to_vec()).collect();
        cx.print(&table(&rows));
        return Ok(());
    }
    let [_, what] = args.words.as_slice() else {
        return Err(Stop::usage("auth can-i", "you must specify two arguments: verb resource or verb resource/resourceName."));
    };
    let plural = what.split('/').next().unwrap_or(what);
    if !what.starts_with('/') && plural != "*" {
        match served::find(&cx.env.kinds, plural) {
            None => match plural.split_once('.') {
                None => cx.eprintln(format!("Warning: the server doesn't have a resource type '{plural}'\n")),
                Some((name, group)) => {
                    cx.eprintln(format!("Warning: the server doesn't have a resource type '{name}' in group '{group}'\n"))
                }
            },
            Some(served) if !served.namespaced && !args.on("all-namespaces") => {
                let group = if served.group().is_empty() { String::new() } else { format!(" in group '{}'", served.group()) };
                cx.eprintln(format!("Warning: resource '{}' is not namespace scoped{group}\n", served.plural));
            }
            Some(_) => {}
        }
    }
    if !args.on("quiet") {
        cx.println("yes");
    }
    Ok(())
}

fn who_am_i(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("auth whoami", &[&[text("output").or('o')]], words)?;
    let output = Output::of(&args, false)?;
    if matches!(output, Output::Yaml | Output::Json) {
        let groups: Vec<_> = GROUPS.map(Into::into).to_vec();
        let review = map! {
            "apiVersion" => "authentication.k8s.io/v1",
            "kind" => "SelfSubjectReview",
            "metadata" => map! { "creationTimestamp" => cx.now.rfc3339() },
            "status" => map! { "userInfo" => map! { "username" => USER, "groups" => groups } },
        };
        document(cx, output, &review);
        return Ok(());
    }
    let row = |a: &str, b: String| vec![a.to_owned(), b];
    let rows = [row("ATTRIBUTE", "VALUE".into()), row("Username", USER.into()), row("Groups", format!("[{}]", GROUPS.join(" ")))];
    cx.print(&table(&rows));
    Ok(())
}
