//! The state of a shell: variables, functions, traps, and the stack of constructs that it is in.

use super::syntax::Tree;
use crate::container::process::Fd;
use crate::persistent::OrdMap;
use arcstr::ArcStr;
use std::sync::Arc;

/// A variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variable {
    /// Its value.
    pub value: ArcStr,
    /// Set if it is in the environment of the commands that the shell starts.
    pub exported: bool,
    /// Set if it cannot be changed.
    pub fixed: bool,
}

/// A shell.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// The constructs that it is in; the last is the innermost.
    pub(super) frames: Vec<Frame>,
    pub(super) variables: OrdMap<ArcStr, Variable>,
    pub(super) functions: OrdMap<ArcStr, Tree>,
    /// `$0` and the positional parameters.
    pub(super) arguments: Arc<[String]>,
    pub(super) status: i32,
    /// The number of the last background process.
    pub(super) background: u32,
    /// Signals with the commands that handle them; 0 is EXIT, and an empty command ignores the signal.
    pub(super) traps: Vec<(u8, ArcStr)>,
    /// Signals that were caught and whose traps have not run, as bits.
    pub(super) caught: u64,
    pub(super) options: Options,
    pub(super) random: u32,
    /// The name that its error messages begin with.
    pub(super) name: ArcStr,
    /// Set in a shell that was forked: its last command may replace it.
    pub(super) forked: bool,
    pub(super) exiting: bool,
    /// The start of a command, in a shell that reads its commands from its input.
    pub(super) input: Option<String>,
    /// Set if the prompt for the line that is waited for has been written.
    pub(super) prompted: bool,
}

/// The options of `set`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// `-e`
    pub errexit: bool,
    /// `-u`
    pub nounset: bool,
    /// `-x`
    pub xtrace: bool,
    /// `-o pipefail`
    pub pipefail: bool,
}

/// A construct that is being run.
#[derive(Clone, Debug)]
pub enum Frame {
    /// A command that has not begun.
    Node(Tree),
    /// A list, and the index of its next command.
    List(Tree, usize),
    /// `&&` and `||`, and the index of the next command.
    AndOr(Tree, usize),
    /// A command whose substitutions are being run, with their results so far.
    Words(Tree, Vec<(Tree, String)>),
    /// A command substitution: the pipe, its output so far, the process, the command in which it stands.
    Collect {
        pipe: u32,
        text: String,
        pid: u32,
        of: Tree,
    },
    /// Negates the status.
    Not,
    /// Waits for processes in the foreground; the last gives the status.
    Wait {
        pids: Vec<u32>,
        codes: Vec<(u32, i32)>,
    },
    /// `wait`, which a signal interrupts.
    WaitBackground {
        pids: Vec<u32>,
        code: i32,
    },
    /// `read`, with the names of its variables and the start of a line that has no end yet.
    Read {
        names: Vec<String>,
        raw: bool,
        text: String,
    },
    For {
        name: String,
        values: Arc<[String]>,
        at: usize,
        body: Tree,
    },
    While {
        tree: Tree,
        testing: bool,
    },
    If {
        tree: Tree,
        arm: usize,
    },
    /// Restores the files when a redirected command has ended.
    Restore([Fd; 3]),
    /// A function that is being run: the caller's parameters, and the variables that `local` hides.
    Call {
        arguments: Arc<[String]>,
        locals: Vec<(ArcStr, Option<Variable>)>,
    },
    /// A trap that is being run: the status before it.
    Trap(i32),
    /// A condition is being tested, so `set -e` does not count.
    Tested,
    /// `. file` or `eval`, which `return` ends.
    Source,
}

/// The maximum depth of the stack.
pub const MAX_FRAMES: usize = 2_000;
/// The maximum number of variables.
const MAX_VARIABLES: usize = 2_000;

