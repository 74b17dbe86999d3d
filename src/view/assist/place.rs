//! Finds the field that a position in the text belongs to. Only indentation, dashes and colons count, line by line, because the text around a cursor
//! is rarely complete YAML.

use crate::api::schema::{self, FieldInfo, Kind, SchemaRef, Shape};
use crate::view::paint::{comment_start, key_end};

/// A dash or a key of a manifest.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'t> {
    /// The column of the entry's first character, from 0.
    pub column: usize,
    /// The byte offset of the entry in the text.
    pub at: usize,
    /// The content of the entry: a dash or a key.
    pub what: What<'t>,
    /// The index of the entry that contains this one; `None` at the top of the document.
    pub parent: Option<usize>,
}

/// The content of an entry: a dash or a key.
#[derive(Clone, Copy, Debug)]
pub enum What<'t> {
    /// The dash before a list's item.
    Item,
    /// A key with the value that follows on its line, without white space around it and without a comment.
    Key {
        /// The name of the key, without quotes.
        name: &'t str,
        /// The byte offset of the colon after the key.
        colon: usize,
        /// The value that follows on the key's line; empty if there is none.
        value: &'t str,
    },
}

/// The YAML document around a position, as its dashes and keys.
pub struct Sheet<'t> {
    /// All dashes and keys, in the order of the text.
    pub entries: Vec<Entry<'t>>,
    /// The spot of the cursor, unless it is inside a comment or a block scalar.
    pub spot: Option<Spot>,
    root: Option<SchemaRef>,
}

/// The thing at the cursor, or the thing that could be written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A key, or an item of a list of plain values.
    Key {
        /// The index in [`Sheet::entries`] of the entry that contains the key; `None` at the top of the document.
        parent: Option<usize>,
        /// The byte offset at which the word at the cursor starts.
        from: usize,
        /// The byte offset at which the word at the cursor ends.
        to: usize,
        /// The column of the word at the cursor, from 0.
        column: usize,
        /// Set if a colon follows the word at the cursor.
        colon: bool,
        /// The index in [`Sheet::entries`] of the key of a list to which another item can be added at this column.
        list: Option<usize>,
    },
    /// The value of a key.
    Value {
        /// The index of the key in [`Sheet::entries`].
        entry: usize,
        /// The byte offset at which the value starts.
        from: usize,
        /// The byte offset at which the value ends.
        to: usize,
    },
}

/// A field, and the schema of the type that it belongs to.
pub type Field = (SchemaRef, &'static FieldInfo);

/// The schema of an entry: what the API allows at its place.
#[derive(Clone, Copy)]
pub enum Found {
    /// An object of a type, and the field that holds it, unless it is the root.
    Object(SchemaRef, Option<Field>),
    /// A field that holds a list, a map or a plain value.
    Holds(Field, Shape),
}

impl Found {
    /// Returns the field at which the entry stands; `None` for the root object.
    pub fn field(self) -> Option<Field> {
        match self {
            Found::Object(_, field) => field,
            Found::Holds(field, _) => Some(field),
        }
    }
    /// Returns the schema of a list's items; `None` if the entry is no list.
    pub fn item(self) -> Option<Found> {
        match self {
            Found::Holds(field, Shape::List) => Found::land(field, Shape::One),
            _ => None,
        }
    }
    fn key(self, name: &str) -> Option<Found> {
        match self {
            Found::Object(schema, _) => {
                let info = schema.field(name)?;
                Found::land((schema, info), info.shape)
            }
            Found::Holds(field, Shape::Map) => Found::land(field, Shape::One),
            Found::Holds(..) => None,
        }
    }
    fn land(field: Field, shape: Shape) -> Option<Found> {
        match (field.1.kind, shape) {
            (Kind::Schema(name), Shape::One) => Some(Found::Object(schema::schema(name)?, Some(field))),
            _ => Some(Found::Holds(field, shape)),
        }
    }
}

impl<'t> Sheet<'t> {
    /// Reads the YAML document around a byte offset of a manifest.
    pub fn around(text: &'t str, at: usize) -> Sheet<'t> {
        let (start, end) = bounds(text, at);
        let mut reader = Reader { at, entries: Vec::new(), open: Vec::new(), spot: None, block: None };
        let mut offset = start;
        for line in text.get(start..end).unwrap_or("").split_inclusive('\n') {
            reader.line(line.trim_end_matches(['\n', '\r']), offset);
            offset += line.len();
        }
        if at == offset && (start == end || text.ends_with('\n')) {
            reader.line("", offset);
        }
        let mut sheet = Sheet { entries: reader.entries, spot: reader.spot, root: None };
        let (api_version, kind) = (sheet.top("apiVersion"), sheet.top("kind"));
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        sheet.root = if kind.is_empty() { None } else { schema::schema_of(group, version, kind) };
        sheet
    }
    /// Returns the value of a key at the top of the document; empty if there is none.
    pub fn top(&self, key: &str) -> &'t str {
        let value = self.entries.iter().find_map(|entry| match entry.what {
            What::Key { name, value, .. } if entry.parent.is_none() && name == key => Some(value),
            _ => None,
        });
        value.unwrap_or("").trim_matches(['"', '\''])
    }
    /// Returns the schema of the entry with this index, or of the whole object for `None`.
    pub fn resolve(&self, entry: Option<usize>) -> Option<Found> {
        let Some(index) = entry else { return self.root.map(|schema| Found::Object(schema, None)) };
        let entry = self.entries.get(index)?;
        // A parent always comes before its children, so the recursion ends.
        let around = self.resolve(entry.parent)?;
        match entry.what {
            What::Item => around.item(),
            What::Key { name, .. } => around.key(name),
        }
    }
    /// Returns the names of the keys directly below an entry, except for the key at the byte offset `but_at`.
    pub fn keys_under(&self, parent: Option<usize>, but_at: usize) -> Vec<&'t str> {
        let keys = self.entries.iter().filter(|entry| entry.parent == parent && entry.at != but_at);
        keys.filter_map(|entry| match entry.what {
            What::Key { name, .. } => Some(name),
            What::Item => None,
        })
        .collect()
    }
    /// Returns the path of an entry: `spec.containers[].image`.
    pub fn path(&self, index: usize) -> String {
        let mut names = Vec::new();
        let mut next = self.entries.get(index);
        while let Some(entry) = next {
            names.push(match entry.what {
                What::Item => "[]",
                What::Key { name, .. } => name,
            });
            next = entry.parent.and_then(|parent| self.entries.get(parent));
        }
        let mut path = String::new();
        for name in names.iter().rev() {
            if !path.is_empty() && *name != "[]" {
                path.push('.');
            }
            path.push_str(name);
        }
        path
    }
}

