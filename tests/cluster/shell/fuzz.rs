//! Random lines: real commands and flags, operators, unclosed quotes, and rubbish. No line may panic, and each must end or wait for input.
//!
//! The test runs 20,000 lines, in `make soak` a million; `SHELL_FROM=123 SHELL_LINES=1 cargo test --test cluster fuzz` replays one.

use super::terminal::Terminal;
use crate::random::number;
use loopscope::api::random::Rng;
use loopscope::shell::wants_more;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of answers that a line gets from the API server before the test stops it.
const ANSWERS: usize = 12;

const COMMANDS: &[&str] = &[
    "kubectl",
    "kubectl",
    "kubectl",
    "k",
    "kubectl get pods",
    "kubectl get pods -o name",
    "kubectl get all -o yaml",
    "kubectl describe pod one",
    "kubectl delete pod two --wait=false",
    "kubectl apply -f -",
    "kubectl apply -f a.yaml",
    "kubectl run x --image=nginx",
    "kubectl get pods -w",
    "kubectl rollout status deploy/web",
    "kubectl wait --for=condition=Ready pod/one --timeout=3s",
    "kubectl -n kube-system get lease",
    "kubectl create deployment demo --image=nginx:1.25 --replicas=3",
    "kubectl scale deploy demo --replicas",
    "kubectl logs one",
    "grep",
    "grep -A 10 Events:",
    "grep -E",
    "grep -o",
    "grep -vn",
    "head",
    "head -n 2",
    "tail -n +2",
    "tail -3",
    "wc -l",
    "sort",
    "sort -k",
    "uniq -c",
    "cut -d: -f",
    "cut -c",
    "awk '{print $1}'",
    "awk",
    "awk 'NR>1 {print $1, $NF}'",
    "sed s/a/b/g",
    "sed -n",
    "tr a-z A-Z",
    "tr",
    "tee f",
    "xargs",
    "xargs -n1 kubectl delete",
    "xargs -I{} echo {}",
    "watch",
    "watch -n 1 kubectl get pods",
    "sleep",
    "sleep 1",
    "echo",
    "echo -e",
    "printf",
    "printf '%s %d\\n'",
    "cat",
    "cat -n",
    "ls",
    "clear",
    "history",
    "date +%s",
    "date",
    "true",
    "false",
    "env",
    "export",
    "which",
    "help",
    "exit 3",
    "seq 5",
    "test",
    "[",
    "unset",
    "alias",
    "break",
    "continue",
];
const WORDS: &[&str] = &[
    "get",
    "pods",
    "pod",
    "one",
    "two",
    "deploy",
    "svc",
    "nodes",
    "ns",
    "rs",
    "-l",
    "app=web",
    "-o",
    "yaml",
    "json",
    "wide",
    "name",
    "-A",
    "--all",
    "-n",
    "default",
    "--watch",
    "-w",
    "describe",
    "delete",
    "create",
    "apply",
    "-f",
    "-",
    "a.yaml",
    "./f",
    "patch",
    "-p",
    "'{\"spec\":{}}'",
    "label",
    "a=b",
    "a-",
    "jsonpath='{.items[*].metadata.name}'",
    "jsonpath={.metadata.name}",
    "'{range .items[*]}{.metadata.name}{\"\\n\"}{end}'",
    "custom-columns=A:.x",
    "--replicas=3",
    "--image=nginx",
    "drain",
    "node-1",
    "--force",
    "--grace-period=0",
    "rollout",
    "undo",
    "history",
    "status",
    "taint",
    "k=v:NoSchedule",
    "explain",
    "pods.spec",
    "-h",
    "--help",
    "--",
    "$X",
    "${X}",
    "$?",
    "\"$X\"",
    "$(",
    ")",
    "$(kubectl get pods -o name)",
    "$(echo a b)",
    "*",
    "*.yaml",
    "{1..5}",
    "'(a|b)*c{2,3}'",
    "'[[:alpha:]]+'",
    "'^[^a-z]*$'",
    "'\\bweb\\b'",
    "'(('",
    "'a{1000}'",
    "'[z-a]'",
    "1",
    "2,3",
    "-5",
    "0.5",
    "99999999999999999999",
    "''",
    "\"a b\"",
    "'{print $0}'",
    "'/a/ {print NR \":\" $NF} END {print NR}'",
    "'{print $(NF-1)}'",
    "'$1 ~ /x/ && NR<=3'",
    "'s/\\(a\\)/<&>/g'",
    "'2,$p'",
    "-v",
    "-i",
    "-c",
    "-e",
    "-q",
    "-m1",
    "-B2",
    "-C",
    "-r",
    "-u",
    "-k2,3n",
    "-t:",
    "-d",
    "-s",
    "done",
    "do",
    "then",
    "fi",
    "in",
    "a:b:c",
    "%s\\n",
    "]",
    "=",
    "-eq",
    "!=",
];
/// Operators between commands that leave a line valid.
const JOINS: &[&str] = &[
    " | ",
    " | ",
    " | ",
    " | ",
    "; ",
    "\n",
    " && ",
    " || ",
    " > f; ",
    " >> f | ",
    " < f | ",
    " 2>&1 | ",
    " 2>/dev/null | ",
    " >/dev/null; ",
    " &> f; ",
    " <<EOF | cat\na: b\n$X\nEOF\n",
    " <<'E'\nx\nE\n",
    " <<-T\n\tx\n\tT\n",
    " <<< x | ",
    " |& ",
    " # x\n",
    " \\\n",
    "\n$ ",
    "\n> ",
    "; X=1 ",
    " | xargs -n1 ",
    "; ! ",
];
/// Pieces that may stand between commands and make most lines invalid.
const ROUGH: &[&str] = &[
    " & ",
    "; done",
    "; then ",
    "; fi",
    "; do ",
    "`",
    "'",
    "\"",
    "\\",
    "(",
    ")",
    "{ ",
    " }",
    "\r\n",
    "\t",
    ";;",
    "|",
    " >",
    " <<EOF",
    "$(",
    "${",
    " | |",
    "$((",
    "))",
    "$((X++))",
    "${X:-",
    "${X%",
    "${X:=a b}",
    "}",
    ") ",
    ";; esac",
    "; }",
    " |& ",
];
const OPENINGS: &[&str] = &[
    "for x in a b $(seq 3); do ",
    "while true; do ",
    "until false; do ",
    "if true; then ",
    "X=1; ",
    "X=$(",
    "$ ",
    "> ",
    "# ",
    "export X=",
    "! ",
    "watch '",
    "(",
    "{ ",
    "((X++)); ",
    "case $X in a*|1) ",
    "for ((i = 0; i < 3; i++)); do ",
    "[[ $X == a* ]] && ",
];
const RUBBISH: &[char] = &[
    '\0',
    '\u{7f}',
    'ä',
    '漢',
    '\u{1F600}',
    '\u{200d}',
    '\u{feff}',
    '\u{a0}',
    '%',
    '^',
    '~',
    '@',
    '[',
    ']',
    '+',
    '?',
    '.',
    '-',
    '=',
    ':',
    ',',
    '9',
    'z',
    '$',
    '\\',
];

