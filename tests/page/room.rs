//! The sizes of the panes, and folded and maximised panes; each layout has its own.

use loopscope::page::Preference;
use loopscope::page::preferences::Size;
use loopscope::page::room::{Edge, Rooms};
use loopscope::page::{
    Action, FocusTarget, OverlayAction, Page, Pane, Preferences, Room, RoomAction, Select, Start, TerminalAction, shortcuts,
};
use loopscope::view::{Drawer, Layout, Side, Stage, Subject};

fn page_in(layout: Layout) -> Page {
    Page::new(Start { layout: Some(layout), ..Start::default() }, || 0.0)
}

fn act(page: &mut Page, action: impl Into<Action>) {
    page.update(action.into());
}

fn pod() -> Subject {
    Subject::new(loopscope::api::kind::Kind::POD, "default", "some-pod")
}

#[test]
fn an_edge_is_moved_as_far_as_it_goes_and_put_back() {
    let mut page = page_in(Layout::Learn);
    let usual = page.room();
    act(&mut page, RoomAction::Move(Edge::Left, 300));
    assert_eq!(page.room().left, 300);
    act(&mut page, RoomAction::Nudge(Edge::Left, -20));
    assert_eq!(page.room().left, 280);
    for (size, result) in [(0, Edge::LEAST), (u16::MAX, Edge::Left.most())] {
        act(&mut page, RoomAction::Move(Edge::Left, size));
        assert_eq!(page.room().left, result);
    }
    act(&mut page, RoomAction::Nudge(Edge::Bottom, i16::MIN));
    assert_eq!(page.room().bottom, Edge::LEAST);
    for edge in Edge::ALL {
        act(&mut page, RoomAction::Reset(edge));
    }
    assert_eq!(page.room(), usual);
}

#[test]
fn every_layout_keeps_its_own_room() {
    let mut page = page_in(Layout::Learn);
    act(&mut page, RoomAction::Move(Edge::Bottom, 400));
    act(&mut page, RoomAction::Fold(Pane::Desired));
    act(&mut page, Action::Prefer(Preference::Layout(Layout::Inspect)));
    assert_eq!(page.room(), Room::of(Layout::Inspect));
    act(&mut page, RoomAction::Maximise(Pane::Actual));
    act(&mut page, Action::Prefer(Preference::Layout(Layout::Learn)));
    assert_eq!((page.room().bottom, page.room().folded.desired, page.room().maximised), (400, true, None));
    act(&mut page, Action::Prefer(Preference::Layout(Layout::Inspect)));
    assert_eq!(page.room().maximised, Some(Pane::Actual));
}

#[test]
fn room_outlives_a_visit() {
    let mut page = page_in(Layout::Inspect);
    act(&mut page, RoomAction::Move(Edge::Right, 333));
    act(&mut page, RoomAction::Fold(Pane::Terminal));
    act(&mut page, RoomAction::Maximise(Pane::Loop));
    let kept = page.screen().preferences.rooms.write();
    let preferences = Preferences { rooms: Rooms::read(&kept), ..Preferences::default() };
    let next = Page::new(Start { layout: Some(Layout::Inspect), preferences, ..Start::default() }, || 0.0);
    assert_eq!(next.room(), page.room());
    assert!(next.room().folded.drawer);
}

#[test]
fn room_that_makes_no_sense_is_as_the_layout_has_it() {
    for text in ["", "nonsense", "[]", "{\"learn\":7}", "{\"learn\":{\"left\":-1}}"] {
        assert_eq!(Rooms::read(text), Rooms::default(), "{text}");
    }
    let room = |left: u32, folded: &str| {
        let text = format!("{{\"learn\":{{\"left\":{left},\"right\":0,\"bottom\":65535,\"folded\":{folded},\"maximised\":null}}}}");
        Rooms::read(&text).of(Layout::Learn)
    };
    let read = room(9, "{}");
    assert_eq!((read.left, read.right, read.bottom), (Edge::LEAST, Edge::LEAST, Edge::Bottom.most()));
    let read = room(200, "{\"desired\":true,\"actual\":true,\"side\":true}");
    assert_eq!(read.left, 200);
    assert!(!read.folded.desired, "no column would be left");
}

#[test]
fn one_column_always_stays() {
    let mut page = page_in(Layout::Inspect);
    for pane in Pane::ALL {
        act(&mut page, RoomAction::Fold(pane));
    }
    let folded = page.room().folded;
    assert!(folded.desired && folded.actual && folded.drawer);
    assert!(!folded.side && !folded.may_fold(Pane::Loop));
}

