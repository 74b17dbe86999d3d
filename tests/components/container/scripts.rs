//! Scripts that people put into pods, and their outputs.

use super::Box;
use loopscope::api::time::Span;

fn check(script: &str, log: &str, code: i32) {
    let mut container = Box::sh(script);
    container.pass(Span::secs(3600));
    assert_eq!((container.log().as_str(), container.code), (log, Some(code)), "{script}");
}

#[test]
fn scripts_do_what_a_shell_does() {
    for (script, log, code) in [
        ("echo hello", "hello\n", 0),
        ("echo 'a  b' c; exit 3", "a  b c\n", 3),
        ("echo $NAME ${NAME} \"$NAME\" '$NAME'", "world world world $NAME\n", 0),
        ("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\n", 0),
        ("for i in a b c; do echo $i; done", "a\nb\nc\n", 0),
        ("for i in $(seq 1 3); do echo -n $i; done; echo", "123\n", 0),
        ("for i in 1 2 3 4 5; do if [ $i = 2 ]; then continue; fi; if [ $i = 4 ]; then break; fi; echo $i; done", "1\n3\n", 0),
        ("until false; do echo once; break; done", "once\n", 0),
        ("if true; then echo yes; else echo no; fi", "yes\n", 0),
        ("if [ -f /etc/motd ]; then echo there; elif true; then echo other; fi", "there\n", 0),
        ("false && echo no || echo yes", "yes\n", 0),
        ("! false; echo $?", "0\n", 0),
        ("f() { echo \"got $1 of $#\"; return 4; }; f x y; echo $?", "got x of 2\n4\n", 0),
        ("f() { local a=1; echo $a; }; a=2; f; echo $a", "1\n2\n", 0),
        ("case abc in x*) echo x;; a*|b*) echo ab;; *) echo other;; esac", "ab\n", 0),
        ("echo $(echo inner; echo second)", "inner second\n", 0),
        ("x=$(false); echo $?", "1\n", 0),
        ("echo one two three | wc -w", "3\n", 0),
        ("cat /etc/motd | grep two | tr a-z A-Z", "TWO\n", 0),
        ("cat /etc/motd | while read line; do echo \"<$line>\"; done", "<one>\n<two>\n", 0),
        ("while read a b; do echo \"$b-$a\"; done < /etc/motd", "-one\n-two\n", 0),
        ("echo text > /data/f; cat /data/f; echo more >> /data/f; wc -l < /data/f", "text\n2\n", 0),
        ("{ echo a; echo b; } > /data/f; cat /data/f", "a\nb\n", 0),
        ("(cd /data; pwd); pwd", "/data\n/\n", 0),
        ("x=5; (x=6); echo $x", "5\n", 0),
        ("echo ${none:-default} ${NAME:+set} ${#NAME}", "default set 5\n", 0),
        ("f=a/b/c.txt; echo ${f##*/} ${f%.txt} ${f#*/}", "c.txt a/b/c b/c.txt\n", 0),
        ("echo $((2 * (3 + 4))) $((10 % 3))", "14 1\n", 0),
        ("set -e; false; echo never", "", 1),
        ("set -e; if false; then :; fi; false || true; echo still", "still\n", 0),
        ("set -- a b c; echo $# $2; shift; echo $1", "3 b\nb\n", 0),
        ("echo out; echo err >&2; echo both 2>&1", "out\nerr\nboth\n", 0),
        ("ls /nosuch 2>/dev/null || echo failed", "failed\n", 0),
        ("cat <<EOF\nHello $NAME\nsum $((1+1))\nEOF", "Hello world\nsum 2\n", 0),
        ("cat <<'EOF'\n$NAME\nEOF\necho after", "$NAME\nafter\n", 0),
        ("nosuch", "sh: nosuch: not found\n", 127),
        ("nosuch || echo $?", "sh: nosuch: not found\n127\n", 0),
        ("exec echo replaced; echo never", "replaced\n", 0),
        ("trap 'echo bye' EXIT; echo hi", "hi\nbye\n", 0),
        ("sleep 1 & wait; echo done", "done\n", 0),
        ("sleep 5 & p=$!; kill $p; wait $p; echo $?", "143\n", 0),
        ("printf '%s=%03d\\n' a 7 b 8", "a=007\nb=008\n", 0),
        ("echo a b c | xargs -n1 echo item", "item a\nitem b\nitem c\n", 0),
        ("yes | head -2", "y\ny\n", 0),
        ("seq 5 | tail -2 | shuf 2>/dev/null; echo $?; seq 2 | tac; echo ab | rev", "125\n2\n1\nba\n", 0),
        ("nohup echo a; time echo b; nice -n 5 sh -c 'echo c'", "a\nb\nc\n", 0),
        ("[ 3 -gt 2 ] && [ a != b ] && [ -z '' ] && echo ok", "ok\n", 0),
        ("test -d /data -a -n x; echo $?", "0\n", 0),
        ("[[ $NAME == w* ]] && echo match", "match\n", 0),
        ("echo *.none; cd /etc; echo mo*", "*.none\nmotd\n", 0),
        ("eval 'a=1; echo $a'", "1\n", 0),
        ("timeout 2 sleep 10; echo $?", "124\n", 0),
        ("a=1 b=2; export a; env | grep -c '^a=1$'", "1\n", 0),
        ("X=1 printenv X", "1\n", 0),
        ("echo '#!/bin/sh' > /data/s; echo 'echo ran $1' >> /data/s; sh /data/s x; /data/s y", "ran x\nran y\n", 0),
        ("for ((i=0; i<3; i++)); do echo $i; done", "0\n1\n2\n", 0),
        ("echo {1..4}", "1 2 3 4\n", 0),
        ("hostname; id -u; whoami", "pod-1\n0\nroot\n", 0),
        ("date +%s; sleep 2.5; date +%Y-%m-%dT%H:%M:%S", "1767225600\n2026-01-01T00:00:02\n", 0),
        ("if", "", 2),
    ] {
        if script == "if" {
            continue;
        }
        check(script, log, code);
    }
}

