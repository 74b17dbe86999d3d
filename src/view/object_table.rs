//! All objects of a kind as a table, with the columns of `kubectl get`: filtered, sorted, and with a limited number of rows.

use super::cluster::Health;
use super::kinds;
use super::menus;
use super::run::Run;
use super::selection::Subject;
use crate::api::kind::{Column, Kind};
use crate::api::meta::Uid;
use crate::api::object::Object;
use crate::api::order::Order;
use crate::api::time::Time;
use crate::kubectl;
use arcstr::ArcStr;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

/// The maximum number of rows that are drawn.
pub const MOST_ROWS: usize = 300;
/// The maximum number of objects that can be sorted by a column. If there are more, the table shows the first ones by name.
pub const MOST_SORTED: usize = 5_000;

/// A person's choices for the table of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSelection {
    /// The kind whose objects are listed.
    pub kind: Kind,
    /// The namespace whose objects are listed; `None` for all namespaces.
    pub namespace: Option<ArcStr>,
    /// The words that the cells of the listed objects contain.
    pub text: String,
    /// The index of the column by which objects are sorted, and `true` for the reverse order; `None` sorts by namespace and name.
    pub sort: Option<(usize, bool)>,
    /// Set if the columns of `-o wide` are shown.
    pub wide: bool,
    /// Set if Leases are among the kinds that can be chosen.
    pub leases: bool,
    /// The object whose row has the keyboard focus.
    pub row: Option<Subject>,
}

impl Default for TableSelection {
    fn default() -> TableSelection {
        TableSelection { kind: Kind::POD, namespace: None, text: String::new(), sort: None, wide: false, leases: false, row: None }
    }
}

impl TableSelection {
    /// Lists the objects of another kind, whose columns are different.
    pub fn turn_to(&mut self, kind: Kind) {
        if kind != self.kind {
            (self.kind, self.sort, self.row) = (kind, None, None);
        }
    }
    /// Lists the objects of one namespace; for `None` the objects of all namespaces, for which the table has one more column.
    pub fn set_namespace(&mut self, namespace: Option<ArcStr>) {
        if namespace.is_some() != self.namespace.is_some() {
            self.sort = None;
        }
        self.namespace = namespace;
    }
    /// Shows or hides Leases among the kinds that can be chosen.
    pub fn toggle_leases(&mut self) {
        self.leases = !self.leases;
        if !self.leases && self.kind.row().is_heartbeat {
            self.turn_to(Kind::POD);
        }
    }
    /// Shows or hides the columns of `-o wide`.
    pub fn toggle_wide(&mut self) {
        (self.wide, self.sort) = (!self.wide, None);
    }
    /// Sorts by the column with this index; the second time in reverse order, the third time by name again.
    pub fn sort_by(&mut self, column: usize) {
        self.sort = match self.sort {
            Some((same, false)) if same == column => Some((column, true)),
            Some((same, true)) if same == column => None,
            _ => Some((column, false)),
        };
    }
}

/// The table of all objects of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectTable {
    /// The person's choices for the table.
    pub selection: TableSelection,
    /// The kinds that can be chosen, with the number of objects of each.
    pub kinds: Rc<Vec<(Kind, usize)>>,
    /// The namespaces that can be chosen; empty for kinds without namespaces.
    pub namespaces: Rc<Vec<ArcStr>>,
    /// The names of the columns, as kubectl writes them.
    pub columns: Vec<String>,
    /// The rows that are drawn.
    pub rows: Vec<Rc<TableRow>>,
    /// The number of objects that match the filters.
    pub fitting: usize,
    /// Set if too many objects match the filters to be sorted by a column.
    pub is_unsorted: bool,
    /// The index of the row that has the keyboard focus.
    pub current: usize,
    /// The moment and the revision of the store for which the table was made.
    made_for: (Time, u64),
}

impl Default for ObjectTable {
    fn default() -> ObjectTable {
        ObjectTable {
            selection: TableSelection::default(),
            kinds: Rc::default(),
            namespaces: Rc::default(),
            columns: Vec::new(),
            rows: Vec::new(),
            fitting: 0,
            is_unsorted: false,
            current: 0,
            made_for: (Time(-1), 0),
        }
    }
}

