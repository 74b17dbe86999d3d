//! Validation of the options of Windows containers. Counterpart: `validateWindowsSecurityContextOptions`.

use crate::api::field::{Errors, Path};
use crate::api::names;
use crate::api::value::{Map, Value};

/// Validates the `windowsOptions` of a security context; `None` is valid.
pub(super) fn validate_options(options: Option<&Map>, path: &Path, errors: &mut Errors) {
    let Some(options) = options else { return };
    let text = |key: &str| options.get(key).and_then(Value::as_str);
    if let Some(name) = text("gmsaCredentialSpecName") {
        errors.invalid_each(&path.child("gmsaCredentialSpecName"), name, names::dns_subdomain(name));
    }
    if let Some(spec) = text("gmsaCredentialSpec") {
        let path = path.child("gmsaCredentialSpec");
        if spec.is_empty() {
            errors.invalid(&path, spec, "gmsaCredentialSpec cannot be an empty string");
        } else if spec.len() > 64 * 1024 {
            errors.invalid(&path, spec, "gmsaCredentialSpec size must be under 64 KiB");
        }
    }
    if let Some(name) = text("runAsUserName") {
        for problem in user_name_problems(name) {
            errors.invalid(&path.child("runAsUserName"), name, problem);
        }
    }
}

fn user_name_problems(name: &str) -> Vec<&'static str> {
    let parts: Vec<&str> = name.split('\\').collect();
    let (domain, user) = match parts.as_slice() {
        _ if name.is_empty() => return vec!["runAsUserName cannot be an empty string"],
        _ if name.chars().any(|c| c.is_ascii_control()) => return vec!["runAsUserName cannot contain control characters"],
        [user] => (None, *user),
        [domain, user] => (Some(*domain), *user),
        _ => return vec!["runAsUserName cannot contain more than one backslash"],
    };
    let mut problems = Vec::new();
    if domain.is_some_and(|d| d.len() >= 256) {
        problems.push("runAsUserName's Domain length must be under 256 characters");
    }
    if domain.is_some_and(|d| !is_net_bios(d) && !is_dns_domain(d)) {
        problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
    }
    if user.is_empty() {
        problems.push("runAsUserName's User cannot be empty");
    } else if user.len() > 104 {
        problems.push("runAsUserName's User length must not be longer than 104 characters");
    }
    if !user.is_empty() && user.chars().all(|c| matches!(c, '.' | ' ')) {
        problems.push("runAsUserName's User cannot contain only periods or spaces");
    }
    if user.contains(['"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']']) {
        problems.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
    }
    problems
}

/// Returns true for a valid NetBIOS domain: 1 to 15 of the allowed characters, of which the first is not a dot.
fn is_net_bios(domain: &str) -> bool {
    let plain = |c: char| !matches!(c, '\\' | '/' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    (1..=15).contains(&domain.chars().count()) && !domain.starts_with('.') && domain.chars().all(plain)
}

fn is_dns_domain(domain: &str) -> bool {
    let part = |p: &str| {
        (1..=63).contains(&p.len()) && !p.starts_with('-') && !p.ends_with('-') && p.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    domain.split('.').all(part)
}