fn line(rng: &mut Rng) -> String {
    let mut text = String::new();
    let pick = |from: &[&'static str], rng: &mut Rng| from[rng.below(from.len() as u64) as usize];
    if rng.below(6) == 0 {
        text.push_str(pick(OPENINGS, rng));
    }
    for _ in 0..1 + rng.below(4) {
        text.push_str(pick(COMMANDS, rng));
        for _ in 0..rng.below(4) {
            text.push(' ');
            text.push_str(pick(WORDS, rng));
        }
        if rng.below(8) == 0 {
            text.extend((0..rng.below(6)).map(|_| RUBBISH[rng.below(RUBBISH.len() as u64) as usize]));
        }
        let joins = if rng.below(12) == 0 { ROUGH } else { JOINS };
        text.push_str(pick(joins, rng));
    }
    text.push_str(pick(COMMANDS, rng));
    text.push_str(["", "", "", "; done", "; done", "; fi", "'", ")", "; }", ";; esac"][rng.below(10) as usize]);
    if rng.below(20) == 0 {
        let cut = rng.below(text.len() as u64 + 1) as usize;
        let cut = (0..=cut).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(cut);
    }
    text
}

#[test]
fn no_line_makes_the_shell_panic() {
    let (from, count) = (number("SHELL_FROM", 0, 0), number("SHELL_LINES", 20_000, 1_000_000));
    let fresh = Terminal::new();
    let (mut ended, mut well) = (0, 0);
    for seed in from..from + count {
        let text = line(&mut Rng::new(seed, 99));
        let mut terminal = fresh.clone();
        let result = catch_unwind(AssertUnwindSafe(|| {
            wants_more(&text);
            terminal.run(&text, ANSWERS)
        }));
        let Ok(ran) = result else { panic!("SHELL_FROM={seed} SHELL_LINES=1 panics: {text:?}") };
        // A line is a pure function of the answers that it gets, so it does the same when it is run again.
        if seed % 64 == 0 {
            let again = fresh.clone().run(&text, ANSWERS);
            assert!(
                again.output == ran.output && again.effects == ran.effects && again.code == ran.code,
                "{text:?} differs when it is run again"
            );
        }
        ended += u64::from(ran.code.is_some());
        well += u64::from(ran.code == Some(0));
        if count == 1 {
            println!("{text}\n{:?} {:?}", ran.output, ran.code);
        }
    }
    println!("{ended} of {count} lines end, {well} of them well");
}
