//! Scripts that try to use up everything that a container has.

use super::Box;
use loopscope::api::time::Span;
use loopscope::container::guest::{MARK, Opening, Stopped};

#[test]
fn scripts_without_an_end_are_stopped_and_say_why() {
    for script in [
        "while true; do :; done",
        "while :; do echo x; done",
        "yes",
        "f() { f; }; while true; do f; done",
        "while true; do (while true; do :; done); done",
        ":(){ :|:& };:; while true; do :; done",
        "x=a; while true; do x=$x$x; done",
        "while true; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaa >> /data/f; done",
        "while true; do sleep 0; done",
        "cat /dev/zero | while true; do true; done",
        "while true; do sh -c 'while true; do true; done' & done",
    ] {
        let mut container = Box::sh(script);
        container.pass(Span::secs(60));
        assert!(container.code.is_some_and(|code| code != 0), "{script}: {:?}", container.code);
        if container.code == Some(125) {
            assert!(matches!(container.guest.stopped, Some(Stopped::Bound(_))), "{script}");
            assert!(container.log().lines().last().is_some_and(|line| line.starts_with(MARK)), "{script}");
        }
        assert!(container.log().len() <= 2 << 20, "{script}");
        assert!(container.disk.root.bytes() < 200 << 20);
    }
}

#[test]
fn much_output_keeps_its_end_and_large_files_keep_their_size() {
    let mut container = Box::sh(
        "for i in $(seq 1 20000); do echo \"line $i\"; done; dd if=/dev/zero of=/data/big bs=1M count=500 2>/dev/null; du /data/big",
    );
    container.pass(Span::secs(60));
    assert!(container.log().ends_with("line 20000\n512000\t/data/big\n"), "{:?} {}", container.code, container.log().len());
    assert!(container.log().lines().count() <= 5_000);
}

/// Pieces of scripts. Many random sequences of them are run; none may panic or run forever.
const PIECES: &[&str] = &[
    "echo",
    " ",
    " ",
    "$x",
    "\"",
    "'",
    "`",
    "$(",
    ")",
    "(",
    "{",
    "}",
    ";",
    "\n",
    "&&",
    "||",
    "|",
    "&",
    "if",
    "then",
    "else",
    "fi",
    "while",
    "do",
    "done",
    "for",
    "in",
    "case",
    "esac",
    ";;",
    "a=1",
    "$((",
    "))",
    "${",
    "${x:-",
    "${x%",
    "#",
    "!",
    "<",
    ">",
    ">>",
    "2>&1",
    "<<E",
    "E",
    "sleep 1",
    "true",
    "false",
    "exit 3",
    "kill 1",
    "trap 'echo t' TERM",
    "wait",
    "read y",
    "cat",
    "f() ",
    "f",
    "\\",
    "*",
    "[ ",
    " ]",
    "test -f x",
    "é",
    "exec",
    "eval",
    "set -e",
    "yes",
    "head -1",
    "xargs",
    "break",
    "continue",
    "return",
    "local z",
    "cd /data",
    "/etc/motd",
    "> /data/f",
    "seq 3",
    "$1",
    "$@",
    "~",
    "[[",
    "printf %d",
    "timeout 1 ",
    "wget -qO- web",
    "nslookup web",
    "curl -s localhost",
    "nc -z web 80",
    "tar cf - /etc",
    "tar xf -",
    "jq .",
    "jq -r '.a[] | select(.b)'",
    "base64 -d",
    "sh",
    "while read -r l",
    "<<EOF\n",
    "EOF\n",
];

/// Returns a source of random numbers below a bound, which are the same in every run.
fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    }
}

#[test]
fn random_scripts_neither_panic_nor_run_for_ever() {
    let many = if std::env::var_os("LOOPSCOPE_SOAK").is_some() { 1_000_000 } else { 600 };
    let mut next = numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..many {
        let script: String =
            (0..1 + next(25)).map(|_| format!("{}{}", PIECES[next(PIECES.len())], if next(3) == 0 { "" } else { " " })).collect();
        let image = ["busybox:1.36", "debian:12"][next(2)];
        let Ok(made) = loopscope::container::sh::parse(&script) else { continue };
        drop(made);
        let mut container = Box::start(image, &["sh", "-c", &script]);
        container.pass(Span::secs(20));
        if next(2) == 0 {
            container.signal(15);
            container.pass(Span::secs(20));
        }
        let copy = container.guest.clone();
        assert_eq!(copy.processes.len(), container.guest.processes.len());
        assert!(container.guest.processes.len() <= 64);
    }
}

#[test]
fn random_text_typed_into_a_shell_neither_panics_nor_hangs() {
    let many = if std::env::var_os("LOOPSCOPE_SOAK").is_some() { 100_000 } else { 300 };
    let mut next = numbers(0x2545_f491_4f6c_dd1d);
    for _ in 0..many {
        let mut container = Box::sh("sleep 1d");
        let mut session = 0;
        container.on(|kernel| {
            let opening = Opening { argv: vec!["sh".to_owned()], types: true, tty: true, ..Opening::default() };
            session = kernel.open(opening).expect("a session");
        });
        for _ in 0..next(6) {
            let line: String = (0..next(8)).map(|_| PIECES[next(PIECES.len())]).collect();
            container.on(|kernel| kernel.guest.type_text(session, &format!("{line}\n")));
            container.run();
            container.pass(Span::secs(2));
        }
        container.on(|kernel| kernel.guest.end_input(session));
        container.pass(Span::secs(30));
        let open = container.guest.sessions.iter_mut().find(|s| s.pid == session).expect("the session");
        let bytes: usize = open.news().iter().map(|(_, text)| text.len()).sum();
        assert!(bytes < 3 << 20, "its output is bounded");
    }
}

#[test]
fn a_command_from_outside_that_never_waits_does_not_stop_the_container() {
    let mut container = Box::sh("sleep 1d");
    let mut session = 0;
    container.on(|kernel| {
        let argv = ["sh", "-c", "while true; do :; done"].map(str::to_owned).to_vec();
        session = kernel.open(Opening { argv, ..Opening::default() }).expect("a session");
    });
    container.run();
    container.pass(Span::secs(10));
    assert_eq!(container.code, None, "the container goes on");
    let ended = container.guest.sessions.iter().find(|s| s.pid == session).and_then(|s| s.code);
    assert_eq!(ended, Some(125));
    let argv = ["sh", "-c", "yes"].map(str::to_owned).to_vec();
    container.on(|kernel| session = kernel.open(Opening { argv, ..Opening::default() }).expect("a session"));
    container.run();
    container.pass(Span::secs(10));
    let open = container.guest.sessions.iter_mut().find(|s| s.pid == session).expect("the session");
    assert!(open.code.is_some(), "100 MB of output are not kept");
    assert!(open.news().iter().map(|(_, text)| text.len()).sum::<usize>() < 2 << 20);
}
