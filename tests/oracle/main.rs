//! Tests the engine against recordings of a real v1.36.4 control plane, which are in the folders beside this file.

#[path = "../../examples/oracle/api.rs"]
mod api;
#[path = "../../examples/oracle/conditions.rs"]
mod conditions;
mod derived;
mod fields;
mod generated;
mod kubectl;
mod measured;
#[path = "../../examples/oracle/scheduling.rs"]
mod recorded;
mod rules;
mod scheduling;
mod text;
#[path = "../../examples/oracle/trace.rs"]
mod trace;
mod traces;
mod upstream;
mod writes;
