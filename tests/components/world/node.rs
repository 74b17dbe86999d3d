//! The node of the fake world: a kubelet, its wake-ups, and its messages, which take 2 ms in each direction. The kubelet receives
//! changes of its pods after 3 ms.

use super::World;
use super::objects::pod_of_json;
use arcstr::ArcStr;
use loopscope::api::kind::pod::PodStatus;
use loopscope::api::random::Rng;
use loopscope::api::request::{ExecOptions, Request, Response};
use loopscope::api::watch::WatchEvent;
use loopscope::api::{Kind, Span, Time, Uid};
use loopscope::client::Outbox;
use loopscope::kubelet::{Call, Cx, Kubelet, KubeletConfig, Timer};
use loopscope::store::Change;
use std::sync::Arc;

pub const NODE: &str = "node-1";
const MESSAGE: Span = Span::millis(2);
const WATCH: Span = Span::millis(3);

pub enum Item {
    Timer(Timer),
    Request(Call, Request),
    Answer(Call, Response),
    Watch(WatchEvent),
}

/// Creates a kubelet that has not been started.
pub fn kubelet() -> Kubelet {
    Kubelet::new(Arc::new(KubeletConfig::new(NODE, 0)), 0)
}

impl World {
    /// Creates a world with a kubelet that has been up for a second.
    pub fn node() -> World {
        World::seeded_node(7)
    }
    pub fn seeded_node(seed: u64) -> World {
        let mut world = World::new(&[]);
        world.rng = Rng::new(seed, 1);
        world.call(|k, cx| k.start(cx));
        world.run(1.0);
        world
    }
    /// Calls the kubelet and delivers the requests that it makes.
    pub fn call<R>(&mut self, f: impl FnOnce(&mut Kubelet, &mut Cx) -> R) -> R {
        let mut out = Outbox::default();
        self.calls += 1;
        let (mut asks, mut told) = (Vec::new(), Vec::new());
        let mut cx = Cx { now: self.now, rng: &mut self.rng, out: &mut out, asks: &mut asks, told: &mut told };
        let result = f(&mut self.kubelet, &mut cx);
        self.told.extend(told);
        for send in out.sends {
            self.push(send.at + MESSAGE, Item::Request(send.call, send.request));
        }
        for (at, timer) in out.wakes {
            self.push(at, Item::Timer(timer));
        }
        result
    }
    /// Runs a command line in a container. Panics unless the command succeeds.
    pub fn exec(&mut self, pod: Uid, container: &str, line: &str) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let options = ExecOptions { command: words.into(), ..ExecOptions::default() };
        assert_eq!(self.call(|k, cx| k.exec(pod, container, &options, 1, cx)), Ok(()), "{line}");
        assert_eq!(self.told.last().and_then(|news| news.code), Some(0), "{line}: {:?}", self.told);
    }
    fn push(&mut self, at: Time, item: Item) {
        self.order += 1;
        self.queue.insert((at, self.order), item);
    }
    pub(super) fn kubelet_hears(&mut self, change: &Change) {
        if self.calls > 0 && change.object.kind() == Kind::POD {
            let event = WatchEvent { type_: change.type_, revision: change.revision, object: change.object.clone() };
            self.push(self.now + WATCH, Item::Watch(event));
        }
    }
    /// Handles everything that is due at the node.
    pub(super) fn kubelet_acts(&mut self) {
        while let Some(entry) = self.queue.first_entry().filter(|entry| entry.key().0 <= self.now && !self.frozen) {
            match entry.remove() {
                Item::Timer(timer) => self.call(|k, cx| k.timer(timer, cx)),
                Item::Answer(call, response) => self.call(|k, cx| k.answered(call, &response, cx)),
                Item::Watch(event) => self.call(|k, cx| k.pod_event(&event, cx)),
                Item::Request(call, request) => {
                    let response = self.answer(&request);
                    self.push(self.now + MESSAGE, Item::Answer(call, response));
                }
            }
        }
    }
    /// Creates a pod that is bound to the node, with a spec given as JSON. Returns its uid.
    pub fn pod(&mut self, name: &str, spec: &str) -> Uid {
        self.put(pod_of_json(name, NODE, spec)).meta.uid
    }
    pub fn nginx(&mut self, name: &str) -> Uid {
        self.pod(name, r#"{"containers":[{"name":"c","image":"nginx:1.25"}]}"#)
    }
    pub fn script(&mut self, name: &str, policy: &str, script: &str) -> Uid {
        let spec = format!(
            r#"{{"restartPolicy":"{policy}","containers":[{{"name":"c","image":"busybox:1.36","command":["sh","-c","{script}"]}}]}}"#
        );
        self.pod(name, &spec)
    }
    /// Gives the node these images and no others.
    pub fn have(&mut self, images: &[&str]) {
        self.kubelet.set_images(images.iter().map(|image| ArcStr::from(*image)));
    }
    pub fn status(&self, name: &str) -> PodStatus {
        (*self.get(Kind::POD, name).pod().expect("a pod").status).clone()
    }
}