impl Shell {
    /// Creates a shell that runs a script with these parameters, of which the first is `$0`.
    pub fn new(tree: Tree, arguments: Vec<String>, env: &[(ArcStr, ArcStr)]) -> Shell {
        let mut shell = Shell { frames: vec![Frame::Node(tree)], arguments: arguments.into(), random: 1, ..Shell::default() };
        for (name, value) in env {
            shell.variables.insert(name.clone(), Variable { value: value.clone(), exported: true, fixed: false });
        }
        shell
    }
    /// Returns a fork of this shell that has only this command to run.
    pub(super) fn fork(&self, tree: Tree) -> Shell {
        let mut child = self.clone();
        child.frames = vec![Frame::Node(tree)];
        child.traps.retain(|(_, action)| action.is_empty());
        (child.caught, child.forked, child.exiting, child.input) = (0, true, false, None);
        child
    }
    /// Creates a shell that reads its commands from its input.
    pub fn reading(name: &str, env: &[(ArcStr, ArcStr)]) -> Shell {
        let mut shell = Shell::new(Tree::new(super::syntax::Node::List(Vec::new())), vec![name.to_owned()], env);
        shell.input = Some(String::new());
        shell
    }
    /// Sets the options that `sh` was started with, such as `-e`.
    pub fn set_options(&mut self, flags: &str, on: bool) {
        for flag in flags.chars() {
            match flag {
                'e' => self.options.errexit = on,
                'u' => self.options.nounset = on,
                'x' => self.options.xtrace = on,
                _ => {}
            }
        }
    }
    /// Returns whether this is the placeholder for a shell that is doing a step.
    pub fn is_placeholder(&self) -> bool {
        self.frames.is_empty() && self.arguments.is_empty()
    }
    /// Returns whether a signal has a trap.
    pub fn has_trap(&self, signal: u8) -> bool {
        self.traps.iter().any(|(n, _)| *n == signal)
    }
    /// Records a signal, unless it is ignored. Returns `true` if its trap can run now, because the shell only waits for its background processes or for
    /// input.
    pub fn catch(&mut self, signal: u8) -> bool {
        if self.traps.iter().any(|(n, action)| *n == signal && action.is_empty()) {
            return false;
        }
        self.caught |= 1 << signal.min(63);
        matches!(self.frames.last(), Some(Frame::WaitBackground { .. } | Frame::Read { .. }))
    }
    /// Returns whether the shell keeps an end of a pipe open beyond its own three files.
    pub fn holds(&self, is_end: &dyn Fn(&Fd) -> bool, writer: bool, pipe: u32) -> bool {
        self.frames.iter().any(|frame| match frame {
            Frame::Restore(fds) => fds.iter().any(is_end),
            Frame::Collect { pipe: own, .. } => !writer && *own == pipe,
            _ => false,
        })
    }
    /// Runs a command next.
    pub(super) fn run_tree(&mut self, tree: Tree) {
        self.frames.push(Frame::Node(tree));
    }
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|variable| variable.value.as_str())
    }
    /// Sets a variable. Returns `false` if that is impossible.
    pub(super) fn set(&mut self, name: &str, value: &str) -> bool {
        if let Some(variable) = self.variables.get_mut(name) {
            if !variable.fixed {
                variable.value = value.into();
            }
            return !variable.fixed;
        }
        if self.variables.len() >= MAX_VARIABLES {
            return false;
        }
        self.variables.insert(name.into(), Variable { value: value.into(), ..Variable::default() });
        true
    }
    /// Returns the environment that a command gets.
    pub(super) fn environment(&self, more: &[(String, String)]) -> Arc<Vec<(ArcStr, ArcStr)>> {
        let mut env: Vec<(ArcStr, ArcStr)> =
            self.variables.iter().filter(|(_, v)| v.exported).map(|(name, v)| (name.clone(), v.value.clone())).collect();
        for (name, value) in more {
            env.retain(|(known, _)| known != name);
            env.push((name.as_str().into(), value.as_str().into()));
        }
        Arc::new(env)
    }
    /// Returns the bytes that the variables take.
    pub(super) fn memory(&self) -> u64 {
        self.variables.iter().map(|(name, v)| (name.len() + v.value.len()) as u64).sum()
    }
}
