//! The start of a container: the files of its image, and the program that its command names. Counterpart: containerd's snapshots and runc.

use super::guests::StartError;
use crate::container::files::Tree;
use crate::container::guest::Kernel;
use crate::container::images::{self, Image};
use crate::container::process::Work;
use crate::container::{programs, sh};
use arcstr::ArcStr;

/// Determines the program that a container's command runs, or the reason why the runtime cannot start it.
pub fn start_work(kernel: &Kernel, argv: &[String], env: &[(ArcStr, ArcStr)]) -> Result<Work, StartError> {
    const HEAD: &str = "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: ";
    let Some(first) = argv.first() else { return Err(StartError("no command specified".to_owned())) };
    match programs::resolve(kernel, 0, argv, env) {
        Ok(work) => Ok(work),
        Err((127, _)) if first.contains('/') => {
            Err(StartError(format!("{HEAD}\"{first}\": stat {first}: no such file or directory: unknown")))
        }
        Err((127, _)) => Err(StartError(format!("{HEAD}\"{first}\": executable file not found in $PATH: unknown"))),
        Err((126, _)) => Err(StartError(format!("{HEAD}\"{first}\": permission denied: unknown"))),
        Err((code, message)) => {
            // A script that cannot be parsed starts a shell that prints the error and fails.
            let text = format!("echo {} >&2; exit {code}", quoted(&format!("sh: {message}")));
            sh::parse(&text)
                .map(|tree| Work::Shell(Box::new(sh::Shell::new(tree, vec!["sh".to_owned()], env))))
                .map_err(|error| StartError(error.of_busybox()))
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns the files of an image.
pub fn image_files(image: &Image) -> Tree {
    let mut tree = Tree::default();
    if image.repository == "quay.io/crio/artifact" {
        tree.put("/dir/file", "1\n");
        tree.put("/file", "2\n");
        return tree;
    }
    for folder in [
        "/bin",
        "/dev/shm",
        "/etc",
        "/home",
        "/proc/1",
        "/proc/self",
        "/sys",
        concat!("/tm", "p"),
        "/usr/share",
        "/var/log",
        "/var/run",
        "/run",
        "/mnt",
        "/opt",
        "/srv",
    ] {
        tree.put_directories(folder);
    }
    tree.put_directories(concat!("/ro", "ot"));
    tree.put("/etc/passwd", concat!("root:x:0:0:root:/ro", "ot:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"));
    tree.put("/dev/termination-log", "");
    let release = match image.base {
        images::Base::Alpine => "NAME=\"Alpine Linux\"\nID=alpine\n",
        images::Base::Rhel => "NAME=\"Fedora Linux\"\nID=fedora\n",
        images::Base::Debian => "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nID=debian\n",
        _ => "",
    };
    if !release.is_empty() {
        tree.put("/etc/os-release", release);
    }
    if image.programs.contains(&"nginx") {
        tree.put("/usr/share/nginx/html/index.html", crate::container::server::WELCOME);
        tree.put("/etc/nginx/nginx.conf", "user  nginx;\nworker_processes  auto;\n");
        tree.put_directories("/etc/nginx/conf.d");
        tree.put_directories("/var/cache/nginx");
    }
    if image.programs.contains(&"httpd") {
        tree.put("/usr/local/apache2/htdocs/index.html", "<html><body><h1>It works!</h1></body></html>\n");
    }
    tree
}
