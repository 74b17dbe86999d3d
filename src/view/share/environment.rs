//! The environment of a line in the terminal (namespace, files, variables, history). It is written as the changes since the line before, so that a long
//! session stays short.

use crate::shell::{Env, Line};
use crate::view::terminal;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The widths that a terminal may have, in characters.
const WIDTHS: RangeInclusive<usize> = 20..=400;

/// The changes from one line's environment to the next one's. Each line is also added to the history.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// Set if the changes start from an empty environment.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    anew: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    /// The files that are new or have another text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Vec<(String, String)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    editor: Option<bool>,
}

impl Change {
    /// Returns whether there are no changes.
    pub fn is_nothing(&self) -> bool {
        *self == Change::default()
    }
    /// Returns the changes that lead from the environment `before` to the environment of a line. Where a change cannot be expressed, such as the deletion
    /// of a file, the changes start from an empty environment.
    pub fn between(before: &Env, line: &Line) -> Change {
        let change = Change::from(before, line);
        match change.apply(before, &line.text) {
            Ok(env) if env == line.env => change,
            _ => Change { anew: true, ..Change::from(&Env::default(), line) },
        }
    }
    fn from(before: &Env, line: &Line) -> Change {
        let env = &line.env;
        Change {
            anew: false,
            namespace: (env.namespace != before.namespace).then(|| env.namespace.to_string()),
            files: env.files.iter().filter(|file| !before.files.contains(file)).cloned().collect(),
            variables: (env.variables != before.variables).then(|| (*env.variables).clone()),
            history: (env.history != remembered(before, &line.text)).then(|| (*env.history).clone()),
            status: (env.status != before.status).then_some(env.status),
            width: (env.width != before.width).then_some(env.width),
            editor: (env.editor != before.editor).then_some(env.editor),
        }
    }
    /// Returns the environment of a line: `before` with these changes.
    pub fn apply(&self, before: &Env, line: &str) -> Result<Env, String> {
        let mut env = if self.anew { Env::default() } else { before.clone() };
        env.history = self.history.clone().map_or_else(|| remembered(&env, line), Arc::new);
        let files = Arc::make_mut(&mut env.files);
        for (name, text) in &self.files {
            match files.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => text.clone_into(old),
                None => files.push((name.clone(), text.clone())),
            }
        }
        if let Some(namespace) = &self.namespace {
            env.namespace = namespace.as_str().into();
        }
        if let Some(variables) = &self.variables {
            env.variables = Arc::new(variables.clone());
        }
        env.status = self.status.unwrap_or(env.status);
        env.editor = self.editor.unwrap_or(env.editor);
        if let Some(width) = self.width {
            if !WIDTHS.contains(&width) {
                return Err(format!("env.width must be a whole number from {} to {}", WIDTHS.start(), WIDTHS.end()));
            }
            env.width = width;
        }
        Ok(env)
    }
}

/// Returns the history of an environment after a line has been entered.
fn remembered(before: &Env, line: &str) -> Arc<Vec<String>> {
    let mut history = (*before.history).clone();
    terminal::remember(&mut history, line);
    Arc::new(history)
}
