//! Everything that a person, or the browser's clock, can do to the page, as plain data: an action can be logged, compared, kept and sent again.
//!
//! **To add an action**: a variant here with its arm in `apply_action` (`mod.rs`), in `act_on_run` there if it acts on the run, or in `select.rs` if it changes
//! what the person looks at. If it changes the run, `changes_run` in `embed_controls.rs` must say so, for embeds that only show. A key for it is a line
//! in `shortcuts.rs`, words to search for it are in `palette/commands.rs`.

use super::experiments::Experiment;
use super::introduction::IntroductionAction;
use super::overlay::{HelpPart, Offer};
use super::preferences::Preference;
use super::room::RoomAction;
use super::time::{Tick, Travel};
use super::{FocusTarget, Pane};
use crate::api::kind::Kind;
use crate::api::meta::{Key, Uid};
use crate::api::time::{Span, Time};
use crate::sim::Fault;
use crate::view::breakpoints::Breakpoint;
use crate::view::cluster::{Health, Zoom};
use crate::view::loops::detail::Part;
use crate::view::loops::message::MessageId;
use crate::view::menus::{Effect, Thing};
use crate::view::object::ObjectTab;
use crate::view::twins::Variation;
use crate::view::{Drawer, Side, Stage, Subject};
use arcstr::ArcStr;