#[test]
fn what_is_asked_for_is_unfolded() {
    let asked: [(Pane, Action); 11] = [
        (Pane::Terminal, FocusTarget::Terminal.into()),
        (Pane::Desired, FocusTarget::Editor.into()),
        (Pane::Actual, FocusTarget::Pane(Pane::Actual).into()),
        (Pane::Loop, FocusTarget::Pane(Pane::Loop).into()),
        (Pane::Loop, Select::Open(pod()).into()),
        (Pane::Loop, Select::Side(Side::Loop).into()),
        (Pane::Loop, Select::Controller(0).into()),
        (Pane::Time, Select::Drawer(Drawer::Store).into()),
        (Pane::Time, Select::Why(None).into()),
        (Pane::Actual, Select::Stage(Stage::Owners).into()),
        (Pane::Desired, Action::Example("kind: Pod")),
    ];
    for layout in [Layout::Learn, Layout::Operate, Layout::Inspect] {
        for (pane, action) in &asked {
            let mut page = page_in(layout);
            act(&mut page, RoomAction::Unfold(Pane::Loop));
            act(&mut page, RoomAction::Fold(*pane));
            assert!(page.room().folded.has(*pane));
            act(&mut page, action.clone());
            assert!(!page.room().folded.has(*pane), "{layout:?} {action:?}");
            let other = if *pane == Pane::Actual { Pane::Desired } else { Pane::Actual };
            act(&mut page, RoomAction::Maximise(other));
            act(&mut page, action.clone());
            assert_eq!(page.room().maximised, None, "{layout:?} {action:?}");
            act(&mut page, RoomAction::Maximise(*pane));
            act(&mut page, action.clone());
            assert_eq!(page.room().maximised, Some(pane.place()), "{layout:?} {action:?}");
        }
    }
}

#[test]
fn an_object_for_the_editor_unfolds_it() {
    let mut page = page_in(Layout::Inspect);
    page.update(Action::Travel(loopscope::page::Travel::Converge));
    for _ in 0..200 {
        page.update(Action::Tick(loopscope::page::Tick { elapsed_ms: 16.0, budget_ms: 50.0, draw: true }));
    }
    act(&mut page, RoomAction::Maximise(Pane::Terminal));
    act(&mut page, TerminalAction::Line("kubectl edit rs my-app".to_owned()));
    act(&mut page, TerminalAction::Enter);
    act(&mut page, Action::Speed(loopscope::page::SPEEDS.len() - 1));
    act(&mut page, Action::Travel(loopscope::page::Travel::Converge));
    for _ in 0..400 {
        page.update(Action::Tick(loopscope::page::Tick { elapsed_ms: 16.0, budget_ms: 50.0, draw: true }));
    }
    assert!(page.screen().is_draft);
    assert_eq!(page.room().maximised, None);
}

#[test]
fn f_gives_all_room_to_the_pane_with_the_focus_and_takes_it_back() {
    let f = shortcuts::of_key("f").expect("f is a shortcut").action.clone();
    for (layout, pane) in [(Layout::Learn, Pane::Loop), (Layout::Operate, Pane::Time), (Layout::Inspect, Pane::Actual)] {
        let mut page = page_in(layout);
        act(&mut page, f.clone());
        assert_eq!(page.room().maximised, Some(pane));
        act(&mut page, f.clone());
        assert_eq!(page.room().maximised, None);
        act(&mut page, RoomAction::Entered(Pane::Desired));
        act(&mut page, f.clone());
        assert_eq!(page.room().maximised, Some(Pane::Desired));
        act(&mut page, RoomAction::Restore);
        assert_eq!(page.room().maximised, None);
    }
}

#[test]
fn operate_begins_with_the_terminal_and_gives_an_object_a_column_until_it_is_closed() {
    let mut page = page_in(Layout::Operate);
    assert_eq!(page.screen().selection.drawer, Drawer::Terminal);
    assert!(page.room().folded.side);
    act(&mut page, Select::Open(pod()));
    assert!(!page.room().folded.side);
    act(&mut page, RoomAction::Fold(Pane::Loop));
    assert!(page.room().folded.side);
    assert_eq!(page.screen().selection.side, Side::Loop);
    act(&mut page, Action::Prefer(Preference::Layout(Layout::Inspect)));
    act(&mut page, Select::Open(pod()));
    act(&mut page, Action::Prefer(Preference::Layout(Layout::Operate)));
    assert!(!page.room().folded.side, "the open object is shown");
}

#[test]
fn the_size_for_a_lecture_hall_is_in_the_palette() {
    let mut page = page_in(Layout::Learn);
    for (words, size) in [("size: large", Size::Large), ("size: normal", Size::Normal)] {
        act(&mut page, OverlayAction::Search(words.to_owned()));
        act(&mut page, OverlayAction::Pick(0));
        assert_eq!(page.screen().preferences.size, size);
    }
}