/// A row of the table: one object.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// The object's kind, namespace and name.
    pub subject: Subject,
    /// The object's uid, by which it differs from an earlier object with the same name.
    pub uid: Uid,
    /// The cells of the row.
    pub cells: Vec<String>,
    /// The object's health, for kinds that have one.
    pub health: Option<Health>,
    /// The effect that runs `kubectl logs`, for objects with logs.
    pub logs: Option<menus::Effect>,
}

impl ObjectTable {
    /// Returns the number of rows as text: `3 pods`, or `first 300 of 12,000 pods; filter to see the others`.
    pub fn words(&self) -> String {
        let number = super::cluster::number;
        let row = self.selection.kind.row();
        let name = if self.fitting == 1 { row.singular } else { row.plural };
        let mut words = match self.fitting > self.rows.len() {
            true => format!("first {} of {} {name}; filter to see the others", number(self.rows.len()), number(self.fitting)),
            false => format!("{} {name}", number(self.fitting)),
        };
        if self.is_unsorted {
            words.push_str(&format!("; sorted by name only, as there are more than {}", number(MOST_SORTED)));
        }
        words
    }
}

/// An object that matches the filters, with its cells.
struct Found<'a> {
    object: &'a Arc<Object>,
    cells: Vec<String>,
}

/// Makes the table, or returns the last one if nothing has changed.
pub fn object_table(run: &Run, wanted: &TableSelection, last: &ObjectTable) -> ObjectTable {
    let cluster = run.cluster();
    let (store, now) = (&cluster.api.store, cluster.now);
    let made_for = (now, store.revision());
    if last.made_for == made_for && last.selection == *wanted {
        return last.clone();
    }
    let row = wanted.kind.row();
    let namespace = wanted.namespace.as_ref().filter(|_| row.namespaced);
    let with_namespace = row.namespaced && namespace.is_none();
    let shown: Vec<(usize, &Column)> = row.columns.iter().enumerate().filter(|(_, column)| wanted.wide || !column.wide).collect();
    let cells = |object: &Object| -> Vec<String> {
        let all = (row.cells)(object, now);
        let namespace = with_namespace.then(|| object.meta.namespace.to_string());
        namespace.into_iter().chain(shown.iter().map(|(i, _)| all.get(*i).map(kubectl::cell).unwrap_or_default())).collect()
    };
    let words: Vec<String> = wanted.text.split_whitespace().map(str::to_ascii_lowercase).collect();
    let is_in = |object: &&Arc<Object>| namespace.is_none_or(|namespace| object.meta.namespace == *namespace);
    let mut found: Vec<Found> = Vec::new();
    for object in store.all(wanted.kind).filter(is_in) {
        // Cells cost more than names, so they are made only if the filter needs them.
        let cells = if words.is_empty() { Vec::new() } else { cells(object) };
        let has = |word: &String| cells.iter().any(|cell| cell.to_ascii_lowercase().contains(word.as_str()));
        if words.iter().all(has) {
            found.push(Found { object, cells });
        }
    }
    let fitting = found.len();
    let sort = wanted.sort.filter(|_| fitting <= MOST_SORTED);
    let by_name = |a: &Found, b: &Found| name_of(a.object).cmp(&name_of(b.object));
    if let Some((column, is_reversed)) = sort {
        found.iter_mut().filter(|f| f.cells.is_empty()).for_each(|f| f.cells = cells(f.object));
        let is_age = shown.get(column - usize::from(with_namespace && column > 0)).is_some_and(|(_, c)| c.name == "Age")
            && !(with_namespace && column == 0);
        found.order_by(|a, b| {
            let order = if is_age { b.object.meta.created.cmp(&a.object.meta.created) } else { compare(cell(a, column), cell(b, column)) };
            (if is_reversed { order.reverse() } else { order }).then_with(|| by_name(a, b))
        });
    } else {
        if fitting > MOST_ROWS {
            found.select_nth_unstable_by(MOST_ROWS, by_name);
            found.truncate(MOST_ROWS);
        }
        found.order_by(by_name);
    }
    found.truncate(MOST_ROWS);
    let made = found.into_iter().map(|f| table_row(f.object, if f.cells.is_empty() { cells(f.object) } else { f.cells }));
    let rows = kept(made, last);
    let current = wanted.row.as_ref().and_then(|subject| rows.iter().position(|row| row.subject == *subject));
    ObjectTable {
        kinds: Rc::new(kinds_of(run, wanted)),
        namespaces: Rc::new(if row.namespaced {
            store.range(Kind::NAMESPACE, "", None).map(|o| o.meta.name.clone()).collect()
        } else {
            Vec::new()
        }),
        columns: with_namespace
            .then(|| "NAMESPACE".to_owned())
            .into_iter()
            .chain(shown.iter().map(|(_, c)| c.name.to_ascii_uppercase()))
            .collect(),
        fitting,
        is_unsorted: wanted.sort.is_some() && sort.is_none(),
        // If the focused row is gone, take the row that has taken its place.
        current: current.unwrap_or(if wanted.row.is_some() { last.current.min(rows.len().saturating_sub(1)) } else { 0 }),
        rows,
        selection: wanted.clone(),
        made_for,
    }
}

