//! `kubectl create job`. Counterpart: `create_job.go`.

use crate::api::kind::Kind;
use crate::api::value::{Map, Value};
use crate::kubectl::create_kinds::{create_object, one_name};
use crate::kubectl::errors::Stop;
use crate::kubectl::flags::{Args, CREATED, Flag, OUTPUT, text};
use crate::kubectl::kinds::cronjob;
use crate::kubectl::{Cx, Run};
use crate::map;

const JOB: &[Flag] = &[text("image"), text("from")];

/// Returns the name of the Job and the command of its container: the words after `--`.
pub fn name_and_command<'w>(command: &str, args: &'w Args) -> Result<(&'w str, Vec<Value>), Stop> {
    Ok((one_name(command, args)?, args.after_dashes.iter().map(|word| word.as_str().into()).collect()))
}

/// Returns a pod template with one container, whose name is `name`.
pub fn template(name: &str, image: &str, command: Vec<Value>, restart: &str) -> Map {
    let mut container = map! { "name" => name, "image" => image, "resources" => Map::new() };
    if !command.is_empty() {
        container.insert("command", command);
    }
    map! { "metadata" => Map::new(), "spec" => map! { "containers" => vec![container.into()], "restartPolicy" => restart } }
}

/// Runs `kubectl create job NAME --image=… [-- COMMAND]`.
pub fn create(cx: &mut Cx, words: &[String]) -> Run {
    let args = Args::read("create job", &[OUTPUT, JOB, CREATED], words)?;
    let (name, command) = name_and_command("create job", &args)?;
    let (image, from) = (args.text("image").unwrap_or(""), args.text("from").unwrap_or(""));
    if image.is_empty() == from.is_empty() {
        return Err(Stop::plain("either --image or --from must be specified"));
    }
    if !command.is_empty() && !from.is_empty() {
        return Err(Stop::plain("cannot specify --from and command"));
    }
    if !from.is_empty() {
        let object = cronjob::job_from(cx, &args, from, name)?;
        return create_object(cx, &args, Kind::JOB, object, "created", Some("failed to create job: "));
    }
    let object = map! {
        "metadata" => map! { "name" => name },
        "spec" => map! { "template" => template(name, image, command, "Never") },
        "status" => Map::new(),
    };
    create_object(cx, &args, Kind::JOB, object, "created", Some("failed to create job: "))
}
