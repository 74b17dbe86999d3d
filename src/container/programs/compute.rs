//! Programs that compute something or use resources up: seq, expr, perl for the Job of the Kubernetes documentation, stress for its page on memory.

use super::{Native, disk};
use crate::container::guest::Kernel;
use crate::container::process::{State, Stream};
use crate::posix::print;

impl Kernel<'_> {
    /// Starts a program of this file. The outer `None` means that the name belongs to none of them; the inner is its exit code, or `None` if it continues.
    pub(super) fn compute_program(&mut self, pid: u32, name: &str, args: &[String]) -> Option<Option<i32>> {
        Some(match name {
            "seq" => match print::seq(args) {
                Ok(text) => self.say(pid, &text),
                Err(why) => self.complain(pid, &format!("seq: {why}\n"), 1),
            },
            "expr" => match expr(args) {
                Ok(text) => {
                    self.write(pid, Stream::Out, &format!("{text}\n"));
                    Some(i32::from(text.is_empty() || text == "0"))
                }
                Err(why) => self.complain(pid, &format!("expr: {why}\n"), 2),
            },
            "shuf" | "od" | "md5sum" | "sha256sum" | "vi" | "more" | "watch" | "strings" => self.refuse_program(pid, name),
            "stress" | "stress-ng" => self.stress(pid, args),
            "agnhost" if args.first().is_some_and(|arg| arg == "entrypoint-tester") => self.say(pid, &format!("{args:?}\n")),
            "hello" if self.guest.image.repository == "hello-world" => {
                self.say(pid, "\nHello from Docker!\nThis message shows that your installation appears to be working correctly.\n\n")
            }
            "nginx" => match args.first().map(String::as_str) {
                Some("-v" | "-V") => self.complain(pid, "nginx version: nginx/1.25.5\n", 0),
                Some("-t") => self.complain(
                    pid,
                    "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful\n",
                    0,
                ),
                Some("-s") => {
                    let (signal, first) = (args.get(1).map_or("", String::as_str), 1);
                    if matches!(signal, "quit" | "stop") {
                        self.guest.signal(first, 3);
                    }
                    Some(0)
                }
                _ => self.refuse_program(pid, "this nginx command"),
            },
            _ => return None,
        })
    }
    /// Runs `stress --vm 1 --vm-bytes 250M --vm-hang 1`, or the other `stress` of the Kubernetes documentation: `-mem-total 150Mi -cpus 2`.
    fn stress(&mut self, pid: u32, args: &[String]) -> Option<i32> {
        let value = |names: &[&str]| {
            args.iter().enumerate().find_map(|(n, arg)| {
                let bare = arg.trim_start_matches('-');
                match bare.split_once('=') {
                    Some((name, value)) if names.contains(&name) => Some(value.to_owned()),
                    None if arg.starts_with('-') && names.contains(&bare) => args.get(n + 1).cloned(),
                    _ => None,
                }
            })
        };
        let workers: u64 = value(&["vm", "m"]).and_then(|n| n.parse().ok()).unwrap_or(0);
        let each = value(&["vm-bytes"]).and_then(|size| disk::bytes(&size)).unwrap_or(256 << 20);
        let total = value(&["mem-total"]).and_then(|size| disk::bytes(&size)).unwrap_or(0);
        let timeout = value(&["timeout", "t"]).and_then(|text| print::duration(&text));
        let cpus: u32 = value(&["cpu", "c", "cpus"]).and_then(|n| n.parse().ok()).unwrap_or(0);
        self.write(pid, Stream::Out, &format!("stress: info: [{pid}] dispatching hogs: {cpus} cpu, 0 io, {workers} vm, 0 hdd\n"));
        let until = timeout.map(|span| self.now + span);
        let process = self.guest.process_mut(pid)?;
        process.cpu_milli = cpus.saturating_mul(1_000);
        process.memory = (1 << 20) + workers.saturating_mul(each).saturating_add(total);
        match until {
            Some(until) => self.sleep(pid, Native::Ends(0), until),
            None => {
                process.state = State::Signal;
                self.keep(pid, Native::Ends(0))
            }
        }
    }
}