/// Returns the byte offsets between which the YAML document around a position lies: from after the last line `---` before it to the next one.
fn bounds(text: &str, at: usize) -> (usize, usize) {
    let (mut start, mut end, mut offset) = (0, text.len(), 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            if offset + line.len() <= at {
                start = offset + line.len();
            } else {
                end = offset;
                break;
            }
        }
        offset += line.len();
    }
    (start, end.max(start))
}

struct Reader<'t> {
    at: usize,
    entries: Vec<Entry<'t>>,
    /// The indices of the entries that can still get children, outermost first.
    open: Vec<usize>,
    spot: Option<Spot>,
    /// The column of the key whose block scalar is being read: lines indented further belong to the scalar.
    block: Option<usize>,
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: &'t str, offset: usize) {
        let here = offset <= self.at && self.at <= offset + line.len();
        let code = line.get(..comment_start(line)).unwrap_or(line);
        let indent = line.len() - line.trim_start().len();
        if let Some(column) = self.block {
            if line.trim().is_empty() || indent > column {
                return;
            }
            self.block = None;
        }
        let mut column = indent.min(code.len());
        let mut rest = code.get(column..).unwrap_or("");
        while rest == "-" || rest.starts_with("- ") {
            self.push(Entry { column, at: offset + column, what: What::Item, parent: None });
            let inner = rest.get(1..).unwrap_or("").trim_start();
            column += rest.len() - inner.len();
            rest = inner;
        }
        let key = if rest.starts_with(['{', '[', '#', '|', '>']) { None } else { key_end(rest) };
        if here && self.at <= offset + code.len() {
            self.find_spot(line, offset, column, rest, key);
        }
        let Some(end) = key else { return };
        let value = rest.get(end + 1..).unwrap_or("").trim();
        let name = rest.get(..end).unwrap_or("").trim_matches(['"', '\'']);
        let quote = usize::from(rest.starts_with(['"', '\'']));
        self.push(Entry {
            column,
            at: offset + column + quote,
            what: What::Key { name, colon: offset + column + end, value },
            parent: None,
        });
        if value.starts_with(['|', '>']) {
            self.block = Some(column);
        }
    }
    fn find_spot(&mut self, line: &str, offset: usize, column: usize, rest: &str, key: Option<usize>) {
        let begin = offset + column;
        if let Some(colon) = key.map(|end| begin + end).filter(|colon| self.at > *colon) {
            let behind = rest.get(colon + 1 - begin..).unwrap_or("");
            let value = behind.trim();
            let from = colon + 1 + behind.len() - behind.trim_start().len();
            // The key itself will be the next entry.
            let (from, to) = if value.is_empty() { (self.at, self.at) } else { (from.min(self.at), (from + value.len()).max(self.at)) };
            self.spot = Some(Spot::Value { entry: self.entries.len(), from, to });
            return;
        }
        let blank = rest.trim().is_empty();
        let before = self.at < begin;
        // On an empty line the cursor's column is the column of the key to come.
        let dashes = line.trim_start().starts_with('-');
        let column = if blank && (!dashes || before) { self.at - offset } else { column.max(if blank { self.at - offset } else { 0 }) };
        if before && !blank {
            return;
        }
        let from = offset + column;
        let word = rest.get(..key.unwrap_or(rest.len())).unwrap_or("").trim_end();
        let to = if blank { self.at } else { (from + word.len()).max(self.at) };
        let (parent, list) = self.parent_at(column, dashes);
        self.spot = Some(Spot::Key { parent, from: from.min(self.at), to, column, colon: key.is_some(), list });
    }
    /// Returns the indices of the entry to which a key at a column would belong, and of the list to which an item could be added there.
    fn parent_at(&self, column: usize, after_dash: bool) -> (Option<usize>, Option<usize>) {
        let (mut parent, mut list) = (None, None);
        for index in self.open.iter().rev() {
            let Some(entry) = self.entries.get(*index) else { break };
            if entry.column < column {
                parent = Some(*index);
                break;
            }
            if entry.column == column && matches!(entry.what, What::Item) && !after_dash {
                list = entry.parent;
            }
        }
        (parent, list)
    }
    fn push(&mut self, mut entry: Entry<'t>) {
        let is_item = matches!(entry.what, What::Item);
        while let Some(last) = self.open.last().and_then(|index| self.entries.get(*index)) {
            // The dashes of a list may have the same indentation as the key they belong to.
            let holds = last.column < entry.column || last.column == entry.column && is_item && matches!(last.what, What::Key { .. });
            if holds {
                break;
            }
            self.open.pop();
        }
        entry.parent = self.open.last().copied();
        self.open.push(self.entries.len());
        self.entries.push(entry);
    }
}
