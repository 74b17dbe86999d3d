//! `kubectl apply --server-side`: the server merges and tracks the owner of each field. Counterparts: the same branch of `kubectl/pkg/cmd/apply`, and
//! `client-go/util/csaupgrade`.

use super::apply::{LAST_APPLIED, refuse_unnamed};
use super::errors::Stop;
use super::flags::Args;
use super::manifest::Item;
use super::print::{DryRun, Output, report};
use super::{Cx, Run};
use crate::api::managed_fields::Writer;
use crate::api::object::Object;
use crate::api::request::{Answer, PatchType, Payload, Request, Verb};
use crate::api::status::{Reason, Status};
use crate::api::value::{Map, Value};
use crate::map;
use std::sync::Arc;

/// The default field manager of server-side apply, which also takes over the fields of client-side apply.
const MANAGER: &str = "kubectl";

/// The field manager that owns the last-applied annotation after the migration to server-side apply.
const LAST_APPLIED_MANAGER: &str = "kubectl-last-applied";

const CLIENT_SIDE: &str = "kubectl-client-side-apply";

const MIGRATION_FAILED: &str = "failed to migrate kubectl.kubernetes.io/last-applied-configuration for Server-Side Apply";

const ADVICE: &str = "Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

/// Refuses flags that cannot be combined with or without `--server-side`.
pub fn check(args: &Args, dry_run: DryRun) -> Result<(), Stop> {
    let server_side = args.on("server-side");
    if args.on("force-conflicts") && !server_side {
        return Err(Stop::plain("--force-conflicts only works with --server-side"));
    }
    if server_side && dry_run == DryRun::Client {
        return Err(Stop::plain("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)"));
    }
    if server_side && args.on("force") {
        return Err(Stop::plain("--force cannot be used with --server-side"));
    }
    Ok(())
}

/// Applies the object of one manifest by server-side apply, and reports it.
pub fn one(cx: &mut Cx, args: &Args, item: &Item, output: Output, dry_run: DryRun) -> Run {
    refuse_unnamed(item)?;
    let send = |cx: &mut Cx| ask(cx, request(args, item, dry_run));
    let mut made = match send(cx)? {
        Ok(object) => object,
        Err(status) if status.reason == Reason::Conflict => {
            return Err(Stop::plain(format!("{}\n{ADVICE}", status.message)));
        }
        Err(status) => return Err(Stop::server(&status)),
    };
    if made.meta.is_deleting() {
        let name = format!("{}/{}", item.kind.row().plural, item.name);
        cx.eprintln(format!("Warning: Detected changes to resource {name} which is currently being deleted."));
    }
    if dry_run == DryRun::None {
        match migrate(cx, item, &made, manager(args))? {
            Ok(None) => {}
            Ok(Some(_)) => match send(cx)? {
                Ok(object) => made = object,
                Err(status) => warn(cx, "failed to re-apply configuration after performing Server-Side Apply migration", &status),
            },
            Err((what, status)) => warn(cx, what, &status),
        }
    }
    let shown = if args.on("show-managed-fields") { made.to_full_map() } else { made.to_map() };
    report(cx, output, dry_run, item.kind, &shown, "serverside-applied")?;
    Ok(())
}

fn manager(args: &Args) -> &str {
    args.text("field-manager").unwrap_or(MANAGER)
}

/// Returns the server-side apply request for an object.
pub fn request(args: &Args, item: &Item, dry_run: DryRun) -> Request {
    let request = apply_request(item, item.object.clone(), manager(args));
    request.with(|o| (o.force, o.dry_run) = (args.on("force-conflicts"), dry_run == DryRun::Server))
}

fn apply_request(item: &Item, object: Map, manager: &str) -> Request {
    let request = Request::patch(item.kind, &item.namespace, &item.name, PatchType::Apply, object);
    request.with(|o| o.field_manager = manager.into())
}

fn ask(cx: &mut Cx, request: Request) -> Run<Result<Arc<Object>, Status>> {
    match cx.try_request(request)? {
        Ok(Answer::Object { object, .. }) => Ok(Ok(object.clone())),
        Ok(_) => Err(Stop::plain("the server's answer is no object")),
        Err(status) => Ok(Err(status.clone())),
    }
}

fn warn(cx: &mut Cx, what: &str, status: &Status) {
    let rest = "This is non-fatal and will be retried next time you apply.";
    cx.eprintln(format!("Warning: {what}. {rest} Error: {}", status.message));
}

type Migrated = Result<Option<Arc<Object>>, (&'static str, Status)>;

/// Moves the fields that client-side apply owns to the manager of server-side apply, so that a later apply can remove them. The last-applied annotation
/// stays, under a manager of its own. Counterpart: `migrateToSSAIfNecessary`.
fn migrate(cx: &mut Cx, item: &Item, made: &Arc<Object>, manager: &str) -> Run<Migrated> {
    let mut made = made.clone();
    let mark = map! { "f:metadata" => map! { "f:annotations" => map! { format!("f:{LAST_APPLIED}") => Map::new() } } };
    let owners = |o: &Object, applies| -> Vec<String> {
        o.meta.managed.iter().flat_map(|m| m.owners_of(&mark, applies)).map(str::to_owned).collect()
    };
    if let (MANAGER, Some(text)) = (manager, made.meta.annotations.get(LAST_APPLIED))
        && owners(&made, true).is_empty()
    {
        let mut metadata = map! { "name" => &item.name, "annotations" => map! { LAST_APPLIED => text } };
        if !item.namespace.is_empty() {
            metadata.insert("namespace", &item.namespace);
        }
        let row = item.kind.row();
        let just_this = map! { "apiVersion" => row.api_version, "kind" => row.name, "metadata" => metadata };
        match ask(cx, apply_request(item, just_this, LAST_APPLIED_MANAGER))? {
            Ok(object) => made = object,
            Err(status) => return Ok(Err((MIGRATION_FAILED, status))),
        }
    }
    let mut from = owners(&made, false);
    if manager == MANAGER {
        from.push(CLIENT_SIDE.to_owned());
    }
    let from: Vec<&str> = from.iter().map(String::as_str).collect();
    let to = Writer { manager: manager.into(), applies: true, api_version: item.kind.row().api_version.into(), ..Writer::default() };
    let Some(managed) = made.meta.managed.as_ref().and_then(|managed| managed.migrated_to_apply(&from, &to)) else { return Ok(Ok(None)) };
    let replace = |path: &str, value: Value| Value::Map(map! { "op" => "replace", "path" => path, "value" => value });
    let version = made.to_map().at(&["metadata", "resourceVersion"]).cloned().unwrap_or_default();
    let patch = vec![replace("/metadata/managedFields", managed.to_list().into()), replace("/metadata/resourceVersion", version)];
    let mut request = Request::new(Verb::Patch, item.kind, item.namespace.clone(), item.name.clone());
    request.payload = Payload::Patch(PatchType::Json, Box::new(Value::List(patch)));
    let failed = "server rejected managed fields migration to Server-Side Apply";
    Ok(ask(cx, request)?.map(Some).map_err(|status| (failed, status)))
}
