//! Runs random scripts and prints each run's trace hash and share state: `scripts/determinism.sh` has `engine.js` replay the runs and compares the hashes.
//!
//! `cargo run --example trace_hash -- 1 2 3` prints one line `seed hash state` for each seed. A run is a random script of changes and faults, followed by
//! a while in which all faults are ended.

#[path = "../tests/cluster/random/objects.rs"]
mod objects;
#[path = "../tests/cluster/random/play.rs"]
mod play;
#[path = "../tests/cluster/random/script.rs"]
mod script;

use loopscope::api::Span;
use loopscope::view::share::{Done, Input, Moment, Share};

fn line(seed: u32) -> String {
    let script = script::Script::new(u64::from(seed));
    let mut play = play::Play::new(&script);
    let start = play.cluster.now;
    play.play(&script, &mut |cluster, _| cluster.steps < 20_000);
    play.mend();
    play.cluster.run_until(play.cluster.now + Span::secs(600), 10_000);

    let moment = |at, after| Moment { at: at - start, after: Some(after) };
    let commands = play.given.iter().filter_map(|g| Some(Done { moment: moment(g.at, g.after), input: Input::of(&g.command)? }));
    let (config, commands) = (script.config.clone(), commands.collect());
    let share = Share { config, commands, at: moment(play.cluster.now, play.cluster.steps), ..Share::default() };
    format!("{seed} {:016x} {}", play.cluster.hash, share.write())
}

fn main() {
    for word in std::env::args().skip(1) {
        match word.parse() {
            Ok(seed) => println!("{}", line(seed)),
            Err(_) => eprintln!("not a seed: {word}"),
        }
    }
}
