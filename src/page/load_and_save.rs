//! Whole runs: loads one from a link, a file or an earlier visit, starts a new one with other settings, goes back to the previous one, and saves.

use super::overlay::{Offer, Overlay};
use super::{Pace, Page, TerminalLine};
use crate::api::time::Span;
use crate::sim::Config;
use crate::view::branches::Reopening;
use crate::view::settings::SETTINGS;
use crate::view::share::{Moment, Replay, Share};
use crate::view::{Frame, Run, Selection};
use std::rc::Rc;

/// The number of steps of a loading run that are replayed between two readings of the wall clock.
const SLICE: u64 = 200;
/// The time for which the page may block while it loads a run, in milliseconds.
const AT_ONCE_MS: f64 = 250.0;

/// Runs that are not on the screen.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The run that was on the screen before this one.
    previous: Option<Previous>,
    /// The run that is being loaded.
    loading: Option<Replay>,
    /// The branches of the run that is being loaded, if it is a branch itself.
    reopening: Option<Reopening>,
    /// The branches of the run that is being loaded, as text, if it comes from the storage of the browser.
    branches: String,
    /// The share state of the run that an earlier visit left, as text, and its branches.
    left: (String, String),
    /// The text in the editor that the earlier visit had not applied.
    left_text: Option<String>,
    /// Set if time passes once the run that is being loaded is on the screen.
    plays: bool,
    /// The number of branches, the oldest, for which the browser's storage has no room.
    unkept: usize,
    /// Text that the earlier visit had not applied and that does not belong to the run of a link: the page keeps it for the next visit.
    pub(super) kept_text: Option<Rc<str>>,
}

/// A run that was put aside, with its selection and its manifest.
#[derive(Debug)]
struct Previous {
    run: Run,
    selection: Selection,
    text: Rc<str>,
    applied: Rc<str>,
}

/// The runs and texts that the browser finds for a page that starts: from its URL, from an earlier visit, or from before an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The share state of a run to begin with: the run of a link, or the one in which the engine stopped.
    pub state: Option<String>,
    /// A notice to show: the engine stopped because of an error, or a link cannot be opened.
    pub notice: Option<String>,
    /// Set if `state` is the run in which the engine stopped.
    pub recovers: bool,
    /// The share state of the run that an earlier visit left.
    pub saved: Option<String>,
    /// The branches of the run that is in storage.
    pub branches: Option<String>,
    /// Text that an earlier visit left in the editor without applying it.
    pub unapplied: Option<String>,
    /// The moment at which the run of `state` is shown; `None` for the moment that the share state itself names.
    pub at: Option<Span>,
    /// Set if time passes once `state` has been loaded.
    pub plays: bool,
}

