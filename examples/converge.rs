//! Shows the library in a few lines: creates a cluster, applies a manifest, runs until the actual state matches the
//! desired state, and prints who wrote what on the way.
//!
//! `cargo run --example converge`

use loopscope::api::time::Span;
use loopscope::sim::{Config, Note, Step};
use loopscope::view::{FIRST_MANIFEST, Frame, Run, Selection, frame};

fn main() {
    let mut run = Run::new(Config { seed: 7, ..Config::default() });
    run.apply(FIRST_MANIFEST);
    run.converge(run.now() + Span::secs(60), 100_000);

    for record in run.session.trail().iter() {
        if let (Step::Arrive { from, request, .. }, Note::Handled { writes: 1.., .. }) = (&*record.step, record.note) {
            let (seconds, who) = ((record.at - run.start).0 as f64 / 1e6, format!("{from:?}"));
            println!("{seconds:>8.3} s  {who:<12} {:<6} {}", request.method(), request.path());
        }
    }
    let screen = frame(&run, &Selection::default(), &Frame::default());
    println!("{} after {} events: {}", if run.is_converged() { "converged" } else { "drifting" }, screen.bar.steps, screen.tally);
}
