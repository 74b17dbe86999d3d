//! Pulls images, one after the other. Counterpart: `pkg/kubelet/images/image_manager.go`.

use super::backoff::Backoff;
use super::container_event::ContainerEvent;
use super::worker::{Busy, PodWorker};
use super::{Core, Cx, Timer};
use crate::api::kind::pod::PullPolicy;
use crate::api::time::{Span, Time};
use crate::api::value::Value;
use crate::container::images::{self, PullError, full_image, invalid_image};
use arcstr::ArcStr;

/// The size of every image with the fake runtime of the recordings (see `RuntimeSettings::recorded`), in bytes.
const RECORDED_BYTES: i64 = 71_005_258;
/// The size in bytes of an image that takes the configured time to pull; images of other sizes take longer or shorter.
const USUAL_BYTES: i64 = 70_000_000;

/// The answer of a registry to the pull of an image from a repository that does not exist or is private.
const DENIED: &str =
    "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed";

/// The availability of a container's image on the node.
#[derive(Debug, PartialEq, Eq)]
pub enum ImageState {
    /// The image is present.
    Present,
    /// The image is being pulled.
    Pulling,
    /// The image is absent and cannot be pulled now.
    Absent,
}

impl Core {
    /// Begins to pull a container's image if that is needed, and records events about it.
    pub(super) fn ensure_image(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) -> ImageState {
        let Some(container) = w.container(i) else { return ImageState::Absent };
        let (image, policy) = (container.image.clone(), container.pull_policy);
        if let Some(message) = invalid_image(&image) {
            self.record_about(w, i, ContainerEvent::warning("InspectFailed", message.as_str()), cx);
            return self.no_image(w, i, "InvalidImageName", message.into(), cx);
        }
        let present = self.images.contains(&image);
        if present && policy != PullPolicy::Always {
            let message = format!("Container image \"{image}\" already present on machine and can be accessed by the pod");
            self.record_about(w, i, ContainerEvent::normal("Pulled", message), cx);
            return ImageState::Present;
        }
        if policy == PullPolicy::Never {
            let message = format!("Container image \"{image}\" is not present with pull policy of Never");
            self.record_about(w, i, ContainerEvent::warning("ErrImageNeverPull", message.as_str()), cx);
            return self.no_image(w, i, "ErrImageNeverPull", message.into(), cx);
        }
        let tried = w.extra.as_ref().and_then(|e| e.pulls.iter().find(|(name, ..)| *name == image));
        if let Some((_, backoff, failed, error)) = tried
            && Backoff::remaining(Some(*backoff), *failed, cx.now).is_some()
        {
            let short = format!("Back-off pulling image \"{image}\"");
            let long = format!("{short}: ErrImagePull: {error}");
            self.record_about(w, i, ContainerEvent::normal("BackOff", short), cx);
            return self.no_image(w, i, "ImagePullBackOff", long.into(), cx);
        }
        self.record_about(w, i, ContainerEvent::normal("Pulling", format!("Pulling image \"{image}\"")), cx);
        w.extra().pull_began = cx.now;
        let done = self.plan_pull(w, &image, cx);
        w.busy = Busy::Pull(i as u8);
        w.step_seq = w.step_seq.wrapping_add(1);
        cx.out.wake(done, Timer::Step(w.uid(), w.step_seq));
        ImageState::Pulling
    }
    /// Plans the pull of an image and returns the time of its end. Images are pulled one after the other, and each only once.
    fn plan_pull(&mut self, w: &PodWorker, image: &ArcStr, cx: &mut Cx) -> Time {
        if self.pull_error(w, image).is_some() {
            return cx.now + Core::jitter(5, 12, cx);
        }
        self.pulling.retain(|(_, done)| *done > cx.now);
        let free = self.pulling.last().map_or(cx.now, |(_, done)| *done);
        let again = self.pulling.iter().any(|(name, _)| name == image);
        let done = free + if again { self.check_time().max(Span::millis(1)) } else { self.pull_time(image) };
        self.pulling.push((image.clone(), done));
        done
    }
    /// Handles the end of a pull. Returns `true` if the image is present now.
    pub(super) fn pull_ends(&mut self, w: &mut PodWorker, i: usize, cx: &mut Cx) -> bool {
        let Some(image) = w.container(i).map(|c| c.image.clone()) else { return false };
        let Some(error) = self.pull_error(w, &image) else {
            let began = w.extra.as_ref().map_or(cx.now, |e| e.pull_began);
            let waited = (cx.now - began).0 / 1000;
            let message = pulled_text(&image, self.pull_time(&image), Span::millis(waited), self.image_bytes(&image));
            self.record_about(w, i, ContainerEvent::normal("Pulled", message), cx);
            self.images.insert(image.clone());
            if let Some(extra) = &mut w.extra {
                extra.pulls.retain(|(name, ..)| *name != image);
            }
            return true;
        };
        self.record_about(w, i, ContainerEvent::warning("Failed", format!("Failed to pull image \"{image}\": {error}")), cx);
        let pulls = &mut w.extra().pulls;
        let before = pulls.iter().find(|(name, ..)| *name == image).map(|(_, b, ..)| *b);
        pulls.retain(|(name, ..)| *name != image);
        pulls.push((image, Backoff::next(before, cx.now, cx.now), cx.now, error.clone()));
        self.no_image(w, i, "ErrImagePull", error, cx);
        false
    }
    fn no_image(&mut self, w: &mut PodWorker, i: usize, reason: &'static str, message: ArcStr, cx: &mut Cx) -> ImageState {
        self.record_about(w, i, ContainerEvent::warning("Failed", format!("Error: {reason}")).after(4), cx);
        w.set_reason(i, Some((ArcStr::from(reason), message)));
        ImageState::Absent
    }
    /// Returns the error with which a pull would fail, in containerd's words; `None` if it would succeed.
    pub(super) fn pull_error(&self, w: &PodWorker, image: &str) -> Option<ArcStr> {
        let full = full_image(image);
        let with_secret = has_login(w, &full);
        let (code, why) = if self.registry_down {
            ("Unavailable", "failed to do request: dial tcp: i/o timeout".to_owned())
        } else if self.config.runtime.recorded {
            if !image.contains("nosuch") {
                return None;
            }
            ("NotFound", format!("{full}: not found"))
        } else {
            match images::find(image, with_secret).err()? {
                PullError::NoTag | PullError::NoRepository => ("NotFound", format!("{full}: not found")),
                PullError::Denied => ("Unknown", DENIED.to_owned()),
                PullError::NoHost(host) => {
                    let name = full.strip_prefix(&format!("{host}/")).unwrap_or(&full).replacen(':', "/manifests/", 1);
                    ("Unknown", format!("failed to do request: Head \"https://{host}/v2/{name}\": dial tcp: lookup {host}: no such host"))
                }
            }
        };
        let head = format!("rpc error: code = {code} desc = failed to pull and unpack image \"{full}\"");
        Some(format!("{head}: failed to resolve reference \"{full}\": {why}").into())
    }
    /// Returns the size of an image in bytes.
    pub(super) fn image_bytes(&self, image: &str) -> i64 {
        if self.config.runtime.recorded { RECORDED_BYTES } else { images::bytes(image) }
    }
    /// Returns the time that it takes to ask a registry whether an image has changed.
    fn check_time(&self) -> Span {
        if self.config.runtime.recorded { Span(0) } else { Span::millis(300) }
    }
    /// Returns the time that it takes to pull an image: by its size, or the time of the check if it is present.
    pub(super) fn pull_time(&self, image: &ArcStr) -> Span {
        if self.images.contains(image) {
            return self.check_time();
        }
        let usual = self.config.runtime.pull;
        if self.config.runtime.recorded { usual } else { Span(usual.0 / 10 * (images::bytes(image) * 10 / USUAL_BYTES).clamp(2, 100)) }
    }
    /// Returns the time at which an image whose pull failed may be tried again; `None` if no pull failed.
    pub(super) fn next_pull(&self, w: &PodWorker, image: &str) -> Option<Time> {
        let (_, backoff, failed, _) = w.extra.as_ref()?.pulls.iter().find(|(name, ..)| name == image)?;
        Some(*failed + backoff.delay)
    }
}