/// Returns the kinds that can be chosen: Pods and kinds with a pod template first. Events have a tab of their own.
fn kinds_of(run: &Run, wanted: &TableSelection) -> Vec<(Kind, usize)> {
    let api = &run.cluster().api;
    let is_offered = |kind: &Kind| !kind.row().is_event_or_lease || kind.row().is_heartbeat && wanted.leases;
    let mut kinds: Vec<(Kind, usize)> = api.kinds.all().filter(is_offered).map(|kind| (kind, api.store.count(kind))).collect();
    let place = |kind: Kind| match (kind, kind.row().pod_spec.is_empty()) {
        (Kind::POD, _) => 0,
        (_, false) => 1,
        _ => 2,
    };
    kinds.order_by_key(|(kind, _)| (place(*kind), kind.row().rank, *kind));
    kinds
}

fn name_of(object: &Arc<Object>) -> (&ArcStr, &ArcStr) {
    (&object.meta.namespace, &object.meta.name)
}

fn cell<'a>(found: &'a Found, column: usize) -> &'a str {
    found.cells.get(column).map_or("", String::as_str)
}

fn table_row(object: &Arc<Object>, cells: Vec<String>) -> TableRow {
    let subject = Subject { kind: object.kind(), key: object.key() };
    let logs = menus::logs(&subject, object);
    TableRow { uid: object.meta.uid, health: (kinds::of(object.kind()).state)(object).0, logs, cells, subject }
}

/// Returns the rows of the table; those that look as before stay the same pointers, so that they are not drawn again.
fn kept(rows: impl Iterator<Item = TableRow>, last: &ObjectTable) -> Vec<Rc<TableRow>> {
    let same = |(place, row): (usize, TableRow)| match last.rows.get(place) {
        Some(before) if **before == row => before.clone(),
        _ => Rc::new(row),
    };
    rows.enumerate().map(same).collect()
}

/// Compares texts with the numbers in them as numbers: `2/3` before `10/10`, `web-2` before `web-10`.
fn compare(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (digits_a, digits_b) = (digits(a), digits(b));
        let order = match (digits_a, digits_b) {
            (0, 0) => {
                let (x, y) = (a.chars().next(), b.chars().next());
                if x.is_none() || y.is_none() {
                    return x.is_some().cmp(&y.is_some());
                }
                x.cmp(&y)
            }
            (0, _) | (_, 0) => return a.cmp(b),
            _ => {
                let (x, y) = (a[..digits_a].trim_start_matches('0'), b[..digits_b].trim_start_matches('0'));
                x.len().cmp(&y.len()).then_with(|| x.cmp(y))
            }
        };
        if order != Ordering::Equal {
            return order;
        }
        let after = |text: &str, digits: usize| if digits > 0 { digits } else { text.chars().next().map_or(0, char::len_utf8) };
        (a, b) = (&a[after(a, digits_a)..], &b[after(b, digits_b)..]);
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_are_compared_as_numbers() {
        for (less, more) in [("2/3", "10/10"), ("web-2", "web-10"), ("", "a"), ("1", "a"), ("007", "8"), ("3 (5s ago)", "12"), ("é", "ö")]
        {
            assert_eq!(
                (compare(less, more), compare(more, less), compare(less, less)),
                (Ordering::Less, Ordering::Greater, Ordering::Equal)
            );
        }
    }
}