/// One thing that a person or the browser's clock does to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Lets real time pass: one tick of the page's clock.
    Tick(Tick),
    /// Moves in virtual time, or stops and starts it.
    Travel(Travel),
    /// Chooses a speed by its index in [`SPEEDS`](super::SPEEDS).
    Speed(usize),
    /// Takes the next higher speed (`true`) or the next lower one.
    SpeedStep(bool),
    /// Changes the selection: what the person looks at.
    Select(Select),
    /// Acts on the run: gives it a command, or changes its breakpoints or its twin.
    Run(RunAction),
    /// Replaces the text in the editor.
    Edit(String),
    /// Applies the text in the editor, or saves the object that `kubectl edit` handed over.
    Apply,
    /// Gives up the object that `kubectl edit` handed over.
    CancelEdit,
    /// Puts an example into the editor.
    Example(&'static str),
    /// Starts a new run with the settings of this one, in which only this example is applied.
    StartExample(&'static str),
    /// Reopens a branch that was left behind, by its number. The present branch is kept.
    OpenBranch(u32),
    /// Shows another pane on a screen that has room for one only.
    ShowPane(Pane),
    /// Closes the panel that lies over the other panels of an embed.
    DismissGuest,
    /// Moves the keyboard focus to a part of the page.
    Focus(FocusTarget),
    /// Acts on the terminal's input line.
    Terminal(TerminalAction),
    /// Opens, changes or closes a menu, the palette or a dialog.
    Overlay(OverlayAction),
    /// Accepts the offer of a notice.
    Accept(Offer),
    /// Hides the notice.
    DismissNotice,
    /// Changes the sizes of the panes.
    Room(RoomAction),
    /// Goes on in the introduction of a first visit, or ends it.
    Introduction(IntroductionAction),
    /// Sets a preference that outlives the visit, such as the theme or the layout.
    Prefer(Preference),
    /// Opens a run from a link or a file.
    OpenRun {
        /// The origin of the run, for a notice: "This link" or "This file".
        what: &'static str,
        /// The text of the share state, or the reason why there is none.
        text: Result<String, String>,
    },
}

/// An action on the run. It becomes a command of the run, except for breakpoints and twins.
#[derive(Clone, Debug, PartialEq)]
pub enum RunAction {
    /// Deletes a pod through the API server.
    DeletePod {
        /// The namespace of the pod.
        namespace: ArcStr,
        /// The name of the pod.
        name: String,
    },
    /// Injects a fault, or ends one.
    Fault(Fault),
    /// Carries out the effect of a menu entry.
    Effect(Effect),
    /// Sets a breakpoint, or removes it.
    ToggleBreakpoint(Breakpoint),
    /// Starts a twin, a second cluster beside this one with one difference.
    BeginTwins(Variation),
    /// Removes the twin, the second cluster beside this one.
    EndTwins,
    /// Sends a request to a Service, from a client inside the cluster.
    SendRequest(Key),
    /// Begins to send a steady load to a Service, or ends it.
    ToggleLoad(Key),
}

/// A change of the selection: of what the person looks at.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// Shows a view in the middle pane: nodes, owners, Services, objects or twins.
    Stage(Stage),
    /// Shows the loop or an object in the right pane.
    Side(Side),
    /// Shows a tab of the drawer, the pane along the bottom.
    Drawer(Drawer),
    /// Opens an object, and shows its pane on a screen that has room for one only.
    Open(Subject),
    /// Sets whether the page always shows the controller that acts.
    Follow(bool),
    /// Shows the controller with this index, and stays with it whichever controller acts.
    Controller(usize),
    /// Shows the kubelet of a node.
    Kubelet(String),
    /// Opens a pass of the controller by its number, or shows the newest pass again if this one is open.
    TogglePass(u64),
    /// Shows a pass of a controller.
    Pass {
        /// The index of the controller.
        controller: usize,
        /// The number of the pass.
        pass: u64,
    },
    /// Opens the details of a request of a pass, or closes them.
    ToggleRequest {
        /// The number of the pass.
        pass: u64,
        /// The index of the request among the requests of the pass.
        place: usize,
    },
    /// Opens a box of the loop's diagram, or closes it.
    TogglePart(Part),
    /// Opens a message of the loop's diagram, or closes it.
    ToggleMessage(MessageId),
    /// Explains the scheduler's decision about a pod.
    ExplainPod(String),
    /// Limits new breakpoints to objects whose key contains this text; an empty text allows any object.
    BreakpointFilter(String),
    /// Switches new breakpoints between all controllers and the controller that is shown.
    ToggleBreakpointScope,
    /// Shows a tab of the open object.
    ObjectTab(ObjectTab),
    /// Opens an object at one of its tabs.
    OpenAt(Subject, ObjectTab),
    /// Shows or hides the `managedFields` of the open object.
    ToggleManagedFields,
    /// Asks why the open object, or a field of it, is as it is.
    Why(Option<String>),
    /// Opens a revision of the store, or closes it.
    ToggleRevision(u64),
    /// Shows the store with a revision open.
    Revision(u64),
    /// Lets the story of what just happened begin one command earlier (`true`), or at the last command again.
    StoryEarlier(bool),
    /// Compares the open revision of the store with another; `None` stands for the one before it.
    CompareWith(Option<u64>),
    /// Lists only the revisions of the store whose key, writer or verb contains this text.
    StoreText(String),
    /// Lists only the revisions of objects of this kind; `None` lists the revisions of all kinds.
    StoreKind(Option<Kind>),
    /// Shows or hides heartbeats (Leases) in the list of revisions.
    ToggleLeases,
    /// Lists only the Events of the API that contain this text.
    EventsText(String),
    /// Switches the list of Events between warnings only and all.
    ToggleWarnings,
    /// Sets how much time the timeline draws; a zero span draws the whole run.
    TimeZoom(Span),
    /// Fixes the stretch of time that the timeline draws while a person drags on it; `None` releases it.
    TimeHold(Option<(Time, Time)>),
    /// Sets the width of the timeline in pixels.
    TimeWidth(i64),
    /// Draws the drift of one workload on the timeline; `None` draws the drift of all workloads.
    Workload(Option<Subject>),
    /// Groups the request charts by verb (`true`) or by sender (`false`).
    RequestsByVerb(bool),
    /// Sets the seconds of drift after which an alert fires, as the person typed them.
    AlertAfter(String),
    /// Chooses how large nodes and pods are drawn.
    Zoom(Zoom),
    /// Shows only the pods with this health, or all again.
    ToggleHealth(Health),
    /// Selects a node on the map of nodes.
    Node(ArcStr),
    /// Folds the objects of an owner in the tree of owners, or unfolds them.
    Fold {
        /// The owner of the objects.
        owner: Uid,
        /// Set to fold the objects, unset to unfold them.
        away: bool,
    },
    /// Lists up to 200 objects of an owner in the tree of owners, instead of the first few.
    ShowAll(Uid),
    /// Lists objects of this kind in the table.
    TableKind(Kind),
    /// Lists only the objects of this namespace in the table; `None` lists the objects of all namespaces.
    TableNamespace(Option<ArcStr>),
    /// Lists only the objects in the table whose cells contain all words of this text.
    TableText(String),
    /// Sorts the table by the column with this index; the second time in reverse order, the third time by name again.
    TableSort(usize),
    /// Shows or hides the columns of `-o wide` in the table.
    ToggleWide,
    /// Shows or hides Leases among the kinds that the table offers.
    ToggleTableLeases,
    /// Moves the keyboard focus to the row of this object in the table.
    TableRow(Subject),
}