/// Returns the text of the event about a pulled image: the time of the pull, that time with the wait before it, and the size in bytes.
pub(super) fn pulled_text(image: &str, pull: Span, waited: Span, bytes: i64) -> String {
    let (pull, waited) = (go_millis(pull.0 / 1000), go_millis(waited.0 / 1000));
    format!("Successfully pulled image \"{image}\" in {pull} ({waited} including waiting). Image size: {bytes} bytes.")
}

fn go_millis(ms: i64) -> String {
    if ms == 0 {
        return "0s".to_owned();
    }
    if ms < 1000 {
        return format!("{ms}ms");
    }
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    format!("{}s", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Returns whether one of a pod's pull secrets has credentials for the registry of an image.
fn has_login(w: &PodWorker, full: &str) -> bool {
    let host = full.split('/').next().unwrap_or("");
    super::volumes::pull_secrets(w).any(|name| {
        let known = w.extra.iter().flat_map(|e| &e.references).filter(|o| o.meta.name == name);
        let config = known.flat_map(|secret| super::environment::data_of(secret)).find(|(key, _)| key == ".dockerconfigjson");
        let Some(Value::Map(config)) = config.and_then(|(_, text)| crate::api::json::parse(&text).ok()) else { return false };
        let of_host = |server: &str| server.trim_start_matches("https://").trim_end_matches('/').split('/').next() == Some(host);
        config.map("auths").is_some_and(|auths| auths.iter().any(|(server, _)| of_host(server)))
    })
}
