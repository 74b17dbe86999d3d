//! The flow of control: lists, `&&` and `||`, loops and conditions, step by step. The commands between them are run by the machine that owns the stack.

use super::syntax::{Node, Tree};
use std::sync::Arc;

/// A construct that a shell is running, as a frame of its stack.
#[derive(Clone, Debug)]
pub enum Flow {
    /// A command that has not begun.
    Node(Tree),
    /// A list of commands, and the index of the next one.
    List(Tree, usize),
    /// A list of `&&` and `||`, and the index of its next command.
    AndOr(Tree, usize),
    /// Negates the exit status of the command before it.
    Not,
    /// A `for` loop with its values, and the index of the next one.
    For {
        /// The name of the loop's variable.
        name: String,
        /// The values that the variable takes.
        values: Arc<[String]>,
        /// The index of the next value.
        at: usize,
        /// The commands of the loop.
        body: Tree,
    },
    /// A `while` or `until` loop; the flag is set while its condition is tested.
    While(Tree, bool),
    /// An `if`, and the index of the arm after the one whose condition is tested.
    If(Tree, usize),
    /// A condition that is being tested, in which `set -e` has no effect.
    Tested,
}

/// The result of a step: what the machine has to do next.
#[derive(Debug, Default)]
pub struct Step {
    /// The frames to push; the last runs first.
    pub frames: Vec<Flow>,
    /// The command to run.
    pub command: Option<Tree>,
    /// The command to start in the background.
    pub background: Option<Tree>,
    /// The variable to set, with its value.
    pub assign: Option<(String, String)>,
}

impl Flow {
    /// Carries out one step of the construct. `status` is the exit status of the last command.
    pub fn step(self, status: &mut i32) -> Step {
        let mut step = Step::default();
        let frames = &mut step.frames;
        match self {
            Flow::Node(tree) => match &*tree {
                Node::List(_) => frames.push(Flow::List(tree, 0)),
                Node::AndOr(..) => frames.push(Flow::AndOr(tree, 0)),
                Node::While { .. } => frames.push(Flow::While(tree, false)),
                Node::If { .. } => frames.push(Flow::If(tree, 0)),
                Node::Pipeline(not, stages) => {
                    if *not {
                        frames.extend([Flow::Not, Flow::Tested]);
                    }
                    match stages.as_slice() {
                        [only] => frames.push(Flow::Node(only.clone())),
                        _ => step.command = Some(tree),
                    }
                }
                _ => step.command = Some(tree),
            },
            Flow::List(tree, at) => {
                let Node::List(items) = &*tree else { return step };
                let Some((item, background)) = items.get(at) else { return step };
                let (item, background, more) = (item.clone(), *background, at + 1 < items.len());
                frames.extend(more.then_some(Flow::List(tree, at + 1)));
                if background {
                    step.background = Some(item);
                } else {
                    frames.push(Flow::Node(item));
                }
            }
            Flow::AndOr(tree, at) => {
                let Node::AndOr(first, rest) = &*tree else { return step };
                let next = match at {
                    0 => Some(first),
                    _ => rest.get(at - 1).filter(|(and, _)| *and == (*status == 0)).map(|(_, node)| node),
                };
                let next = next.cloned();
                if at < rest.len() {
                    frames.push(Flow::AndOr(tree, at + 1));
                    frames.extend(next.is_some().then_some(Flow::Tested));
                }
                frames.extend(next.map(Flow::Node));
            }
            Flow::Not => *status = i32::from(*status == 0),
            Flow::For { name, values, at, body } => {
                if let Some(value) = values.get(at) {
                    step.assign = Some((name.clone(), value.clone()));
                    frames.extend([Flow::For { name, values, at: at + 1, body: body.clone() }, Flow::Node(body)]);
                }
            }
            Flow::While(tree, testing) => {
                let Node::While { test, body, until } = &*tree else { return step };
                if testing && (*status == 0) == *until {
                    *status = 0;
                    return step;
                }
                let next = Flow::Node(if testing { body } else { test }.clone());
                frames.push(Flow::While(tree, !testing));
                frames.extend((!testing).then_some(Flow::Tested));
                frames.push(next);
            }
            Flow::If(tree, arm) => {
                let Node::If { arms, other } = &*tree else { return step };
                if arm > 0 && *status == 0 {
                    frames.extend(arms.get(arm - 1).map(|(_, body)| Flow::Node(body.clone())));
                    return step;
                }
                *status = 0;
                match arms.get(arm) {
                    Some((test, _)) => {
                        let test = test.clone();
                        frames.extend([Flow::If(tree, arm + 1), Flow::Tested, Flow::Node(test)]);
                    }
                    None => frames.extend(other.clone().map(Flow::Node)),
                }
            }
            Flow::Tested => {}
        }
        step
    }
}