impl Page {
    /// Opens or offers the runs and texts that the browser has found for the page.
    pub fn take_up(&mut self, found: Found) {
        if let Some(state) = &found.state {
            match if found.recovers { Share::read_own(state) } else { Share::read(state) } {
                Ok(mut share) => {
                    match found.unapplied {
                        Some(text) if found.recovers => share.manifest = text,
                        unapplied => self.runs.kept_text = unapplied.map(Into::into),
                    }
                    if let Some(at) = found.at {
                        share.at = Moment { at, after: None };
                    }
                    self.runs.plays = found.plays;
                    self.load(share, found.branches.unwrap_or_default(), found.recovers);
                }
                Err(why) => self.notify_unopenable("This link", &why),
            }
        } else if let Some(saved) = found.saved.filter(|text| Share::read_own(text).is_ok_and(|share| share.commands.len() > 1)) {
            self.runs.left = (saved, found.branches.unwrap_or_default());
            if let Some(text) = found.unapplied {
                self.text = text.as_str().into();
                self.runs.left_text = Some(text);
            }
            self.notify("An earlier visit left a run here.", Some(Offer::Resume));
        } else if let Some(text) = found.unapplied {
            self.take_unapplied(text);
        }
        if let Some(notice) = &found.notice {
            self.notify(notice, None);
        }
        self.refresh();
    }
    /// Opens a run from a link or a file, or shows a notice that `what` cannot be opened.
    pub(super) fn open_run(&mut self, what: &str, text: Result<String, String>) {
        self.overlay = Overlay::None;
        match text.and_then(|text| Share::read(&text)) {
            Ok(share) => {
                self.notice = None;
                self.load(share, String::new(), false);
                if self.runs.previous.is_some() && self.notice.is_none() {
                    self.notify(&format!("{what} was opened."), Some(Offer::GoBack));
                }
            }
            Err(why) => self.notify_unopenable(what, &why),
        }
    }
    /// Opens a run in the place of this one, as the host asked.
    pub(super) fn open_share_state(&mut self, share: Share, plays: bool) {
        self.runs.plays = plays;
        self.load(share, String::new(), true);
    }
    fn notify_unopenable(&mut self, what: &str, why: &str) {
        self.notify(&format!("{what} cannot be opened: {why}."), None);
    }
    /// Carries out the offer of a notice.
    pub(super) fn accept(&mut self, offer: Offer) {
        self.notice = None;
        match offer {
            Offer::SkipTo(at) => self.skip_to(at),
            Offer::Resume => {
                let (run, branches) = std::mem::take(&mut self.runs.left);
                if let Ok(mut share) = Share::read_own(&run) {
                    share.manifest = self.runs.left_text.take().unwrap_or(share.manifest);
                    self.load(share, branches, false);
                }
            }
            Offer::RestoreText => self.restore_text(),
            Offer::GoBack => {
                if let Some(Previous { run, selection, text, applied }) = self.runs.previous.take() {
                    self.replace_run(run, selection, text, applied);
                    self.notify("This is the run before.", Some(Offer::GoBack));
                }
            }
        }
    }
    /// Loads a run, with the branches that it had when it was stored, in the place of the present one. The present run is put aside, except in a recovery, when
    /// nobody has acted in the present run.
    fn load(&mut self, share: Share, branches: String, is_recovery: bool) {
        self.runs.loading = Some(Replay::new(share));
        self.runs.branches = branches;
        self.runs.reopening = None;
        self.keeps_previous = !is_recovery && self.run.session.commands().len() > 1;
        self.advance_replay(AT_ONCE_MS);
    }
    /// Goes to a later moment of the run that has just begun, and lets it go on from there unless it is paused.
    pub(super) fn start_at(&mut self, at: Span) {
        let mut share = self.share();
        share.at = Moment { at, after: None };
        self.runs.plays = self.pace == Pace::Playing;
        self.load(share, String::new(), true);
    }
    /// Loads a branch that was left behind in the place of the present one, which becomes a branch itself.
    pub(super) fn open_branch(&mut self, number: u32) {
        self.close_overlay();
        let Some((share, reopening)) = self.run.reopen(number) else { return };
        self.notice = None;
        self.runs.loading = Some(Replay::new(share));
        self.runs.reopening = Some(reopening);
        self.advance_replay(AT_ONCE_MS);
    }
    /// Starts a new run with the settings of this one, in which only an example is applied.
    pub(super) fn start_example(&mut self, manifest: &str) {
        self.close_overlay();
        let mut run = Run::new((*self.run.cluster().config).clone());
        run.apply(manifest);
        let selection = Selection { object: None, revision: None, pass: None, ..self.selection.clone() };
        self.replace_run(run, selection, manifest.into(), manifest.into());
        self.pace = Pace::Playing;
        self.notify("A new run has begun, with only this example in it.", Some(Offer::GoBack));
    }
    /// Returns whether a run is being loaded.
    pub(super) fn is_loading(&self) -> bool {
        self.runs.loading.is_some()
    }
    /// Drops the run that is being loaded.
    pub(super) fn stop_loading(&mut self) {
        (self.runs.loading, self.runs.reopening) = (None, None);
    }
    /// Replays the loading run for up to `budget_ms`, and shows it once it is complete.
    pub(super) fn advance_replay(&mut self, budget_ms: f64) {
        let Some(mut replay) = self.runs.loading.take() else { return };
        let ends = (self.wall_ms)() + budget_ms;
        while !replay.advance(SLICE) {
            if (self.wall_ms)() > ends {
                let (replayed, all) = replay.progress();
                self.overlay = Overlay::Loading(replayed, all);
                self.runs.loading = Some(replay);
                return;
            }
        }
        let (mut run, share) = replay.finish();
        if let Some(reopening) = self.runs.reopening.take() {
            let applied = share.applied().map_or_else(|| self.applied.clone(), Into::into);
            let words = format!("This is the branch left at {}. The one before it is kept as a branch.", reopening.at);
            run.take_branches(reopening);
            self.begin(run, self.selection.clone(), self.text.clone(), applied);
            self.notify(&words, None);
            return;
        }
        run.read_branches(&std::mem::take(&mut self.runs.branches));
        let applied = share.applied().unwrap_or(&share.manifest).into();
        if self.keeps_previous {
            self.replace_run(run, share.view, share.manifest.into(), applied);
        } else {
            self.begin(run, share.view, share.manifest.into(), applied);
        }
        if std::mem::take(&mut self.runs.plays) {
            self.pace = Pace::Playing;
        }
    }
    /// Puts this run aside and another in its place.
    fn replace_run(&mut self, run: Run, selection: Selection, text: Rc<str>, applied: Rc<str>) {
        let previous = self.begin(run, selection, text, applied);
        self.runs.previous = Some(previous);
    }
    /// Puts a run in the place of this one, paused at its moment, and returns this one.
    fn begin(&mut self, run: Run, selection: Selection, text: Rc<str>, applied: Rc<str>) -> Previous {
        // The layout of the panes belongs to the person or the embedding author, not to the run.
        let selection = Selection { layout: self.selection.layout, panels: self.panels(), ..selection };
        self.end_editing();
        let previous = Previous {
            run: std::mem::replace(&mut self.run, run),
            selection: std::mem::replace(&mut self.selection, selection),
            text: std::mem::replace(&mut self.text, text),
            applied: std::mem::replace(&mut self.applied, applied),
        };
        (self.pace, self.line, self.saving) = (Pace::Paused, TerminalLine::default(), None);
        self.overlay = Overlay::None;
        self.runs.loading = None;
        self.frame = Rc::new(Frame::default());
        previous
    }
    /// Starts a new run with the settings of the form, or shows in the form which setting is wrong.
    pub(super) fn start_new_run(&mut self, values: Vec<String>, apply: bool) {
        let mut config: Config = (*self.run.cluster().config).clone();
        for (setting, text) in SETTINGS.iter().zip(&values).filter(|(setting, _)| !setting.label.is_empty()) {
            if let Err(why) = setting.set_text(&mut config, text) {
                let error = why.replacen(setting.path, setting.label, 1);
                self.overlay = Overlay::Settings(Rc::new(super::overlay::SettingsForm { values, error }));
                return;
            }
        }
        let (mut run, text) = (Run::new(config), self.manifest().clone());
        if apply {
            run.apply(&text);
        }
        let selection = Selection { object: None, revision: None, pass: None, ..self.selection.clone() };
        let applied = if apply { text.clone() } else { self.applied_manifest().clone() };
        self.replace_run(run, selection, text, applied);
        self.pace = Pace::Playing;
        self.notify("A new run has begun.", Some(Offer::GoBack));
    }
    /// Returns the share state of the run.
    pub fn share(&self) -> Share {
        Share::of(&self.run, &self.selection, self.manifest())
    }
    /// Returns the number of branches for which the browser's storage has no room.
    pub fn unkept_branches(&self) -> usize {
        self.runs.unkept
    }
    /// Notes the number of the oldest branches for which the browser's storage has no room, and shows a notice if it has grown.
    pub fn miss_branches(&mut self, unkept: usize) {
        if unkept > self.runs.unkept {
            let words = "The browser's storage is full: the oldest branches are lost when this page is closed or reloaded.";
            self.notify(words, None);
        }
        self.runs.unkept = unkept;
    }
    /// Returns the numbers of commands and forks of the run; if one of them changes, the page saves the run.
    pub(super) fn revision(&self) -> Revision {
        Revision { commands: self.run.session.commands().len(), forks: self.run.forks }
    }
}

/// The numbers of commands and forks of a run, which tell whether it has changed since it was saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// The number of commands that the run has been given.
    pub commands: usize,
    /// The number of times that a person has acted in the run's past.
    pub forks: u32,
}
