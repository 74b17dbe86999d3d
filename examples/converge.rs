//! The library in a few lines: a cluster, an apply, a run until desired and actual agree, and what happened on the way.
//!
//! `cargo run --example converge`

use loopscope::api::time::Span;
use loopscope::view::{FIRST_MANIFEST, Frame, Run, Selection, frame};

fn main() {
    let mut run = Run::new(loopscope::sim::Config { seed: 7, ..Default::default() });
    run.apply(FIRST_MANIFEST);
    run.converge(run.now() + Span::secs(60), 100_000);

    for record in run.session.trail().iter().take(20) {
        println!("{:>8.3} s  {:?}", (record.at - run.start).0 as f64 / 1e6, record.step.process());
    }
    let screen = frame(&run, &Selection::default(), &Frame::default());
    println!("{} after {} events: {}", if run.is_converged() { "converged" } else { "drifting" }, screen.bar.steps, screen.tally);
}
