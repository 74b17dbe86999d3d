//! The build script of the crate: lists the files of `static/content`, so that a new text is there as soon as its file is.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let folder = Path::new("static/content");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    collect(folder, "", &mut paths)?;
    paths.sort();

    let mut list = String::from("&[\n");
    for path in paths {
        list += &format!("    ({path:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/static/content/{path}\"))),\n");
    }
    list += "]\n";
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("content.rs"), list)
}

/// Adds the paths of all files below a folder, each with the prefix before it.
fn collect(folder: &Path, prefix: &str, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_str().expect("a name in UTF-8"));
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), paths)?;
        } else {
            paths.push(name);
        }
    }
    Ok(())
}
