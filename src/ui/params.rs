//! What the page's address asks for: `?seed=7&nodes=20&speed=10&paused=1&manifest=…`. What is unknown or makes no sense is warned of in the console and
//! passed over; it never fails.
//!
//! Where it simplifies: beyond a thousand nodes the controllers' and the scheduler's own rate limits are lifted to what people set on clusters of that size.

use super::state::SPEEDS;
use loopscope::sim::Config;
use loopscope::sim::config::ClientConfig;
use web_sys::UrlSearchParams;

/// What a page starts with.
#[derive(Clone, Debug, Default)]
pub struct Params {
    /// The cluster.
    pub config: Config,
    /// Which speed, if one is asked for.
    pub speed: Option<usize>,
    /// Whether time stands still at first.
    pub paused: bool,
    /// The manifest that is applied at first, if one is given.
    pub manifest: Option<String>,
}

/// The most nodes that an address may ask for.
const MOST_NODES: u32 = 5_000;
/// From so many nodes on rate limits are lifted, and to this.
const LARGE: u32 = 1_000;
const LIFTED: ClientConfig = ClientConfig { per_second: 1_000, burst: 1_000 };
/// Parameters that other parts of the page read.
const ELSEWHERE: &[&str] =
    &["embed", "lesson", "state", "at", "autoplay", "view", "controls", "readonly", "theme", "lang", "motion", "goal", "lock", "origin"];

/// Reads the page's address.
pub fn params() -> Params {
    let search = web_sys::window().and_then(|w| w.location().search().ok()).unwrap_or_default();
    let mut params = Params::default();
    let Ok(given) = UrlSearchParams::new_with_str(&search) else { return params };
    let names = js_sys::try_iter(&given.keys()).ok().flatten().into_iter().flatten().flatten();
    for name in names.filter_map(|name| name.as_string()) {
        let value = given.get(&name).unwrap_or_default();
        if !params.take(&name, &value) {
            let text = ["Loopscope: the parameter ", &name, "=", &value, " is passed over"].concat();
            web_sys::console::warn_1(&text.into());
        }
    }
    params
}

impl Params {
    /// Takes one parameter; whether it made sense.
    fn take(&mut self, name: &str, value: &str) -> bool {
        match name {
            "seed" => value.parse().map(|seed| self.config.seed = seed).is_ok(),
            "nodes" => value.parse().ok().filter(|n| (1..=MOST_NODES).contains(n)).map(|n| self.nodes(n)).is_some(),
            "speed" => {
                self.speed = SPEEDS.iter().position(|(_, name)| name.trim_end_matches('×') == value);
                self.speed.is_some()
            }
            "paused" => {
                self.paused = !["0", "false"].contains(&value);
                true
            }
            "manifest" => {
                self.manifest = Some(value.to_owned());
                true
            }
            other => ELSEWHERE.contains(&other),
        }
    }
    fn nodes(&mut self, count: u32) {
        self.config.nodes.count = count;
        if count >= LARGE {
            self.config.manager.client = LIFTED;
            self.config.scheduler = LIFTED;
        }
    }
}
