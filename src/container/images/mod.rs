//! The images that exist, and what their containers run. Counterpart: the public registries, as containerd sees them.
//!
//! The catalogue is the file `static/content/images.txt`. A name or tag that is not in it does not exist, and the pull fails in containerd's words. Images
//! below `playground/` exist under every name and tag: their program does what its arguments say (see [`super::server`]). Simplifications: the tags are
//! ranges of plausible versions, not the lists of the registries; digests are made from the names.
//!
//! **To add an image**: a line in `static/content/images.txt`, whose head explains the fields. If its program serves requests, and prints or answers
//! something of its own, an arm in `src/container/server.rs` (`launch`); if its entry point is a script that runs the command after it, the script's name
//! among the `WRAPPERS` of `src/container/programs/list.rs`.

mod reference;

pub use reference::{Reference, full_image, invalid_image};

use crate::api::order::Order;
use crate::api::{content, fnv};
use std::sync::{OnceLock, RwLock};

/// The userland of an image, which determines its shell and its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Busybox alone.
    Busybox,
    /// Alpine: busybox with a package manager.
    Alpine,
    /// Debian or Ubuntu: bash and the GNU tools.
    Debian,
    /// Fedora and its relatives: bash and the GNU tools.
    Rhel,
    /// No shell and no tools (distroless, scratch).
    None,
}

/// An image repository of the catalogue.
#[derive(Debug)]
pub struct Image {
    /// The name of the repository as people write it, without the registry `docker.io`.
    pub repository: &'static str,
    /// The entry point of the image.
    pub entrypoint: Vec<String>,
    /// The default arguments of the entry point.
    pub command: Vec<String>,
    /// The ports on which the image's program listens.
    pub ports: Vec<u16>,
    /// The size of the image in megabytes.
    pub megabytes: i64,
    /// The signal that stops the image's containers, without `SIG`.
    pub stop_signal: &'static str,
    /// The userland of the image.
    pub base: Base,
    /// The user that the image's containers run as; `""` for root.
    pub user: &'static str,
    /// The environment variables of which at least one must be set.
    pub needs: Vec<&'static str>,
    /// The memory that the image's program uses, in MiB.
    pub memory_mb: i64,
    /// Set if the image is private: it can be pulled only with a pull secret.
    pub secret: bool,
    /// The directories that the image's program writes when it starts.
    pub writes: Vec<&'static str>,
    /// The programs that the image contains in addition to the programs of its base.
    pub programs: Vec<&'static str>,
    tags: Vec<&'static str>,
    suffixes: Vec<&'static str>,
    latest: bool,
}

/// The reason why an image cannot be pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PullError {
    /// The repository exists, but not this tag.
    NoTag,
    /// The registry refuses to tell whether the repository exists.
    Denied,
    /// The registry has no such repository, and says so.
    NoRepository,
    /// There is no such registry.
    NoHost(String),
}

/// The prefix of images that exist under any name, for people to invent.
pub const PLAYGROUND: &str = "playground/";
/// The registries that exist.
const HOSTS: &[&str] = &[
    "docker.io",
    "gcr.io",
    "ghcr.io",
    "k8s.gcr.io",
    "mcr.microsoft.com",
    "public.ecr.aws",
    "quay.io",
    "registry.example.com",
    "registry.k8s.io",
    "us-docker.pkg.dev",
];

/// Returns the image that a reference names, or the reason why it cannot be pulled. The last image that was found is cached: most pods that start one
/// after the other are alike, and the catalogue never changes.
pub fn find(image: &str, with_secret: bool) -> Result<&'static Image, PullError> {
    static LAST: RwLock<Option<(String, &'static Image)>> = RwLock::new(None);
    if let Ok(last) = LAST.read()
        && let Some((name, found)) = &*last
        && name == image
        && (with_secret || !found.secret)
    {
        return Ok(found);
    }
    let found = search(image, with_secret)?;
    if let Ok(mut last) = LAST.write() {
        *last = Some((image.to_owned(), found));
    }
    Ok(found)
}

fn search(image: &str, with_secret: bool) -> Result<&'static Image, PullError> {
    let reference = Reference::parse(image);
    if reference.repository.starts_with(PLAYGROUND) && reference.host == "docker.io" {
        return Ok(playground());
    }
    if !HOSTS.contains(&reference.host.as_str()) {
        return Err(PullError::NoHost(reference.host));
    }
    let name = reference.catalogue_name();
    let Some(found) = lookup(&name) else {
        return Err(if reference.host == "registry.k8s.io" { PullError::NoRepository } else { PullError::Denied });
    };
    if found.secret && !with_secret {
        return Err(PullError::Denied);
    }
    if reference.digest.is_some() || found.has_tag(&reference.tag) { Ok(found) } else { Err(PullError::NoTag) }
}

/// Returns the number of repositories in the catalogue.
pub fn count() -> usize {
    catalogue().len()
}

/// Returns a hint for people who named an image that does not exist.
pub fn hint() -> String {
    format!("This playground knows {} images; to invent one, use {PLAYGROUND}NAME.", count())
}

