//! The state of a shell: variables, functions, traps, and the stack of constructs that it is running.

use crate::container::process::Fd;
use crate::persistent::OrdMap;
use crate::posix::{Flow, Node, Tree};
use arcstr::ArcStr;
use std::sync::Arc;

/// A variable of a shell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variable {
    /// The value of the variable.
    pub value: ArcStr,
    /// Set if the variable is exported to the commands that the shell starts.
    pub exported: bool,
    /// Set if the variable is read-only.
    pub fixed: bool,
}

/// A shell that runs in a container.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// The constructs that the shell is running; the last is the innermost.
    pub(super) frames: Vec<Frame>,
    pub(super) variables: OrdMap<ArcStr, Variable>,
    pub(super) functions: OrdMap<ArcStr, Tree>,
    /// `$0` and the positional parameters.
    pub(super) arguments: Arc<[String]>,
    pub(super) status: i32,
    /// The pid of the last background process (`$!`).
    pub(super) background: u32,
    /// The signals that have a trap, with the command of each; 0 is EXIT, and an empty command ignores the signal.
    pub(super) traps: Vec<(u8, ArcStr)>,
    /// The signals that were caught and whose traps have not run yet, as bits.
    pub(super) caught: u64,
    pub(super) options: Options,
    pub(super) random: u32,
    /// The name with which the shell's error messages begin.
    pub(super) name: ArcStr,
    /// Set in a forked shell, which its last command may replace.
    pub(super) forked: bool,
    pub(super) exiting: bool,
    /// The beginning of an incomplete command, in a shell that reads its commands from its input; `None` in a shell that runs a script.
    pub(super) input: Option<String>,
    /// Set if the prompt for the line that the shell waits for has been written.
    pub(super) prompted: bool,
}

/// The shell options that `set` changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// `set -e`: the shell ends when a command fails.
    pub errexit: bool,
    /// `set -u`: an unset variable is an error.
    pub nounset: bool,
    /// `set -x`: commands are printed before they run.
    pub xtrace: bool,
    /// `set -o pipefail`: a pipeline fails if any of its commands does.
    pub pipefail: bool,
}

/// A construct that a shell is running.
#[derive(Clone, Debug)]
pub enum Frame {
    /// A list, a loop, a condition, or a command that has not begun.
    Flow(Flow),
    /// A command whose command substitutions are being run, with their output so far.
    Words(Tree, Vec<(Tree, String)>),
    /// A command substitution: its pipe, its output so far, its process, and its syntax tree.
    Collect { pipe: u32, text: String, pid: u32, of: Tree },
    /// Waits for processes in the foreground; the last one determines the exit status.
    Wait { pids: Vec<u32>, codes: Vec<(u32, i32)> },
    /// The builtin `wait`, which a signal interrupts.
    WaitBackground { pids: Vec<u32>, code: i32 },
    /// The builtin `read`, with the names of its variables and the beginning of a line that is not complete yet.
    Read { names: Vec<String>, raw: bool, text: String },
    /// Restores the open files when a redirected command has ended.
    Restore([Fd; 3]),
    /// A function that is being run: the caller's parameters, and the variables that `local` hides.
    Call { arguments: Arc<[String]>, locals: Vec<(ArcStr, Option<Variable>)> },
    /// A trap that is being run, with the exit status before it.
    Trap(i32),
    /// The builtin `.` or `eval`, which `return` ends.
    Source,
}

/// The maximum number of frames on the stack of a shell.
pub const MAX_FRAMES: usize = 2_000;
/// The maximum number of variables of a shell.
const MAX_VARIABLES: usize = 2_000;

impl Shell {
    /// Creates a shell that runs a script with these arguments, of which the first is `$0`.
    pub fn new(tree: Tree, arguments: Vec<String>, env: &[(ArcStr, ArcStr)]) -> Shell {
        let mut shell = Shell { frames: vec![Frame::Flow(Flow::Node(tree))], arguments: arguments.into(), random: 1, ..Shell::default() };
        for (name, value) in env {
            shell.variables.insert(name.clone(), Variable { value: value.clone(), exported: true, fixed: false });
        }
        shell
    }
    /// Returns a fork of this shell that runs only one command.
    pub(super) fn fork(&self, tree: Tree) -> Shell {
        let mut child = self.clone();
        child.frames = vec![Frame::Flow(Flow::Node(tree))];
        child.traps.retain(|(_, action)| action.is_empty());
        (child.caught, child.forked, child.exiting, child.input) = (0, true, false, None);
        child
    }
    /// Creates a shell that reads its commands from its standard input.
    pub fn reading(name: &str, env: &[(ArcStr, ArcStr)]) -> Shell {
        let mut shell = Shell::new(Tree::new(Node::List(Vec::new())), vec![name.to_owned()], env);
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
    /// Returns whether this is the placeholder that stands in while the real shell carries out a step.
    pub fn is_placeholder(&self) -> bool {
        self.frames.is_empty() && self.arguments.is_empty()
    }
    /// Returns whether the shell has a trap for a signal.
    pub fn has_trap(&self, signal: u8) -> bool {
        self.traps.iter().any(|(n, _)| *n == signal)
    }
    /// Records a signal, unless its trap ignores it. Returns `true` if the trap can run at once, because the shell only waits for background processes or
    /// for input.
    pub fn catch(&mut self, signal: u8) -> bool {
        if self.traps.iter().any(|(n, action)| *n == signal && action.is_empty()) {
            return false;
        }
        self.caught |= 1 << signal.min(63);
        matches!(self.frames.last(), Some(Frame::WaitBackground { .. } | Frame::Read { .. }))
    }
    /// Returns whether the shell keeps an end of a pipe open beside its three standard files.
    pub fn holds(&self, is_end: &dyn Fn(&Fd) -> bool, writer: bool, pipe: u32) -> bool {
        self.frames.iter().any(|frame| match frame {
            Frame::Restore(fds) => fds.iter().any(is_end),
            Frame::Collect { pipe: own, .. } => !writer && *own == pipe,
            _ => false,
        })
    }
    /// Pushes a command, which runs next.
    pub(super) fn run_tree(&mut self, tree: Tree) {
        self.frames.push(Frame::Flow(Flow::Node(tree)));
    }
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|variable| variable.value.as_str())
    }
    /// Sets a variable. Returns `false` if the variable is read-only or there are too many.
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
    /// Returns the environment that a command receives: the exported variables, and `more`.
    pub(super) fn environment(&self, more: &[(String, String)]) -> Arc<Vec<(ArcStr, ArcStr)>> {
        let mut env: Vec<(ArcStr, ArcStr)> =
            self.variables.iter().filter(|(_, v)| v.exported).map(|(name, v)| (name.clone(), v.value.clone())).collect();
        for (name, value) in more {
            env.retain(|(known, _)| known != name);
            env.push((name.as_str().into(), value.as_str().into()));
        }
        Arc::new(env)
    }
    /// Returns the bytes of memory that the variables take.
    pub(super) fn memory(&self) -> u64 {
        self.variables.iter().map(|(name, v)| (name.len() + v.value.len()) as u64).sum()
    }
}
