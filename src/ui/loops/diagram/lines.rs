//! The positions of boxes and lines, and of messages on the lines. There are two diagrams: a narrow one for a pane at the side, and a wide one for the middle
//! of the page.
//!
//! `static/style/loop.css` repeats the lines that carry messages, as the paths of messages that have arrived (`offset-path`); a tidy test compares them.

use loopscope::view::loops::actor::Line;
use loopscope::view::loops::detail::Part;

/// The coordinates of a point in the diagram, such as a corner of a line.
pub type Corner = (i32, i32);

/// The positions of everything in a diagram, in units of its `viewBox`.
#[derive(PartialEq)]
pub struct Geometry {
    /// The CSS class of the diagram, whose style has the paths of messages that have arrived.
    pub class: &'static str,
    /// The `viewBox` of the SVG.
    pub view_box: &'static str,
    /// The boxes of the diagram: for each, the upper left corner, the width and the height.
    pub boxes: [(Part, [i32; 4]); 6],
    /// The centre of the controller's ring, and its radius.
    pub controller: (i32, i32, i32),
    /// The position of the texts about revisions: the left end of the first line.
    pub revisions: Corner,
    /// Set if there is room for labels beside messages.
    pub labels: bool,
    /// The corners of the line from the person to the API server, in the direction of the messages.
    pub ask: &'static [Corner],
    /// The corners of the line from the controller to the API server.
    pub request: &'static [Corner],
    /// The corners of the line from the API server to the cache.
    pub watch: &'static [Corner],
    /// The corners of the line from the cache to the queue.
    pub queued: &'static [Corner],
    /// The corners of the line from the queue to the controller.
    pub taken: &'static [Corner],
    /// The corners of the line from the API server to etcd.
    pub stored: &'static [Corner],
    /// The arrowheads of the lines that carry messages one way, and of the line of requests, as an SVG path.
    pub tips: &'static str,
}

/// The diagram for a pane at the side of the page.
pub static NARROW: Geometry = Geometry {
    class: "narrow",
    view_box: "0 0 360 160",
    boxes: [
        (Part::You, [1, 4, 62, 32]),
        (Part::Api, [122, 1, 116, 38]),
        (Part::Etcd, [297, 4, 62, 32]),
        (Part::Watch, [261, 56, 98, 36]),
        (Part::Cache, [261, 108, 98, 36]),
        (Part::Queue, [131, 108, 98, 36]),
    ],
    controller: (49, 126, 31),
    revisions: (66, 69),
    labels: false,
    ask: &[(63, 20), (122, 20)],
    request: &[(49, 95), (49, 53), (146, 53), (146, 39)],
    watch: &[(214, 39), (214, 74), (310, 74), (310, 108)],
    queued: &[(261, 126), (229, 126)],
    taken: &[(131, 126), (80, 126)],
    stored: &[(238, 20), (297, 20)],
    tips: "M306 102L310 108L314 102M235 122L229 126L235 130M86 122L80 126L86 130M142 45L146 39L150 45",
};

/// The diagram in the middle of the page.
pub static WIDE: Geometry = Geometry {
    class: "wide",
    view_box: "0 0 760 172",
    boxes: [
        (Part::You, [6, 10, 104, 42]),
        (Part::Api, [206, 8, 150, 46]),
        (Part::Etcd, [6, 118, 104, 42]),
        (Part::Watch, [436, 10, 120, 42]),
        (Part::Cache, [634, 10, 120, 42]),
        (Part::Queue, [524, 118, 140, 42]),
    ],
    controller: (300, 136, 32),
    revisions: (384, 84),
    labels: true,
    ask: &[(110, 31), (206, 31)],
    request: &[(300, 104), (300, 54)],
    watch: &[(356, 31), (634, 31)],
    queued: &[(694, 52), (694, 139), (664, 139)],
    taken: &[(524, 139), (332, 139)],
    stored: &[(236, 54), (236, 86), (58, 86), (58, 118)],
    tips: "M628 27L634 31L628 35M670 135L664 139L670 143M338 135L332 139L338 143M296 60L300 54L304 60",
};

/// Returns a line through corners as an SVG path.
pub fn path(corners: &[Corner]) -> String {
    let step = |(i, (x, y)): (usize, &Corner)| format!("{}{x} {y}", if i == 0 { 'M' } else { 'L' });
    corners.iter().enumerate().map(step).collect()
}

/// Returns the position of a message that has travelled `progress` thousandths of its line.
pub fn place(geometry: &Geometry, line: Line, progress: u32) -> Corner {
    let corners = match line {
        Line::Request | Line::Answer => geometry.request,
        Line::Watch => geometry.watch,
        Line::Ask | Line::Reply => geometry.ask,
    };
    let progress = progress.min(1_000) as i32;
    let progress = if matches!(line, Line::Answer | Line::Reply) { 1_000 - progress } else { progress };
    let legs = || corners.iter().zip(corners.iter().skip(1));
    let length = |a: &Corner, b: &Corner| (a.0 - b.0).abs() + (a.1 - b.1).abs();
    let whole: i32 = legs().map(|(a, b)| length(a, b)).sum();
    let mut left = whole * progress / 1_000;
    for (a, b) in legs() {
        let leg = length(a, b).max(1);
        if left <= leg {
            return (a.0 + (b.0 - a.0) * left / leg, a.1 + (b.1 - a.1) * left / leg);
        }
        left -= leg;
    }
    corners.last().copied().unwrap_or_default()
}
