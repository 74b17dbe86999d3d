//! The speed *auto*: time that follows attention.

use loopscope::page::{Action, Page, Pace, RunAction, Start, Tick};

fn page() -> Page {
    Page::new(Start::default(), || 0.0)
}

/// What stood on the screen, and for how many milliseconds of the wall.
fn watch(page: &mut Page, ms: f64) -> Vec<(String, f64)> {
    let mut told: Vec<(String, f64)> = Vec::new();
    let mut at = 0.0;
    while at < ms {
        page.update(Action::Tick(Tick { elapsed_ms: 16.0, budget_ms: 6.0, draw: true }));
        at += 16.0;
        let screen = page.screen();
        let pass = screen.frame.side.pass.as_ref();
        let line = format!("{} {} {}", screen.frame.side.name, pass.map_or(String::new(), |p| format!("#{} {} {:?}", p.number, p.phase, p.progress)), screen.skipped);
        match told.last_mut() {
            Some((last, for_ms)) if *last == line => *for_ms += 16.0,
            _ => told.push((line, 16.0)),
        }
    }
    told
}

#[test]
fn print_it() {
    let mut page = page();
    for (line, ms) in watch(&mut page, 40_000.0) {
        println!("{ms:7} {line}");
    }
    let pod = page.run().cluster().api.store.all(loopscope::api::kind::Kind::POD).next().unwrap().meta.name.to_string();
    page.update(Action::Run(RunAction::DeletePod { namespace: "default".into(), name: pod }));
    println!("deleted {:?} {}", page.screen().pace == Pace::Playing, page.run().is_converged());
    for (line, ms) in watch(&mut page, 40_000.0) {
        println!("{ms:7} {line}");
    }
}
