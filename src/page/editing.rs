//! The text in the editor: the manifest, an object that `kubectl edit` handed over, and text that was not applied and must not be lost.
//!
//! While an object is edited it takes the manifest's place; the page keeps the manifest and puts it back afterwards. If the API server refuses the object,
//! the editor opens again with the text as it was saved, as the real `kubectl edit` does.

use super::overlay::Offer;
use super::{FocusTarget, Page, Pane};
use crate::sim::Draft;
use crate::view::examples::examples;
use std::rc::Rc;

/// An object that `kubectl edit` handed over, and the manifest whose place it takes.
#[derive(Debug)]
pub(super) struct Editing {
    draft: Draft,
    text: Rc<str>,
    applied: Rc<str>,
}

/// An object that was saved in the editor, until the API server has answered.
#[derive(Debug)]
pub(super) struct Saving {
    draft: Draft,
    /// The text of the object as it was saved.
    text: Rc<str>,
    /// The number of the program that saves the object.
    console: u64,
}

impl Page {
    /// Returns the person's manifest, even while the editor holds an object that `kubectl edit` handed over.
    pub(super) fn manifest(&self) -> &Rc<str> {
        self.editing.as_ref().map_or(&self.text, |editing| &editing.text)
    }
    /// Returns the person's manifest as it was applied last.
    pub(super) fn applied_manifest(&self) -> &Rc<str> {
        self.editing.as_ref().map_or(&self.applied, |editing| &editing.applied)
    }
    /// Returns the person's manifest if it differs from the one that was applied last: the page keeps it for the next visit.
    pub fn unapplied(&self) -> Option<Rc<str>> {
        (self.manifest() != self.applied_manifest()).then(|| self.manifest().clone()).or_else(|| self.runs.kept_text.clone())
    }
    /// Returns kind and name of the object from `kubectl edit` that is in the editor; `None` if the editor holds the person's manifest.
    pub(super) fn draft_title(&self) -> Option<Rc<str>> {
        let draft = &self.editing.as_ref()?.draft;
        Some(format!("{} {}", draft.kind.row().name, draft.name).into())
    }
    /// Returns the state of the text in the editor in a few words; empty if it was applied.
    pub(super) fn text_state(&self) -> &'static str {
        match (self.editing.is_some(), self.text == self.applied) {
            (true, false) => "edited, not saved",
            (true, true) => "kubectl edit: change it and save",
            (false, false) => "edited, not applied",
            (false, true) => self.overruled.applied().words(),
        }
    }
    /// Applies the editor's text, or saves the object that `kubectl edit` handed over.
    pub(super) fn apply_manifest(&mut self) {
        let text = self.text.clone();
        match self.end_editing() {
            Some(draft) => {
                let console = self.run.save(draft.clone(), &text);
                self.saving = Some(Saving { draft, text, console });
            }
            None => {
                self.applied = text;
                self.run.apply(&self.text);
            }
        }
    }
    /// Cancels the `kubectl edit` of an object, and of the objects that were to follow. While a person looks at the past no program is run for this, because a
    /// command there would replace what came later.
    pub(super) fn cancel_edit(&mut self) {
        let Some(draft) = self.end_editing() else { return };
        self.run.terminal.drop_drafts();
        if self.run.session.is_looking_back() {
            self.notify("Edit cancelled, no changes made.", None);
        } else {
            let original = draft.original.clone();
            self.run.save(draft, &original);
        }
    }
    /// Ends the edit of an object that `kubectl edit` handed over, and puts the person's manifest back into the editor. Returns the object; `None` if the
    /// editor held none.
    pub(super) fn end_editing(&mut self) -> Option<Draft> {
        let Editing { draft, text, applied } = self.editing.take()?;
        (self.text, self.applied) = (text, applied);
        Some(draft)
    }
    /// Opens the next object that `kubectl edit` hands over, or the last one again if the API server refused it.
    pub(super) fn take_draft(&mut self) {
        if let Some(Saving { draft, text, .. }) = self.refused() {
            self.edit(draft, text);
        } else if self.editing.is_none()
            && self.saving.is_none()
            && let Some(draft) = self.run.terminal.take_draft()
        {
            let text = draft.original.as_str().into();
            self.edit(draft, text);
        }
    }
    /// Returns the object that was saved in the editor, if the API server has refused it. Forgets the object if it was accepted or is unknown at this moment.
    fn refused(&mut self) -> Option<Saving> {
        let saving = self.saving.take()?;
        match self.run.cluster().console(saving.console).map(|console| console.exit()) {
            Some(None) => {
                self.saving = Some(saving);
                None
            }
            Some(Some(code)) if code != 0 && self.editing.is_none() => Some(saving),
            _ => None,
        }
    }
    fn edit(&mut self, draft: Draft, text: Rc<str>) {
        let applied = std::mem::replace(&mut self.applied, draft.original.as_str().into());
        let manifest = std::mem::replace(&mut self.text, text);
        self.editing = Some(Editing { draft, text: manifest, applied });
        self.show_pane(FocusTarget::Editor.pane());
    }
    /// Puts an example into the editor. A notice offers to restore text that was not applied.
    pub(super) fn take_example(&mut self, manifest: &'static str) {
        if let Some(title) = self.draft_title() {
            return self.notify(&format!("{title} is being edited: save it or cancel first."), None);
        }
        self.reveal(Pane::Desired);
        self.invite_pane(Pane::Desired);
        let is_example = examples().iter().any(|example| *example.manifest() == *self.text);
        let loses_text = self.text != self.applied && !is_example && *self.text != *manifest;
        let before = std::mem::replace(&mut self.text, manifest.into());
        if loses_text {
            self.replaced = Some(before);
            self.notify("The example has taken the place of text that was not applied.", Some(Offer::RestoreText));
        }
    }
    /// Puts replaced text back into the editor. Calling it again exchanges the two texts.
    pub(super) fn restore_text(&mut self) {
        if let Some(text) = self.replaced.take() {
            let place = self.editing.as_mut().map_or(&mut self.text, |editing| &mut editing.text);
            self.replaced = Some(std::mem::replace(place, text));
            self.show_pane(FocusTarget::Editor.pane());
        }
    }
    /// Puts text that an earlier visit did not apply back into the editor.
    pub(super) fn take_unapplied(&mut self, text: String) {
        if *text != *self.text {
            self.replaced = Some(std::mem::replace(&mut self.text, text.into()));
            self.notify("Text that you had not applied is back in the editor.", Some(Offer::RestoreText));
        }
    }
}
