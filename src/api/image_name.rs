//! Names of images as the API server reads them, to set `imagePullPolicy`; the runtime's side is `container/images/reference.rs`. Counterparts: `distribution/reference` (`ParseNormalizedNamed`) and `pkg/util/parsers`.

/// Returns the tag of an image's name, `latest` if it has neither a tag nor a digest. A name that cannot be parsed has no tag. Counterpart: `ParseImageName`.
pub fn tag(image: &str) -> &str {
    match parse(image) {
        None => "",
        Some((_, None, None)) => "latest",
        Some((_, tag, _)) => tag.unwrap_or(""),
    }
}

/// Splits the name of an image into repository, tag and digest; `None` if the name is invalid.
fn parse(image: &str) -> Option<(&str, Option<&str>, Option<&str>)> {
    if image.len() == 64 && image.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let (rest, digest) = image.split_once('@').map_or((image, None), |(rest, digest)| (rest, Some(digest)));
    let (domain, path) = match rest.split_once('/') {
        Some((first, path)) if first.contains(['.', ':']) || first == "localhost" || first.to_ascii_lowercase() != first => (first, path),
        _ => ("docker.io", rest),
    };
    let (path, tag) = path.split_once(':').map_or((path, None), |(path, tag)| (path, Some(tag)));
    let valid = is_domain(domain)
        && path.split('/').all(is_component)
        && domain.len() + 1 + path.len() <= 255
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest);
    valid.then_some((path, tag, digest))
}

/// Returns true if `domain` has the form of a registry's host, such as `example.com`, `localhost:5000` or `[::1]:5000`.
fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => {
            let six = !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit() || b == b':');
            return six && (port.is_empty() || port.strip_prefix(':').is_some_and(is_number));
        }
        None => domain.split_once(':').map_or((domain, None), |(host, port)| (host, Some(port))),
    };
    let part = |p: &str| {
        let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
        edge(p.as_bytes().first()) && edge(p.as_bytes().last()) && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    host.split('.').all(part) && port.is_none_or(is_number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true for a part of a repository's path: lower-case letters and digits with single dots, one or two underscores, or dashes between them.
fn is_component(part: &str) -> bool {
    let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = part.as_bytes();
    let separators = bytes.split(|b| plain(b)).filter(|between| !between.is_empty());
    bytes.first().is_some_and(plain)
        && bytes.last().is_some_and(plain)
        && separators.into_iter().all(|s| matches!(s, b"." | b"_" | b"__") || s.iter().all(|b| *b == b'-'))
}

fn is_tag(tag: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    (1..=128).contains(&tag.len()) && tag.bytes().next().is_some_and(word) && tag.bytes().all(|b| word(b) || matches!(b, b'.' | b'-'))
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, digits)) = digest.split_once(':') else { return false };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    digits.len() == length && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_as_the_server_finds_them() {
        let digest = format!("nginx@sha256:{}", "0".repeat(64));
        let both = format!("nginx:1@sha256:{}", "0".repeat(64));
        for (image, expected) in [
            ("nginx", "latest"),
            ("nginx:latest", "latest"),
            ("nginx:1.25", "1.25"),
            ("example.com:5000/nginx", "latest"),
            ("example.com:5000/nginx:1", "1"),
            ("localhost/a/b__c", "latest"),
            ("a--b.c/d", "latest"),
            (digest.as_str(), ""),
            (both.as_str(), "1"),
            // These cannot be parsed.
            ("nginx@sha256:00", ""),
            ("NGINX", ""),
            ("nginx:", ""),
            ("nginx:a:b", ""),
            ("my image", ""),
            ("a..b", ""),
            ("a___b", ""),
            ("", ""),
            (&"a".repeat(64), ""),
        ] {
            assert_eq!(tag(image), expected, "{image}");
        }
    }
}
