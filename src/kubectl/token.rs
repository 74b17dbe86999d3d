//! `kubectl create token`. Counterpart: `kubectl/pkg/cmd/create/create_token.go`.

use super::create_kinds::one_name;
use super::errors::Stop;
use super::flags::{Args, Flag, Takes, duration, takes, text};
use super::resource;
use super::{Cx, Run};
use crate::api::jwt;
use crate::api::request::{Request, Verb};
use crate::api::time::Span;
use crate::map;

const FLAGS: &[Flag] = &[
    text("audience"),
    takes("duration", Takes::Duration),
    text("bound-object-kind"),
    text("bound-object-name"),
    text("bound-object-uid"),
    text("output").or('o'),
];

/// The kinds of objects that a token can be bound to.
const BOUND: &str = "Node, Pod, Secret";
/// The lifetime of a token without `--duration`.
const USUAL: Span = Span::secs(3_600);
/// The shortest lifetime that the server grants.
const SHORTEST: Span = Span::secs(600);

/// Runs `kubectl create token SERVICE_ACCOUNT_NAME`.
pub fn token(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create token", &[FLAGS], words)?;
    let name = one_name("create token", &args)?;
    let [kind, bound, uid] = ["kind", "name", "uid"].map(|part| args.text(&format!("bound-object-{part}")).unwrap_or(""));
    let known = BOUND.split(", ").any(|known| known == kind);
    let problem = match (kind, bound, uid) {
        ("", "", "") => "",
        ("", "", _) => "--bound-object-uid can only be set if --bound-object-kind is provided",
        ("", ..) => "--bound-object-name can only be set if --bound-object-kind is provided",
        _ if !known => return Err(Stop::plain(format!("supported --bound-object-kind values are {BOUND}"))),
        (_, "", _) => "--bound-object-name is required if --bound-object-kind is provided",
        _ => "",
    };
    if !problem.is_empty() {
        return Err(Stop::plain(problem));
    }
    let lifetime = args.text("duration").and_then(duration).unwrap_or(USUAL);
    if lifetime < SHORTEST {
        return Err(Stop::plain(
            "failed to create token: TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: may not specify a duration less than 10 minutes",
        ));
    }
    let namespace = resource::namespace(cx, &args).0;
    let Ok(kind) = resource::find_kind(&cx.env.kinds, "serviceaccounts") else { return Ok(()) };
    let account = cx.object(Request::new(Verb::Get, kind, namespace.clone(), name))?.clone();
    let now = cx.now.0 / 1_000_000;
    let claims = map! {
        "aud" => vec![args.text("audience").unwrap_or("https://kubernetes.default.svc.cluster.local").into()],
        "exp" => now + lifetime.as_secs(),
        "iat" => now,
        "iss" => "https://kubernetes.default.svc.cluster.local",
        "kubernetes.io" => map! {
            "namespace" => namespace.as_str(),
            "serviceaccount" => map! { "name" => name, "uid" => account.meta.uid.text() },
        },
        "sub" => format!("system:serviceaccount:{namespace}:{name}"),
    };
    cx.println(jwt::unsigned(claims));
    Ok(())
}
