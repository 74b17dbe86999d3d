//! Reads objects: get, list and the beginning of a watch, with selectors, pages and old revisions.

use super::{ApiServer, Outcome, Work, continue_token};
use crate::api::object::Object;
use crate::api::request::{Answer, Listing, ReadAt, Request};
use crate::api::selector::{FieldSelector, Selection, Selector};
use crate::api::status::{Cause, Reason, Status};
use crate::store::{Change, Filter};
use std::sync::Arc;

/// Parses the selectors of a list, a watch or a deletion of a collection.
pub(super) fn selection(request: &Request) -> Result<Selection, Status> {
    let Some(options) = request.options.as_deref() else {
        return Ok(Selection { namespace: request.namespace.clone(), ..Selection::default() });
    };
    let labels = match options.label_selector.as_str() {
        "" => None,
        text => Some(Selector::parse(text).map_err(|e| Status::bad_request(e.to_string()))?),
    };
    let fields = match options.field_selector.as_str() {
        "" => None,
        text => {
            let fields = FieldSelector::parse(text).map_err(Status::bad_request)?;
            if let Some(refusal) = fields.terms.iter().find_map(|t| refuse_field(request, &t.0)) {
                return Err(Status::bad_request(refusal));
            }
            Some(fields)
        }
    };
    Ok(Selection { namespace: request.namespace.clone(), labels, fields })
}

/// The kinds that define which fields can select their objects. Counterpart: the calls of `AddFieldLabelConversionFunc`.
const OWN_FIELDS: [&str; 8] = ["pods", "nodes", "replicationcontrollers", "events", "namespaces", "secrets", "services", "jobs"];

/// Returns the error for a field selector that the kind does not support; `None` if it does.
fn refuse_field(request: &Request, field: &str) -> Option<String> {
    let row = request.kind.row();
    let known = field == "metadata.name" || (field == "metadata.namespace" && row.namespaced);
    if row.definition.is_none() && !OWN_FIELDS.contains(&row.plural) {
        let known = known || field == "metadata.namespace";
        return (!known).then(|| format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""));
    }
    let defined = row.definition.is_some_and(|d| d.selectable.iter().any(|own| own == field));
    let known = known || defined || row.fields.iter().any(|(name, _)| *name == field);
    let refusal = || match row.plural {
        "jobs" => format!("field label {field:?} not supported for Job"),
        _ => format!("field label not supported: {field}"),
    };
    (!known).then(refusal)
}

impl ApiServer {
    /// Returns the filter of a watch, and the changes since the revision at which it begins.
    pub fn watch(&self, request: &Request) -> Result<(Filter, Vec<Change>), Status> {
        let filter = Filter::Selected(Arc::new(selection(request)?));
        let since = match request.options.as_deref().map(|o| o.at) {
            Some(ReadAt::Exact(revision) | ReadAt::NotOlderThan(revision)) => revision,
            _ => self.store.revision(),
        };
        let missed = self
            .store
            .changes_since(since)
            .map_err(|compacted| Status::new(Reason::Expired, format!("too old resource version: {since} ({})", compacted.oldest)))?;
        let missed = missed.filter(|c| c.object.kind() == request.kind).cloned().collect();
        Ok((filter, missed))
    }
    /// Refuses to read at a revision that is still to come. The real server waits three seconds for it.
    fn reach(&self, at: ReadAt) -> Result<(), Status> {
        let ReadAt::NotOlderThan(revision) = at else { return Ok(()) };
        if revision <= self.store.revision() {
            return Ok(());
        }
        let message = format!("Timeout: Too large resource version: {revision}, current: {}", self.store.revision());
        let cause =
            Cause { reason: "ResourceVersionTooLarge".to_owned(), message: "Too large resource version".to_owned(), field: String::new() };
        Err(Status::new(Reason::Timeout, message).with(|s| {
            s.retry_after_seconds = Some(1);
            s.causes = vec![cause];
        }))
    }
    pub(super) fn get(&mut self, work: &mut Work) -> Outcome {
        self.reach(work.options.at)?;
        Ok(Answer::Object { object: self.current(work.request)?, created: false })
    }
    pub(super) fn list(&mut self, work: &mut Work) -> Outcome {
        let request = work.request;
        let selection = selection(request)?;
        let (namespace, limit) = (request.namespace.as_str(), work.options.limit);
        let (from, token_revision) = match work.options.continue_token.as_str() {
            "" => (None, None),
            token => {
                let (revision, key) = continue_token::read(token, namespace)
                    .map_err(|problem| Status::bad_request(format!("invalid continue token: {problem}")))?;
                if !matches!(work.options.at, ReadAt::Latest | ReadAt::NotOlderThan(0)) {
                    return Err(Status::bad_request("specifying resource version is not allowed when using continue"));
                }
                (Some(key), Some(revision).filter(|revision| *revision > 0))
            }
        };
        let wanted = token_revision.or(match work.options.at {
            ReadAt::Exact(revision) => Some(revision),
            _ => None,
        });
        self.reach(work.options.at)?;
        let revision = wanted.unwrap_or(self.store.revision());
        let mut items: Vec<Arc<Object>> = if revision == self.store.revision() {
            self.store.range(request.kind, namespace, from.as_ref()).filter(|o| selection.matches(o)).cloned().collect()
        } else {
            let mut old = self.store.range_at(request.kind, namespace, revision).map_err(|_| expired())?;
            old.retain(|o| selection.matches(o) && from.as_ref().is_none_or(|from| o.key() >= *from));
            old
        };
        let remaining = if limit == 0 { 0 } else { items.len().saturating_sub(limit) };
        items.truncate(items.len() - remaining);
        let next = items.last().filter(|_| remaining > 0).map(|o| continue_token::write(revision, &o.key(), namespace));
        Ok(Answer::List(Box::new(Listing { items, revision, continue_token: next.unwrap_or_default(), remaining })))
    }
}

fn expired() -> Status {
    Status::new(
        Reason::Expired,
        "The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.",
    )
}
