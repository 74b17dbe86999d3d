//! Names of images as containerd reads them when it pulls: registry, repository, tag, digest. What the API server makes of a name is in `api/image_name.rs`.
//! Counterpart: `github.com/distribution/reference`.

/// An image reference, split into its parts, with defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The host name of the registry.
    pub host: String,
    /// The path of the repository in the registry.
    pub repository: String,
    /// The tag of the image.
    pub tag: String,
    /// The digest of the image, if the reference has one.
    pub digest: Option<String>,
}

impl Reference {
    /// Parses an image reference. An invalid one gives a reference that no registry has.
    pub fn parse(image: &str) -> Reference {
        let full = full_image(image);
        let (name, digest) = match full.split_once('@') {
            Some((name, digest)) => (name, Some(digest.to_owned())),
            None => (full.as_str(), None),
        };
        let (host, rest) = name.split_once('/').unwrap_or(("docker.io", name));
        let (repository, tag) = match rest.rsplit_once(':') {
            Some((repository, tag)) if !tag.contains('/') => (repository, tag),
            _ => (rest, "latest"),
        };
        Reference { host: host.to_owned(), repository: repository.to_owned(), tag: tag.to_owned(), digest }
    }
    /// Returns the name of the repository in the catalogue: without `docker.io` and `library`.
    pub fn catalogue_name(&self) -> String {
        match self.host.as_str() {
            "docker.io" => self.repository.strip_prefix("library/").unwrap_or(&self.repository).to_owned(),
            host => format!("{host}/{}", self.repository),
        }
    }
}

/// Returns the full reference of an image, as containerd writes it.
pub fn full_image(image: &str) -> String {
    let tagged = image.contains('@') || image.rsplit('/').next().is_some_and(|last| last.contains(':'));
    let tag = if tagged { "" } else { ":latest" };
    match image.split_once('/') {
        None => format!("docker.io/library/{image}{tag}"),
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => format!("{image}{tag}"),
        Some(_) => format!("docker.io/{image}{tag}"),
    }
}

/// Returns the error in an image reference, if there is one, in the words of containerd's parser.
pub fn invalid_image(image: &str) -> Option<String> {
    let last = image.rsplit('/').next().unwrap_or(image);
    let (name, tag) = last.split_once(':').unwrap_or((last, "x"));
    let repository = &image[..image.len() - last.len() + name.len()];
    let why = if repository.bytes().any(|b| b.is_ascii_uppercase()) {
        let prefix = if repository.contains('/') { "" } else { "library/" };
        format!("invalid reference format: repository name ({prefix}{repository}) must be lowercase")
    } else if name.is_empty()
        || tag.is_empty()
        || tag.split('@').next().is_none_or(|t| t.contains(':'))
        || image.bytes().any(|b| !b.is_ascii_alphanumeric() && !b"._-/:@".contains(&b))
    {
        "invalid reference format".to_owned()
    } else {
        return None;
    };
    Some(format!("Failed to apply default image tag \"{image}\": couldn't parse image name \"{image}\": {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_names_are_checked_and_completed() {
        assert_eq!(full_image("nginx:nosuch"), "docker.io/library/nginx:nosuch");
        assert_eq!(full_image("team/app"), "docker.io/team/app:latest");
        assert_eq!(invalid_image("nginx:1.25"), None);
        assert!(invalid_image("<your-image>").is_some_and(|m| m.ends_with(": invalid reference format")));
        assert!(invalid_image("Bad:::Image").is_some_and(|m| m.ends_with("repository name (library/Bad) must be lowercase")));
        let reference = Reference::parse("quay.io/team/app@sha256:abc");
        assert_eq!((reference.catalogue_name().as_str(), reference.digest.as_deref()), ("quay.io/team/app", Some("sha256:abc")));
    }
}
