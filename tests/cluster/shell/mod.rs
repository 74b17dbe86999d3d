//! The shell: a table of lines with what they write, the same against a whole cluster as time goes by, and a million lines of rubbish.

mod fuzz;
mod live;
mod table;
mod terminal;
