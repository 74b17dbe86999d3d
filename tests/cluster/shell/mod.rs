//! The shell: a table of lines with their outputs, lines against a whole cluster while time passes, and random lines.

mod fuzz;
mod live;
mod table;
mod terminal;
