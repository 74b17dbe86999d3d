//! The heap of a run that goes on for hours stays flat: history gets sparser, but does not grow. `make soak` runs a whole day.

use loopscope::api::kind::Kind;
use loopscope::api::time::Span;
use loopscope::view::Run;
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The interval at which a pod is deleted, to keep controllers, scheduler and kubelets at work.
const DISTURBED: Span = Span::secs(900);

fn run_for(run: &mut Run, span: Span) {
    let until = run.now() + span;
    while !run.advance(until, 10_000) {}
}

#[test]
fn the_heap_of_a_long_run_stays_flat() {
    let hours = if std::env::var_os("LOOPSCOPE_SOAK").is_some() { 24 } else { 8 };
    let mut run = Run::first_visit();
    let mut heap_mb = Vec::new();
    for _ in 0..hours {
        for _ in 0..4 {
            run_for(&mut run, DISTURBED);
            let pod = run.cluster().api.store.all(Kind::POD).next().map(|o| o.meta.name.to_string());
            run.delete_pod("default", &pod.expect("the ReplicaSet keeps three pods"));
        }
        heap_mb.push(HEAP.current_usage_as_mb());
        println!("after {} h, {} steps: {:.1} MB", heap_mb.len(), run.cluster().steps, heap_mb.last().copied().unwrap_or_default());
    }
    // The trail of steps is full after about an hour and a half.
    let (settled, last) = (heap_mb[4], heap_mb[hours - 1]);
    assert!(last < settled * 1.2 + 1.0, "from {settled:.1} MB after five hours to {last:.1} MB: {heap_mb:?}");
}