/// Returns the repositories of the catalogue in alphabetical order.
pub fn all() -> impl Iterator<Item = &'static Image> {
    catalogue().iter()
}

/// Returns the size in bytes of the image that a reference names, which depends a little on its tag.
pub fn bytes(image: &str) -> i64 {
    let base = find(image, true).map_or(40, |i| i.megabytes.max(1));
    base * 1_000_000 + (digest(image) % 997_331) as i64
}

/// Returns a made-up digest of an image, as a number.
pub fn digest(image: &str) -> u64 {
    fnv::of(&full_image(image))
}

fn lookup(name: &str) -> Option<&'static Image> {
    let all = catalogue();
    all.binary_search_by(|image| image.repository.cmp(name)).ok().and_then(|at| all.get(at))
}

fn catalogue() -> &'static [Image] {
    static ALL: OnceLock<Vec<Image>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<Image> = content::text("images.txt").lines().filter_map(row).collect();
        all.order_by_key(|image| image.repository);
        all
    })
}

fn playground() -> &'static Image {
    static IMAGE: OnceLock<Option<Image>> = OnceLock::new();
    let made = IMAGE.get_or_init(|| row("playground | | /playground | | | 5 | TERM | busybox | | mb=4 has=playground,curl"));
    made.as_ref().unwrap_or(&catalogue()[0])
}

/// Parses a line of the catalogue; `None` for comments.
fn row(line: &'static str) -> Option<Image> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = line.split('|').map(str::trim);
    let repository = fields.next().filter(|name| !name.is_empty())?;
    let mut field = || fields.next().unwrap_or("");
    let words: Vec<&'static str> = field().split_whitespace().collect();
    let mut image = Image {
        repository: repository.strip_prefix("docker.io/").unwrap_or(repository),
        entrypoint: split_words(field()),
        command: split_words(field()),
        ports: field().split_whitespace().filter_map(|port| port.parse().ok()).collect(),
        megabytes: field().parse().unwrap_or(1),
        stop_signal: field(),
        base: match field() {
            "busybox" => Base::Busybox,
            "alpine" => Base::Alpine,
            "debian" => Base::Debian,
            "rhel" => Base::Rhel,
            _ => Base::None,
        },
        user: field(),
        needs: Vec::new(),
        memory_mb: 1,
        secret: false,
        writes: Vec::new(),
        programs: Vec::new(),
        latest: !words.contains(&"-latest"),
        suffixes: words.iter().filter_map(|word| word.strip_prefix('+')).collect(),
        tags: words.into_iter().filter(|word| !word.starts_with(['+', '-'])).collect(),
    };
    for word in field().split_whitespace() {
        match word.split_once('=') {
            Some(("needs", names)) => image.needs = names.split(',').collect(),
            Some(("writes", paths)) => image.writes = paths.split(',').collect(),
            Some(("mb", number)) => image.memory_mb = number.parse().unwrap_or(1),
            Some(("has", names)) => image.programs = names.split(',').collect(),
            _ if word == "secret" => image.secret = true,
            _ if word == "-latest" => image.latest = false,
            _ => {}
        }
    }
    Some(image)
}

/// Splits a text into words; a part in single or double quotes is one word.
pub fn split_words(text: &str) -> Vec<String> {
    let (mut words, mut current, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => current.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                current.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(current.take()),
            None => current.get_or_insert_default().push(c),
        }
    }
    words.extend(current);
    words
}

impl Image {
    /// Returns whether the image has a tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        if tag == "latest" {
            return self.latest;
        }
        let plain = |tag: &str| self.tags.iter().any(|pattern| *pattern == tag || matches_version(pattern, tag));
        let suffixed =
            |suffix: &&'static str| tag == *suffix || tag.strip_suffix(suffix).and_then(|rest| rest.strip_suffix('-')).is_some_and(&plain);
        plain(tag) || self.suffixes.iter().any(suffixed) || self.alpine_version(tag)
    }
    /// Returns whether a tag names a version of Alpine that the image has, such as `1.25-alpine3.18`.
    fn alpine_version(&self, tag: &str) -> bool {
        let Some((version, alpine)) = tag.split_once("-alpine3.") else { return false };
        self.suffixes.contains(&"alpine") && alpine.parse::<u8>().is_ok_and(|n| n < 30) && self.has_tag(version)
    }
    /// Returns some tags that exist, for people to choose from.
    pub fn some_tags(&self) -> Vec<String> {
        let newest = |pattern: &&str| pattern.split('.').map(|part| part.rsplit('-').next().unwrap_or(part)).collect::<Vec<_>>().join(".");
        let mut tags: Vec<String> = self.tags.iter().map(newest).filter(|tag| self.has_tag(tag)).collect();
        if self.latest {
            tags.insert(0, "latest".to_owned());
        }
        tags
    }
    /// Returns whether the image has a shell.
    pub fn has_shell(&self) -> bool {
        self.base != Base::None
    }
    /// Returns the command line of a container: its own command and arguments in place of the image's. `has_command` says that `command` replaces the
    /// entry point, too.
    pub fn command_line(&self, command: &[impl AsRef<str>], has_command: bool) -> Vec<String> {
        let own = || command.iter().map(|word| word.as_ref().to_owned());
        if has_command {
            return own().collect();
        }
        let mut words = self.entrypoint.clone();
        if command.is_empty() {
            words.extend(self.command.iter().cloned());
        } else {
            words.extend(own());
        }
        words
    }
}

