//! The facts that the kernel tells the processes of a container about themselves and their neighbours: users, groups, capabilities, the files below `/proc`.

use super::guest::Kernel;
use crate::api::order::Order;
use arcstr::ArcStr;
use std::sync::Arc;

/// Facts about a container that programs ask for.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The host name, which is the pod's name.
    pub hostname: ArcStr,
    /// The pod's address as text.
    pub address: ArcStr,
    /// The uid that processes run as.
    pub uid: u32,
    /// The gid that processes run as.
    pub gid: u32,
    /// All groups that processes belong to, in ascending order.
    pub groups: Vec<u32>,
    /// The group that owns the pod's volumes, if there is one.
    pub fs_group: Option<u32>,
    /// The capabilities of processes that run as root: bit n stands for the nth capability of Linux.
    pub capabilities: u64,
    /// Set if the pod has a user namespace of its own.
    pub user_namespace: bool,
    /// The memory limit in bytes, 0 for none.
    pub memory_limit: u64,
    /// The environment that every process of the container begins with.
    pub env: Arc<Vec<(ArcStr, ArcStr)>>,
    /// The working directory in which processes start.
    pub cwd: ArcStr,
    /// The number of processors of the node.
    pub cpus: i64,
    /// The tag of the container's image.
    pub tag: ArcStr,
}

/// The names of Linux' capabilities in the order of their bits.
const CAPABILITIES: &str = "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST \
    NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME \
    SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF \
    CHECKPOINT_RESTORE";
/// The capabilities of a container that asks for none and drops none.
const USUAL_CAPABILITIES: u64 = 0xa804_25fb;

/// Returns the capabilities of a container: all of them if it is privileged, else the usual ones without those that it drops and with those that it adds.
pub fn capabilities<'a>(privileged: bool, dropped: impl Iterator<Item = &'a str>, added: impl Iterator<Item = &'a str>) -> u64 {
    let all = (1 << CAPABILITIES.split_whitespace().count()) - 1;
    let bits = |name: &str| match CAPABILITIES.split_whitespace().position(|known| known == name) {
        Some(bit) => 1 << bit,
        None if name == "ALL" => all,
        None => 0,
    };
    if privileged {
        return all;
    }
    added.fold(dropped.fold(USUAL_CAPABILITIES, |mask, name| mask & !bits(name)), |mask, name| mask | bits(name))
}

/// The processes of the other containers of a pod whose containers share one process namespace.
#[derive(Debug, Default)]
pub struct Shared {
    /// The number that is added to the container's own pids when they are shown.
    pub first: u32,
    /// The processes of the other containers.
    pub others: Vec<Other>,
    /// The signals to processes of other containers: the container, the pid in it, and the signal.
    pub sent: Vec<(usize, u32, u8)>,
}

/// A process of another container.
#[derive(Debug)]
pub struct Other {
    /// The index of the container.
    pub container: usize,
    /// The pid in that container.
    pub pid: u32,
    /// The pid that all containers of the pod see.
    pub shown: u32,
    /// The uid of the process.
    pub uid: u32,
    /// The command line of the process.
    pub title: String,
}

/// Returns a command line as a process list shows it. The script with which many images begin has replaced itself by what follows it.
pub fn title(argv: &[String]) -> String {
    let argv = if argv.len() > 1 && argv[0].ends_with("entrypoint.sh") { &argv[1..] } else { argv };
    let text = argv.join(" ");
    if text.starts_with("nginx -g daemon off") { format!("nginx: master process {text}") } else { text }
}

impl Kernel<'_> {
    /// Returns the processes that `ps` lists: their pids, uids and command lines.
    pub fn process_list(&self) -> Vec<(u32, u32, String)> {
        let first = self.shared.as_ref().map_or(0, |shared| shared.first);
        let mut all: Vec<_> = self.guest.processes.iter().map(|p| (p.pid + first, self.guest.facts.uid, title(&p.argv))).collect();
        if let Some(shared) = &self.shared {
            all.push((1, 0, "/pause".to_owned()));
            all.extend(shared.others.iter().map(|other| (other.shown, other.uid, other.title.clone())));
            all.order();
        }
        all
    }
    /// Sends a signal to the process with a pid as `ps` shows it; signal 0 only asks for it. Returns `false` if there is no such process.
    pub fn signal(&mut self, pid: u32, signal: u8) -> bool {
        let first = self.shared.as_ref().map_or(0, |shared| shared.first);
        if let Some(own) = pid.checked_sub(first).filter(|own| self.guest.process(*own).is_some()) {
            return signal == 0 || self.guest.signal(own, signal);
        }
        let Some(shared) = &mut self.shared else { return false };
        let Some(other) = shared.others.iter().find(|other| other.shown == pid) else { return false };
        shared.sent.push((other.container, other.pid, signal));
        true
    }
    /// Returns the content of a file below `/proc` that tells about a process; `None` for any other path.
    pub fn process_file(&self, path: &str) -> Option<String> {
        let (pid, file) = path.strip_prefix("/proc/")?.split_once('/')?;
        let pid = if pid == "self" { 1 } else { pid.parse::<u32>().ok()? };
        let process = self.guest.process(pid)?;
        let facts = &self.guest.facts;
        Some(match file {
            "cmdline" => process.argv.join("\0"),
            "uid_map" | "gid_map" if facts.user_namespace => format!("{:>10} {:>10} {:>10}\n", 0, 833_617_920, 65_536),
            "uid_map" | "gid_map" => format!("{:>10} {:>10} {:>10}\n", 0, 0, u32::MAX),
            "status" => {
                let (uid, gid) = (facts.uid, facts.gid);
                let mut text =
                    format!("Name:\t{}\nUmask:\t0022\nState:\tS (sleeping)\nPid:\t{pid}\nPPid:\t{}\n", process.name(), process.parent);
                text += &format!("Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{gid}\t{gid}\t{gid}\t{gid}\nGroups:\t");
                facts.groups.iter().for_each(|group| text += &format!("{group} "));
                let own = if uid == 0 { facts.capabilities } else { 0 };
                for (name, mask) in [("Inh", 0), ("Prm", own), ("Eff", own), ("Bnd", facts.capabilities), ("Amb", 0)] {
                    text += &format!("\nCap{name}:\t{mask:016x}");
                }
                text + "\n"
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_the_bits_of_linux() {
        let none = || std::iter::empty();
        assert_eq!(capabilities(false, none(), ["NET_ADMIN", "SYS_TIME"].into_iter()), 0xaa04_35fb);
        assert_eq!(capabilities(false, ["ALL"].into_iter(), ["NET_BIND_SERVICE"].into_iter()), 0x400);
        assert_eq!(capabilities(true, none(), none()), 0x1ff_ffff_ffff);
    }
}