fn expr(args: &[String]) -> Result<String, String> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        [only] => Ok((*only).to_owned()),
        ["length", text] => Ok(text.chars().count().to_string()),
        [rest @ .., operator, right] if rest.len() % 2 == 1 && rest.len() < 40 => {
            let left = expr(&rest.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())?;
            let numbers = left.parse::<i64>().ok().zip(right.parse::<i64>().ok());
            let truth = |value: bool| i64::from(value).to_string();
            let need = || numbers.ok_or_else(|| "non-integer argument".to_owned());
            Ok(match *operator {
                "+" => need().map(|(a, b)| a.wrapping_add(b).to_string())?,
                "-" => need().map(|(a, b)| a.wrapping_sub(b).to_string())?,
                "*" => need().map(|(a, b)| a.wrapping_mul(b).to_string())?,
                "/" | "%" if need()?.1 == 0 => return Err("division by zero".to_owned()),
                "/" => need().map(|(a, b)| a.wrapping_div(b).to_string())?,
                "%" => need().map(|(a, b)| a.wrapping_rem(b).to_string())?,
                "=" => truth(left == *right),
                "!=" => truth(left != *right),
                "<" => truth(numbers.map_or(left.as_str() < *right, |(a, b)| a < b)),
                ">" => truth(numbers.map_or(left.as_str() > *right, |(a, b)| a > b)),
                "<=" => truth(numbers.map_or(left.as_str() <= *right, |(a, b)| a <= b)),
                ">=" => truth(numbers.map_or(left.as_str() >= *right, |(a, b)| a >= b)),
                _ => return Err("syntax error".to_owned()),
            })
        }
        _ => Err("syntax error".to_owned()),
    }
}

/// Computes pi to a number of significant digits, rounded, by Machin's formula in whole numbers of base 10⁹.
pub fn pi(digits: usize) -> String {
    let limbs = digits / 9 + 4;
    let mut sum = arctangent(5, limbs);
    scale(&mut sum, 4);
    let minus = arctangent(239, limbs);
    subtract(&mut sum, &minus);
    scale(&mut sum, 4);
    let mut text: String = sum.iter().skip(1).map(|limb| format!("{limb:09}")).collect();
    let round_up = text.as_bytes().get(digits - 1).is_some_and(|digit| *digit >= b'5');
    text.truncate(digits - 1);
    let mut all: Vec<u8> = std::iter::once(b'3').chain(text.bytes()).collect();
    if round_up {
        for digit in all.iter_mut().rev() {
            if *digit == b'9' {
                *digit = b'0';
            } else {
                *digit += 1;
                break;
            }
        }
    }
    let all = String::from_utf8(all).unwrap_or_default();
    if digits == 1 { all } else { format!("{}.{}", all.get(..1).unwrap_or(""), all.get(1..).unwrap_or("")) }
}

const BASE: u64 = 1_000_000_000;

/// Computes the arctangent of 1/n as digits of base 10⁹, of which the first is the whole part.
fn arctangent(n: u64, limbs: usize) -> Vec<u64> {
    let mut power = vec![0u64; limbs];
    power[0] = 1;
    divide(&mut power, n);
    let mut sum = power.clone();
    let mut k = 1;
    while power.iter().any(|limb| *limb != 0) {
        divide(&mut power, n * n);
        let mut term = power.clone();
        divide(&mut term, 2 * k + 1);
        if k % 2 == 1 {
            subtract(&mut sum, &term)
        } else {
            add(&mut sum, &term)
        }
        k += 1;
    }
    sum
}

fn divide(number: &mut [u64], by: u64) {
    let mut rest = 0;
    for limb in number {
        let value = rest * BASE + *limb;
        *limb = value / by;
        rest = value % by;
    }
}

fn scale(number: &mut [u64], by: u64) {
    let mut carry = 0;
    for limb in number.iter_mut().rev() {
        let value = *limb * by + carry;
        *limb = value % BASE;
        carry = value / BASE;
    }
}

fn add(number: &mut [u64], other: &[u64]) {
    let mut carry = 0;
    for (limb, more) in number.iter_mut().zip(other).rev() {
        let value = *limb + more + carry;
        *limb = value % BASE;
        carry = value / BASE;
    }
}

fn subtract(number: &mut [u64], other: &[u64]) {
    let mut borrow = 0;
    for (limb, less) in number.iter_mut().zip(other).rev() {
        let less = less + borrow;
        borrow = u64::from(*limb < less);
        *limb = *limb + borrow * BASE - less;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pi_is_pi() {
        assert_eq!(pi(10), "3.141592654");
        let text = pi(2_000);
        assert!(text.starts_with("3.14159265358979323846264338327950288419716939937510582097494459"));
        assert_eq!(text.len(), 2_001);
        assert_eq!(text.get(763..769), Some("999999"));
    }
}