/// Returns whether a tag matches a pattern of ranges: `1.20-29.0-9` matches 1, 1.25 and 1.25.3. A `v` must stand before both or neither.
fn matches_version(pattern: &str, tag: &str) -> bool {
    let (pattern, tag) = match (pattern.strip_prefix('v'), tag.strip_prefix('v')) {
        (Some(pattern), Some(tag)) => (pattern, tag),
        (None, None) => (pattern, tag),
        _ => return false,
    };
    let mut parts = pattern.split('.');
    let mut any = false;
    for number in tag.split('.') {
        let plain = number == "0" || !number.starts_with('0') || number.len() > 1 && pattern == tag;
        let Some(value) = number.parse::<u32>().ok().filter(|_| plain) else { return false };
        let Some(part) = parts.next() else { return false };
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let (Ok(low), Ok(high)) = (low.parse::<u32>(), high.parse::<u32>()) else { return false };
        if value < low || value > high {
            return false;
        }
        any = true;
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_catalogue_is_an_image() {
        let lines = content::text("images.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(count(), lines);
        assert!(count() > 190);
        for image in all() {
            assert!(!image.stop_signal.is_empty() && image.stop_signal.bytes().all(|b| b.is_ascii_alphanumeric()), "{}", image.repository);
            assert!(image.latest || !image.tags.is_empty(), "{} has no tag", image.repository);
            assert!(image.base != Base::None || image.command_line(&[""; 0], false).is_empty() || !image.programs.is_empty());
            for tag in image.some_tags() {
                assert!(find(&format!("{}:{tag}", image.repository), true).is_ok(), "{}:{tag}", image.repository);
            }
        }
        assert!(all().zip(all().skip(1)).all(|(a, b)| a.repository < b.repository));
    }

    #[test]
    fn known_names_and_tags_exist_and_no_others() {
        let check = |image: &str| find(image, false).map(|image| image.repository);
        for image in
            ["nginx", "nginx:1.14.2", "nginx:1.16.1", "docker.io/library/nginx:1.25-alpine", "nginx:1.27-alpine3.20", "nginx:1.7.9"]
        {
            assert_eq!(check(image), Ok("nginx"), "{image}");
        }
        for image in
            ["busybox:1.28", "perl:5.34.0", "redis:6.0.4", "ubuntu:22.04", "registry.k8s.io/e2e-test-images/agnhost:2.53", "mysql:8.0"]
        {
            assert!(check(image).is_ok(), "{image}");
        }
        assert_eq!(check("nginx:1.161"), Err(PullError::NoTag));
        assert_eq!(check("nginx:nosuch"), Err(PullError::NoTag));
        assert_eq!(check("ngnix"), Err(PullError::Denied));
        assert_eq!(check("registry.k8s.io/nosuch:1"), Err(PullError::NoRepository));
        assert_eq!(check("registry.k8s.io/pause"), Ok("registry.k8s.io/pause"));
        assert_eq!(check("my.registry:5000/app"), Err(PullError::NoHost("my.registry:5000".to_owned())));
        assert_eq!(check("registry.example.com/team/app:1.0"), Err(PullError::Denied));
        assert!(find("registry.example.com/team/app:1.0", true).is_ok());
        assert_eq!(check("playground/anything:you-like"), Ok("playground"));
    }

    #[test]
    fn a_name_that_is_asked_for_again_is_answered_as_the_first_time() {
        let names =
            ["nginx:1.25", "nginx:1.25", "nginx:nosuch", "nginx:1.25", "registry.example.com/team/app:1.0", "busybox", "nginx:1.25"];
        for (name, with_secret) in names.iter().flat_map(|name| [(name, false), (name, true), (name, false)]) {
            let repository = |found: Result<&'static Image, PullError>| found.map(|image| image.repository);
            assert_eq!(repository(find(name, with_secret)), repository(search(name, with_secret)), "{name} {with_secret}");
        }
    }

    #[test]
    fn commands_and_arguments_replace_those_of_the_image() {
        let line = |image: &str, command: &[&str], has: bool| find(image, false).map(|i| i.command_line(command, has).join(" "));
        assert_eq!(line("nginx", &[], false).as_deref(), Ok("/docker-entrypoint.sh nginx -g daemon off;"));
        assert_eq!(line("nginx", &["nginx-debug"], false).as_deref(), Ok("/docker-entrypoint.sh nginx-debug"));
        assert_eq!(line("busybox", &["sleep", "1"], true).as_deref(), Ok("sleep 1"));
        assert_eq!(line("busybox", &[], false).as_deref(), Ok("sh"));
    }
}