/// An action on the terminal's input line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalAction {
    /// Replaces the text of the line.
    Line(String),
    /// Runs the line, or continues it on a new line if its command is unfinished.
    Enter,
    /// Runs a command as if it had been typed, and shows the terminal.
    Run(String),
    /// Completes the word at a position of the line, in UTF-16 units as browsers count.
    Complete(usize),
    /// Recalls an earlier (-1) or later (1) line of the history.
    Recall(isize),
    /// Interrupts the running program, and drops the text of the line.
    Interrupt,
    /// Clears the terminal's screen.
    Clear,
}

/// An action on a menu, the palette or a dialog.
#[derive(Clone, Debug, PartialEq)]
pub enum OverlayAction {
    /// Opens the context menu of a thing on the page, such as an object, a process or the cluster.
    Menu {
        /// The thing whose menu opens.
        thing: Thing,
        /// The point at which the menu opens, in CSS pixels from the top left corner of the window.
        at: (i32, i32),
    },
    /// Opens the context menu of an object, with the focus on the first entry that deletes the object.
    DeleteMenu {
        /// The object whose menu opens.
        subject: Subject,
        /// The point at which the menu opens, in CSS pixels from the top left corner of the window.
        at: (i32, i32),
    },
    /// Opens the context menu of the open object, or of the cluster if no object is open.
    MenuOfSelection,
    /// Searches in the palette for this text, and opens the palette if it is closed.
    Search(String),
    /// Selects the entry of the palette with this index.
    Choose(usize),
    /// Carries out the entry of the palette with this index.
    Pick(usize),
    /// Opens a part of the help dialog.
    Help(HelpPart),
    /// Opens the glossary at the entries that match this text.
    Glossary(String),
    /// Carries out one of the experiments that the help dialog offers.
    Try(Experiment),
    /// Opens the dialog with the preferences.
    Preferences,
    /// Opens the form with the settings of a new run.
    Settings,
    /// Starts a new run with the settings of the form.
    Start {
        /// The texts in the form, one for each setting in the order of the list of settings.
        values: Vec<String>,
        /// Set if the manifest in the editor is applied at once.
        apply: bool,
    },
    /// Opens the dialog that shares the run.
    Share,
    /// Opens the list of branches that were left behind.
    Branches,
    /// Reports in the share dialog whether copying succeeded.
    Copied(bool),
    /// Closes the open menu, palette or dialog.
    Close,
}

macro_rules! actions {
    ($($part:ident => $variant:ident),*) => {
        $(impl From<$part> for Action {
            fn from(part: $part) -> Action {
                Action::$variant(part)
            }
        })*
    };
}

actions! { Tick => Tick, Travel => Travel, Select => Select, RunAction => Run, TerminalAction => Terminal, OverlayAction => Overlay, FocusTarget => Focus, RoomAction => Room, Preference => Prefer, IntroductionAction => Introduction }
