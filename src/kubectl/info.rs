//! What the client and the server are: `version`, `api-resources`, `api-versions`, `cluster-info`.

use super::errors::Failure;
use super::flags::{Args, Flag, switch, text};
use super::print::table;
use super::{Cx, Run};
use crate::api::kind::{Kind, KindRow};

const VERSION: &str = "v1.36.4";

/// `kubectl version`
pub fn version(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("version", &[&[switch("client"), text("output").or('o')]], words)?;
    cx.say(format!("Client Version: {VERSION}"));
    cx.say("Kustomize Version: v5.8.1");
    if !args.on("client") {
        cx.say(format!("Server Version: {VERSION}"));
    }
    Ok(())
}

/// `kubectl cluster-info`
pub fn cluster_info(cx: &mut Cx, words: &[String]) -> Run {
    Args::read("cluster-info", &[], words)?;
    cx.say("Kubernetes control plane is running at https://kubernetes.example:6443");
    cx.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}

/// `kubectl api-versions`
pub fn api_versions(cx: &mut Cx, words: &[String]) -> Run {
    Args::read("api-versions", &[], words)?;
    let mut versions: Vec<&str> = Kind::all().map(Kind::api_version).collect();
    versions.sort_unstable();
    versions.dedup();
    versions.iter().for_each(|version| cx.say(version));
    Ok(())
}

const RESOURCES: &[Flag] =
    &[switch("namespaced"), text("api-group"), text("output").or('o'), switch("no-headers"), text("verbs"), text("sort-by")];

/// `kubectl api-resources`
pub fn api_resources(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("api-resources", &[RESOURCES], words)?;
    let wanted = |row: &&KindRow| {
        args.text("namespaced").is_none_or(|n| (n == "true") == row.namespaced) && args.text("api-group").is_none_or(|g| g == row.group)
    };
    let mut rows: Vec<&KindRow> = Kind::all().map(Kind::row).filter(wanted).collect();
    rows.sort_by_key(|row| (row.group, row.plural));
    match args.text("output") {
        None => {
            let head = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"].map(str::to_owned).to_vec();
            let mut lines = if args.on("no-headers") { Vec::new() } else { vec![head] };
            lines.extend(rows.iter().map(|row| {
                let short = row.short_names.join(",");
                vec![row.plural.to_owned(), short, row.api_version.to_owned(), row.namespaced.to_string(), row.name.to_owned()]
            }));
            cx.print(&table(&lines));
        }
        Some("name") => {
            for row in rows {
                let group = if row.group.is_empty() { String::new() } else { format!(".{}", row.group) };
                cx.say(format!("{}{group}", row.plural));
            }
        }
        Some(other) => return Err(Failure::usage("api-resources", &format!("--output {other} is not available")).into()),
    }
    Ok(())
}

/// `kubectl top`: as on any cluster without a metrics server.
pub fn top(_: &mut Cx, _: &[String]) -> Run {
    Err(Failure::plain("Metrics API not available").into())
}
