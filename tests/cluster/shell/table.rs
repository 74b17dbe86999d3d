//! Lines and their outputs. The outputs of lines without kubectl are those of bash.

use super::terminal::Terminal;
use loopscope::shell::wants_more;

/// Runs lines in one terminal. Returns everything that they write, in order, and the last exit
/// code.
fn said(lines: &str) -> (String, i32) {
    let ran = Terminal::new().run(lines, 200);
    let text = ran.output.pieces().iter().map(|(_, text)| text.as_str()).collect();
    (text, ran.code.expect("an end"))
}

fn check(table: &[(&str, &str)]) {
    for (line, wanted) in table {
        assert_eq!(said(line).0, *wanted, "{line}");
    }
}

#[test]
fn words_are_quoted_as_in_bash() {
    check(&[
        ("echo a   b", "a b\n"),
        ("echo 'a   b'\"  c\"d", "a   b  cd\n"),
        (r#"echo "a\"b\\c\d" \"x\" \$HOME '$HOME'"#, "a\"b\\c\\d \"x\" $HOME $HOME\n"),
        ("echo one \\\n  two", "one two\n"),
        ("echo 'one\ntwo'", "one\ntwo\n"),
        ("echo a#b # c", "a#b\n"),
        ("# only a comment\n\n  # another\necho x", "x\n"),
        ("echo '' a", " a\n"),
        ("echo -n a; echo -e 'b\\tc'", "ab\tc\n"),
        ("echo grün \u{1F600}", "grün \u{1F600}\n"),
        ("$ echo with prompt\n> echo again", "with prompt\nagain\n"),
        ("$ echo a \\\n> b", "a b\n"),
        ("echo {.items[*].name} a=b", "{.items[*].name} a=b\n"),
        ("echo {1..4} x{3..1}", "1 2 3 4 x3 x2 x1\n"),
        ("echo a\r\necho b\r\n", "a\nb\n"),
    ]);
}

#[test]
fn variables_and_commands_are_filled_in() {
    check(&[
        ("A=1; B=\"$A 2\"; echo $A-${B}-$C.", "1-1 2-.\n"),
        ("A='x   y'; echo $A; echo \"$A\"", "x y\nx   y\n"),
        ("A=; echo a $A b \"$A\" c", "a b  c\n"),
        ("export X=5 Y=6; echo $X$Y; unset X; echo $X$Y", "56\n6\n"),
        ("false; echo $?; echo ${?}", "1\n0\n"),
        ("echo a$(echo b; echo c)d", "ab cd\n"),
        ("echo \"a$(echo b; echo c)d\"", "ab\ncd\n"),
        ("X=$(echo one | tr a-z A-Z); echo $X $(echo $(echo deep))", "ONE deep\n"),
        ("echo \"$(echo \"in quotes\" 'and )')\"", "in quotes and )\n"),
        ("X=$(false); echo $? 100$ $", "1 100$ $\n"),
        ("X=$(false; true) && echo \"[$X]\"", "[]\n"),
        ("X=(a 'b c' d); echo ${X[1]} ${#X[@]}", "b c 3\n"),
        ("echo cost: $5x $+", "cost: x $+\n"),
    ]);
}

#[test]
fn arithmetic_and_parts_of_values_are_filled_in() {
    check(&[
        ("i=3; echo $((i * 2 + 1)) $((i++)) $i; ((i > 3)) && echo more", "7 3 4\nmore\n"),
        ("for ((i = 0; i < 3; i++)); do echo -n $i; done; echo", "012\n"),
        ("i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done; echo $i", "3\n"),
        ("echo ${X:-y} ${X:=z} $X ${X:+set} ${#X}", "y z z set 1\n"),
        ("P=pod/web-0; echo ${P#*/} ${P%/*} ${P##*-} ${P/web/db} ${P:4:3}", "web-0 pod 0 pod/db-0 web\n"),
        ("echo `echo a; echo b` \"`echo 'c  d'`\"", "a b c  d\n"),
        ("X='a\\b {1..2}'; Y=$X; echo $X; echo \"$Y\"", "a\\b {1..2}\na\\b {1..2}\n"),
        ("X=web; echo $X-{1..2} \"{1..2}\" \\{1..2}", "web-1 web-2 {1..2} {1..2}\n"),
    ]);
}

#[test]
fn commands_are_grouped_and_chosen() {
    check(&[
        ("{ echo a; echo b; } | tr a-z A-Z", "A\nB\n"),
        ("(echo a; echo b) > f; cat f", "a\nb\n"),
        ("X=1; (X=2; Y=3; echo $X$Y); echo $X$Y", "23\n1\n"),
        ("(exit 3); echo $?; X=$(echo in; exit 4; echo never); echo $? $X", "3\n4 in\n"),
        ("Y=$(X=2; echo $X); echo $X$Y", "2\n"),
        ("for p in web-1 db-1 other; do case $p in web*) echo web;; d?-[0-9]) echo db;; *) echo none;; esac; done", "web\ndb\nnone\n"),
        ("false; case $? in 0) echo well;; 1|2) echo failed;; esac; echo $?", "failed\n0\n"),
        ("[[ web-1 == web* ]] && echo match", "match\n"),
        ("echo x > f; [ -f f ] && [ ! -e g ] && [ -s f ] && echo there", "there\n"),
        ("nope |& tr a-z A-Z", "BASH: NOPE: COMMAND NOT FOUND\n"),
        ("if true; then :; fi; if then echo; fi", "bash: syntax error near unexpected token `then'\n"),
    ]);
}

#[test]
fn commands_are_joined() {
    check(&[
        ("echo a; echo b", "a\nb\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("false || false || echo third", "third\n"),
        ("! false && echo turned", "turned\n"),
        ("echo a &&\n  echo b |\n  cat", "a\nb\n"),
        ("nope; echo $?", "bash: nope: command not found\n127\n"),
        ("if [ 3 -gt 2 ]; then echo more; elif true; then echo no; else echo less; fi", "more\n"),
        ("if false; then echo a; elif false; then echo b; else echo c; fi", "c\n"),
        ("for x in a \"b c\" $(echo d e); do echo \"<$x>\"; done", "<a>\n<b c>\n<d>\n<e>\n"),
        ("for i in $(seq 3); do echo $i; done | sort -r", "3\n2\n1\n"),
        ("for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; echo $i; done", "1\n3\n"),
        ("while true; do echo once; break; done; echo $?", "once\n0\n"),
        ("until true; do echo never; done", ""),
        ("while true; do echo y; done | head -2", "y\ny\n"),
    ]);
}

#[test]
fn text_goes_through_filters() {
    check(&[
        ("seq 5 | head -n 2; seq 5 | head -1; seq 5 | tail -2; seq 5 | tail -n +4", "1\n2\n1\n4\n5\n4\n5\n"),
        ("echo abc | head -c 2", "ab"),
        ("seq 3 | wc -l; echo a b | wc -w; echo abc | wc -c; seq 2 | wc", "3\n2\n4\n      2       2       4\n"),
        ("printf 'b 2\\na 10\\nc 1\\n' | sort; printf 'b 2\\na 10\\nc 1\\n' | sort -k2 -n", "a 10\nb 2\nc 1\nc 1\nb 2\na 10\n"),
        ("printf '2\\n10\\n1\\n2\\n' | sort -nru", "10\n2\n1\n"),
        ("printf '1K\\n2\\n1M\\n' | sort -h", "2\n1K\n1M\n"),
        ("printf 'a:2\\nb:1\\n' | sort -t: -k2", "b:1\na:2\n"),
        (
            "printf 'a\\na\\nb\\n' | uniq -c; printf 'a\\na\\nb\\n' | uniq -d; printf 'a\\na\\nb\\n' | uniq -u",
            "      2 a\n      1 b\na\nb\n",
        ),
        (
            "echo a:b:c | cut -d: -f2; echo a:b:c | cut -d : -f 1,3; echo abcdef | cut -c2-4; echo a:b:c | cut -d: -f2-",
            "b\na:c\nbcd\nb:c\n",
        ),
        ("echo hello | tr a-y b-z; echo 'a  b' | tr -s ' '; echo a1b2 | tr -d 0-9; echo 'a b' | tr ' ' '\\n'", "ifmmp\na b\nab\na\nb\n"),
        ("echo 'a b c' | awk '{print $1, $NF}'; echo 'a b c' | awk '{print $2 \":\" $1}'", "a c\nb:a\n"),
        ("printf 'H\\na 1\\nb 2\\n' | awk 'NR>1 {print $1}'; seq 3 | awk 'NR==2'", "a\nb\n2\n"),
        ("printf 'a 1\\nb 20\\n' | awk '$2 > 3 {print NR, NF, $0}'; printf 'x\\ny\\n' | awk '/y/'", "2 2 b 20\ny\n"),
        (
            "echo a:b | awk -F: '{print $2}'; printf 'a 1\\nb 2\\n' | awk '$1 ~ /^b/ && $2 != 1 {print \"found\"} END {print NR}'",
            "b\nfound\n2\n",
        ),
        (
            "echo banana | sed 's/an/AN/'; echo banana | sed 's/an/<&>/g'; seq 5 | sed -n '2,3p'; seq 3 | sed 2d",
            "bANana\nb<an><an>a\n2\n3\n1\n3\n",
        ),
        ("echo pod/a | sed 's|pod/||'; printf 'a\\nb\\n' | sed '/a/d'; echo aXb | sed -E 's/[A-Z]+/-/'", "a\nb\na-b\n"),
        (
            "printf 'a b\\nc\\n' | xargs; printf 'a b\\nc\\n' | xargs -n1 echo x; echo 'p q' | xargs -I{} echo '<{}>'",
            "a b c\nx a\nx b\nx c\n<p q>\n",
        ),
        ("echo a | tee f | cat; cat f", "a\na\n"),
        ("echo a | cat - ; echo b | cat -n", "a\n     1\tb\n"),
    ]);
}

#[test]
fn grep_finds_lines() {
    check(&[
        ("seq 12 | grep 1", "1\n10\n11\n12\n"),
        ("seq 12 | grep -v 1 | grep -c .", "8\n"),
        ("seq 9 | grep -A1 -B 1 5", "4\n5\n6\n"),
        ("seq 9 | grep -C1 -e 2 -e 8", "1\n2\n3\n--\n7\n8\n9\n"),
        ("echo Hello | grep -i hello; echo a.b | grep -F .; echo axb | grep -F a.b || echo none", "Hello\na.b\nnone\n"),
        ("echo 'one two' | grep -o '[a-z]*'; echo a1b22 | grep -oE '[0-9]+'", "one\ntwo\n1\n22\n"),
        ("seq 3 | grep -n 2; seq 20 | grep -w 2; seq 9 | grep -m 2 '[3-9]'", "2:2\n2\n3\n4\n"),
        ("seq 3 | grep -q 2 && echo in; seq 3 | grep -q 7 || echo out", "in\nout\n"),
        ("seq 3 | grep -E '1|3'; seq 3 | grep '1\\|3'; seq 30 | grep -x 3", "1\n3\n1\n3\n3\n"),
        ("echo x | grep '['; echo $?", "grep: Unmatched [, [^, [:, [., or [=\n2\n"),
        ("echo x | grep -Z x; echo $?", "grep: invalid option -- 'Z'\n2\n"),
    ]);
}

#[test]
fn text_goes_to_files_and_comes_from_them() {
    check(&[
        ("echo a > f; echo b >> f; cat f; cat < f | wc -l", "a\nb\n2\n"),
        ("echo a > f\necho c > f\ncat ./f; ls", "c\nf\n"),
        ("cat nope; echo $?", "cat: nope: No such file or directory\n1\n"),
        ("grep x nope; echo $?", "grep: nope: No such file or directory\n2\n"),
        ("echo a > f; cat < f > g; cat g; echo b > g < f; cat g", "a\nb\n"),
        ("cat < nope; echo $?", "bash: nope: No such file or directory\n1\n"),
        ("nope 2>/dev/null; echo $?", "127\n"),
        ("nope 2>&1 | tr a-z A-Z", "BASH: NOPE: COMMAND NOT FOUND\n"),
        ("nope &> f; echo x >/dev/null; cat f", "bash: nope: command not found\n"),
        ("nope > f 2>&1; cat f", "bash: nope: command not found\n"),
        ("cat <<EOF\na $((1\nEOF\necho x", "bash: unexpected EOF while looking for matching `)'\nx\n"),
        ("cat <<EOF\na $((1 + 1))\nEOF", "a 2\n"),
        ("X=5\ncat <<EOF\nx is $X and \\$X\n$(echo sub)\nEOF\necho after", "x is 5 and $X\nsub\nafter\n"),
        ("cat <<'EOF' | tr a-z A-Z\n$X\n  two\nEOF", "$X\n  TWO\n"),
        ("cat <<-EOF > f\n\tone\n\t\ttwo\n\tEOF\ncat f", "one\ntwo\n"),
        ("cat <<EOF\na: \"b\" `echo c` \\`d\\`\nEOF", "a: \"b\" c `d`\n"),
        ("cat <<A; cat <<B\n1\nA\n2\nB", "1\n2\n"),
        ("cat <<< word", "word\n"),
        ("$ cat <<EOF\n> a\n>   b\n> EOF\n$ echo c", "a\n  b\nc\n"),
        ("echo a > x.yaml; echo b > y.yaml; cat *.yaml; echo *.json", "a\nb\n*.json\n"),
        ("printf '1\\n2\\n' > n; wc -l n; grep 2 n; head -1 n", "2 n\n2\n1\n"),
    ]);
}

#[test]
fn kubectl_is_part_of_pipes() {
    check(&[
        ("kubectl get pods -o name | sort", "pod/one\npod/three\npod/two\n"),
        ("k get pods --no-headers | awk '{print $1}' | head -1", "one\n"),
        ("kubectl get pod $(kubectl get pods -o name | cut -d/ -f2 | tail -1) -o jsonpath='{.metadata.name}{\"\\n\"}'", "two\n"),
        ("for p in $(kubectl get pods -o name); do echo \"$p!\"; done", "pod/one!\npod/three!\npod/two!\n"),
        ("kubectl get pods -o name | grep tw | xargs kubectl delete --wait=false", "pod \"two\" deleted from default namespace\n"),
        ("kubectl get pods -o name | xargs -n1 kubectl get -o name", "pod/one\npod/three\npod/two\n"),
        ("kubectl get pod nope && echo yes || echo no", "Error from server (NotFound): pods \"nope\" not found\nno\n"),
        ("kubectl get pod nope 2>/dev/null; echo $?", "1\n"),
        ("kubectl get pod one -o yaml > one.yaml; grep '^kind' one.yaml; grep -c uid one.yaml", "kind: Pod\n1\n"),
        (
            "kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nEOF\nkubectl get cm a -o name",
            "configmap/a created\nconfigmap/a\n",
        ),
        ("cat <<EOF | kubectl apply -f -\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nEOF", "configmap/a created\n"),
        (
            "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: b}\\n' > b.yaml && kubectl apply -f ./b.yaml",
            "configmap/b created\n",
        ),
        ("while ! kubectl get pod late -o name 2>/dev/null; do sleep 1; kubectl run late --image=x >/dev/null; done", "pod/late\n"),
    ]);
}

#[test]
fn what_is_not_there_is_refused_in_one_sentence() {
    for (line, word) in [
        ("f() { echo a; }", "functions"),
        ("function f { echo a; }", "functions"),
        ("echo $((1/0))", "division by zero"),
        ("echo ${X:?is not set}", "X: is not set"),
        ("read x", "read"),
        ("cat <(echo a)", "process substitution"),
        ("time kubectl get pods", "time"),
        ("seq 3 | awk '{s+=$1} END {print s}'", "awk"),
        ("echo a | sed 'y/a/b/'", "sed"),
        ("eval echo", "eval"),
        ("grep x", "not the keyboard"),
    ] {
        let (text, code) = said(line);
        assert!(text.contains(word) && text.lines().count() == 1 && code != 0, "{line}: {text}{code}");
    }
}

#[test]
fn a_line_that_cannot_be_read_does_not_hinder_the_others() {
    check(&[
        ("echo a\necho |\n", "a\nbash: syntax error: unexpected end of file\n"),
        ("echo a\n| x\necho b", "a\nbash: syntax error near unexpected token `|'\nb\n"),
        ("echo a; )\necho b", "bash: syntax error near unexpected token `)'\nb\n"),
        ("echo 'open", "bash: unexpected EOF while looking for matching `''\n"),
        ("fi", "bash: syntax error near unexpected token `fi'\n"),
    ]);
}

#[test]
fn a_text_that_is_not_complete_wants_more() {
    for text in [
        "echo 'a",
        "echo \"a",
        "cat <<EOF\na",
        "echo a |",
        "echo a &&",
        "for x in a; do",
        "for x in a",
        "if true; then echo",
        "echo $(",
        "echo a \\",
    ] {
        assert!(wants_more(text), "{text}");
    }
    for text in ["", "echo a", "cat <<EOF\na\nEOF", "echo a | cat", "for x in a; do echo; done", "| x", "echo 'it'", "echo a\\\\"] {
        assert!(!wants_more(text), "{text}");
    }
}

#[test]
fn what_a_line_does_holds_for_the_next() {
    let mut terminal = Terminal::new();
    let mut said = |line: &str| terminal.run(line, 50).output.stdout();
    assert_eq!(said("X=5; echo kept > f; false"), "");
    assert_eq!(said("echo $? $X; cat f"), "1 5\nkept\n");
    assert_eq!(said("unset X"), "");
    assert_eq!(said("echo x$X"), "x\n");
    assert_eq!(said("date; date +%s; date -u '+%H:%M'").lines().next(), Some("Mon Nov 16 01:52:12 UTC 2026"));
}

#[test]
fn nothing_goes_on_for_ever_without_time() {
    for line in [
        "while true; do true; done",
        "while true; do x=$x$x.; done",
        "while true; do kubectl version --client; done",
        "echo a > f; while true; do cat f f f >> f; done",
    ] {
        let ran = Terminal::new().run(line, 100_000);
        assert!(ran.code.is_some(), "{line}");
        assert!(ran.output.stderr().contains("stopped") || ran.output.stderr().contains("too long"), "{line}");
    }
}