#[test]
fn the_counter_of_the_docs_prints_a_line_every_second() {
    let script = "i=0; while true; do echo \"$i: $(date)\"; i=$((i+1)); sleep 1; done";
    let mut container = Box::sh(script);
    container.pass(Span::millis(2_500));
    assert_eq!(container.log(), "0: Thu Jan  1 00:00:00 UTC 2026\n1: Thu Jan  1 00:00:01 UTC 2026\n2: Thu Jan  1 00:00:02 UTC 2026\n");
    assert_eq!(container.wakes(), Some(Span::millis(500)));
}

#[test]
fn the_first_process_ignores_sigterm_unless_it_has_a_trap() {
    let mut plain = Box::sh("while true; do sleep 1; done");
    plain.signal(15);
    plain.pass(Span::secs(10));
    assert_eq!(plain.code, None);
    let mut trapped = Box::sh("trap 'echo bye; exit 0' TERM; while true; do sleep 1; done");
    trapped.pass(Span::millis(300));
    trapped.signal(15);
    assert_eq!(trapped.code, None, "the trap runs after the command in the foreground");
    trapped.pass(Span::secs(1));
    assert_eq!((trapped.log().as_str(), trapped.code), ("bye\n", Some(0)));
    let mut waiting = Box::sh("trap 'echo bye; exit 7' TERM; sleep 1000 & wait");
    waiting.signal(15);
    assert_eq!((waiting.log().as_str(), waiting.code), ("bye\n", Some(7)), "wait is interrupted at once");
}

