// Completion and help, drawn: the words come from the page.
import { startCompletion } from "@codemirror/autocomplete";
import { StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip } from "@codemirror/view";

/** A source for `autocompletion` that asks `complete(text, at)` for `{from, to, items}`, the best first. */
export function completionSource(complete) {
  return (context) => {
    const typed = context.matchBefore(/[\w.\/-]+/);
    if (!context.explicit && !typed) return null;
    const found = complete(context.state.doc.toString(), context.pos);
    if (!found?.items.length) return null;
    const options = found.items.map(({ label, detail, info, apply }, place) => ({
      label,
      detail,
      info: info || undefined,
      boost: 99 - Math.min(place, 198),
      apply: (view) => take(view, found, apply),
    }));
    // A choice is taken from the list until the word ends; then the page is asked again.
    return { from: found.from, options, validFor: /^[\w.\/-]*$/ };
  };
}

/** Where the help of a choice stands: beside the list, or where there is no room, on the side of it that the cursor is not. */
export function besideList(view, list, option, info, space) {
  const room = space.right - list.right;
  if (room > 200) return { style: `left: 100%; top: ${Math.max(0, option.top - list.top)}px; width: max-content; max-width: ${Math.min(room, 280)}px` };
  const cursor = view.coordsAtPos(view.state.selection.main.head);
  const side = cursor && cursor.top > list.top ? "bottom" : "top";
  return { style: `left: 0; ${side}: 100%; width: max-content; max-width: ${list.right - list.left}px` };
}

function take(view, { from, to }, text) {
  const head = view.state.selection.main.head;
  // What was typed since the list was made belongs to the word too.
  const end = Math.max(to, head);
  view.dispatch({ changes: { from, to: end, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.complete", scrollIntoView: true });
  if (/[\s]$/.test(text)) startCompletion(view);
}

/** Help at the pointer, from `hover(text, at)`: `{from, to, title, detail, help}` or null. */
export function hoverHelp(hover) {
  return hoverTooltip((view, at) => {
    const found = hover(view.state.doc.toString(), at);
    return found && tooltip(found);
  });
}

const setHelp = StateEffect.define();

/** The same help at the cursor, by F1; read out to those who listen. */
export function keyHelp(hover) {
  const field = StateField.define({
    create: () => null,
    update(value, transaction) {
      for (const effect of transaction.effects) if (effect.is(setHelp)) return effect.value;
      return transaction.docChanged || transaction.selection ? null : value;
    },
    provide: (self) => showTooltip.from(self),
  });
  const open = (view) => {
    const found = hover(view.state.doc.toString(), view.state.selection.main.head);
    const words = found ? `${found.title}, ${found.detail}. ${found.help}` : "Nothing is known about this place.";
    view.dispatch({ effects: [setHelp.of(found && tooltip(found)), EditorView.announce.of(words)] });
    return true;
  };
  const close = (view) => {
    if (!view.state.field(field)) return false;
    view.dispatch({ effects: setHelp.of(null) });
    return true;
  };
  return [field, keymap.of([{ key: "F1", run: open }, { key: "Escape", run: close }])];
}

function tooltip({ from, to, title, detail, help }) {
  const create = () => {
    const dom = element("div", "help");
    dom.append(element("strong", "", title), " ", element("span", "detail", detail));
    if (help) dom.append(element("p", "", help));
    return { dom };
  };
  return { pos: from, end: to, above: true, create };
}

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
