//! Validation of probes and lifecycle hooks.

use crate::api::field::{Errors, Path};
use crate::api::meta_rules::{maps, non_negative};
use crate::api::names;
use crate::api::value::{Map, Value};

const HANDLERS: &[&str] = &["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/// Validates the three probes of a container.
pub(super) fn validate_probes(container: &Map, grace: Option<i64>, path: &Path, errors: &mut Errors) {
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = container.map(name) else { continue };
        let path = path.child(name);
        validate_handler(probe, grace, &path, errors);
        for key in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] {
            non_negative(probe, key, &path, errors);
        }
        let grace_path = path.child("terminationGracePeriodSeconds");
        let own_grace = probe.int("terminationGracePeriodSeconds");
        if let Some(seconds) = own_grace.filter(|s| *s <= 0) {
            errors.invalid(&grace_path, seconds, "must be greater than 0");
        }
        if name == "readinessProbe" {
            if let Some(seconds) = own_grace {
                errors.invalid(&grace_path, seconds, "must not be set for readinessProbes");
            }
        } else if probe.int("successThreshold") != Some(1) {
            errors.invalid(&path.child("successThreshold"), probe.int("successThreshold").unwrap_or(0), "must be 1");
        }
    }
}

/// Validates the postStart and preStop hooks of a container.
pub(super) fn validate_lifecycle(lifecycle: &Map, grace: Option<i64>, path: &Path, errors: &mut Errors) {
    for hook in ["postStart", "preStop"] {
        if let Some(handler) = lifecycle.map(hook) {
            validate_handler(handler, grace, &path.child(hook), errors);
        }
    }
}

fn validate_handler(handler: &Map, grace: Option<i64>, path: &Path, errors: &mut Errors) {
    let mut found = false;
    for kind in HANDLERS {
        let Some(action) = handler.map(kind) else { continue };
        let path = path.child(kind);
        if found {
            errors.forbidden(&path, "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        match *kind {
            "exec" if action.list("command").is_empty() => errors.required(&path.child("command"), ""),
            "httpGet" => validate_http_get(action, &path, errors),
            "tcpSocket" | "grpc" => validate_port(action.get("port"), &path.child("port"), errors),
            "sleep" => {
                let seconds = action.int("seconds").unwrap_or(0);
                if let Some(grace) = grace.filter(|g| seconds < 0 || seconds > *g) {
                    let detail = format!("must be non-negative and less than terminationGracePeriodSeconds ({grace})");
                    errors.invalid(&path, seconds, &detail);
                }
            }
            _ => {}
        }
    }
    if !found {
        errors.required(path, "must specify a handler type");
    }
}

fn validate_http_get(action: &Map, path: &Path, errors: &mut Errors) {
    if action.str("path").is_empty() {
        errors.required(&path.child("path"), "");
    }
    validate_port(action.get("port"), &path.child("port"), errors);
    let scheme = action.str("scheme");
    if !matches!(scheme, "HTTP" | "HTTPS") {
        errors.not_supported(&path.child("scheme"), scheme, &["HTTP", "HTTPS"]);
    }
    for (_, header) in maps(action.list("httpHeaders")) {
        let name = header.str("name");
        errors.invalid_each(&path.child("httpHeaders"), name, names::header_name(name));
    }
}

/// Validates a port, given by number or by name.
pub fn validate_port(port: Option<&Value>, path: &Path, errors: &mut Errors) {
    match port {
        Some(Value::Str(name)) => errors.invalid_each(path, name.as_str(), names::port_name(name)),
        _ => {
            let number = port.and_then(Value::as_int).unwrap_or(0);
            errors.invalid_each(path, number, names::port_number(number));
        }
    }
}