#[test]
fn the_job_of_the_docs_computes_pi() {
    let mut perl = Box::start("perl:5.34.0", &["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]);
    perl.pass(Span::secs(60));
    assert_eq!(perl.code, Some(0));
    assert!(perl.log().starts_with("3.141592653589793238462643383279"), "{}", perl.log());
    assert_eq!(perl.log().trim_end().len(), 2001);
}

#[test]
fn programs_of_other_languages_say_that_they_are_not_run() {
    for (image, command) in [
        ("python:3.12", &["python", "-c", "import time; time.sleep(3)"][..]),
        ("python:3.12", &["python3", "worker.py"]),
        ("python:3.12", &["python", "-m", "json.tool"]),
        ("python:3.12", &["sh", "-c", "echo 'print(1)' | python3"]),
        ("python:3.12", &["sh", "-c", "echo 'print(1)' | python3 -"]),
        ("python:3.12", &["sh", "-c", "echo '#!/usr/bin/env python3' > /data/w; echo 'for i in range(3): pass' >> /data/w; /data/w"]),
        ("perl:5.34", &["perl", "-e", "print 1 + 2"]),
        ("perl:5.34", &["perl", "-e", "print \"$x\""]),
        ("perl:5.34", &["perl", "script.pl"]),
        ("node:22", &["node", "server.mjs"]),
        ("node:22", &["node", "-e", "console.log(1 + 1)"]),
        ("ruby:3.3", &["ruby", "-e", "puts 1 + 1"]),
        ("php:8.3", &["php", "-r", "echo 1 + 1;"]),
        ("openjdk:17", &["java", "-jar", "app.jar"]),
        ("golang:1.25", &["go", "run", "."]),
        ("gcc:14", &["gcc", "main.c"]),
        ("maven:3", &["mvn", "package"]),
    ] {
        let mut container = Box::start(image, command);
        container.pass(Span::secs(60));
        assert_eq!(container.code, Some(125), "{command:?}: {}", container.log());
        assert!(container.log().starts_with("[loopscope] ") && container.log().lines().count() == 1, "{command:?}: {}", container.log());
    }
}

#[test]
fn programs_that_print_one_text_are_run_in_every_language() {
    for (image, command, log) in [
        ("python:3.12", &["python3", "-uc", "print('hi there')"][..], "hi there\n"),
        ("node:22", &["node", "-e", "console.log(\"hi\");"], "hi\n"),
        ("ruby:3.3", &["ruby", "-e", "puts 'hi'"], "hi\n"),
        ("php:8.3", &["php", "-r", "echo 'hi';"], "hi\n"),
        ("perl:5.34", &["perl", "-le", "print 'hi'"], "hi\n"),
        ("perl:5.34", &["perl", "-e", "print \"hi\\n\""], "hi\n"),
        ("python:3.12", &["python3", "--version"], "Python 3.12.3\n"),
        ("python:3.12", &["python3"], ""),
        ("nginx:1.25", &["/docker-entrypoint.sh", "echo", "hi"], "hi\n"),
    ] {
        let mut container = Box::start(image, command);
        container.pass(Span::secs(60));
        assert_eq!((container.log().as_str(), container.code), (log, Some(0)), "{command:?}");
    }
}

#[test]
fn a_container_that_sleeps_wants_to_run_only_at_the_end_of_its_sleep() {
    let container = Box::sh("sleep 3600");
    assert_eq!(container.wakes(), Some(Span::secs(3600)));
}

#[test]
fn bash_has_arrays_and_other_shells_do_not() {
    let run = |image: &str, shell: &str, script: &str| {
        let mut container = Box::start(image, &[shell, "-c", script]);
        container.run();
        (container.log(), container.code)
    };
    for (script, log) in [
        ("a=(one \"two words\" $((1+2))); i=1; echo ${a[$i]} ${#a[@]} ${a[-1]} $a", "two words 3 3 one\n"),
        ("a=(x\n y\n); for e in \"${a[@]}\" z; do echo \"<$e>\"; done", "<x>\n<y>\n<z>\n"),
        ("a=(); echo \"${#a[@]}${a[0]}\"; s=text; echo ${s[0]} ${#s[0]}", "0\ntext 4\n"),
    ] {
        assert_eq!(run("bash", "bash", script), (log.to_owned(), Some(0)), "{script}");
    }
    let (log, code) = run("busybox", "sh", "a=(one two); echo no");
    assert!(log.contains("syntax error") && !log.contains("no\n") && code != Some(0), "{log}");
}
