//! The lines of the diagram, and places on them.

use loopscope::view::loops::actor::Line;

/// The corners that a message passes on each line, in the direction of the loop. The style sheet has the same for messages that have arrived.
pub const ASK: &[(i32, i32)] = &[(63, 20), (122, 20)];
pub const REQUEST: &[(i32, i32)] = &[(49, 95), (49, 53), (146, 53), (146, 39)];
pub const WATCH: &[(i32, i32)] = &[(214, 39), (214, 74), (310, 74), (310, 108)];
pub const QUEUED: &[(i32, i32)] = &[(261, 126), (229, 126)];
pub const TAKEN: &[(i32, i32)] = &[(131, 126), (80, 126)];
pub const STORED: &[(i32, i32)] = &[(238, 20), (297, 20)];

/// The tips of requests, and of the lines on which things go one way only.
pub const TIPS: &str = "M306 102L310 108L314 102M235 122L229 126L235 130M86 122L80 126L86 130M142 45L146 39L150 45";

/// A line through corners as an SVG path.
pub fn path(corners: &[(i32, i32)]) -> String {
    let step = |(i, (x, y)): (usize, &(i32, i32))| format!("{}{x} {y}", if i == 0 { 'M' } else { 'L' });
    corners.iter().enumerate().map(step).collect()
}

/// The place of a message that has come so many thousandths of its line.
pub fn place(line: Line, progress: u32) -> (i32, i32) {
    let corners = match line {
        Line::Request | Line::Answer => REQUEST,
        Line::Watch => WATCH,
        Line::Ask | Line::Reply => ASK,
    };
    let progress = progress.min(1_000) as i32;
    let progress = if matches!(line, Line::Answer | Line::Reply) { 1_000 - progress } else { progress };
    let legs = || corners.iter().zip(corners.iter().skip(1));
    let length = |a: &(i32, i32), b: &(i32, i32)| (a.0 - b.0).abs() + (a.1 - b.1).abs();
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
