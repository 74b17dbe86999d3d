// The manifest's editor: CodeMirror in a shadow root. It knows nothing about Kubernetes; what it completes, explains and marks comes from the page.
//
// It is a bundle of its own, made by scripts/finish.mjs and fetched after the first paint. Inside a shadow root CodeMirror keeps its styles in
// adopted style sheets, which the page's strict policy allows.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { besideList, completionSource, hoverHelp, keyHelp } from "./assist.mjs";
import { languageFor } from "./language.mjs";
import { look } from "./look.mjs";

/** Marks text that was set from outside, which is no news to the page. */
const fromOutside = Annotation.define();

const HINT = "Tab indents once you have typed. Press Escape, then Tab, to leave. Control and Space completes, F1 explains the field.";

/**
 * Puts an editor into `host`.
 * @param {Element} host an element without a shadow root
 * @param {object} ways `text`; `label`; `onChange(text)`; `onApply()`; `complete(text, at)` and `hover(text, at)`, which answer with plain data
 */
export function mount(host, { text, label = "Manifest", onChange, onApply, complete, hover }) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const hint = document.createElement("p");
  hint.id = "hint";
  hint.hidden = true;
  hint.textContent = HINT;
  root.append(hint);
  const memory = { text };
  const state = EditorState.create({
    doc: text,
    extensions: [
      Prec.high(keymap.of([{ key: "Mod-Enter", run: () => (onApply(), true) }])),
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      indentUnit.of("  "),
      EditorState.tabSize.of(4),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      languageFor(text),
      look,
      overThePage(root),
      autocompletion({ override: [completionSource(complete)], icons: false, maxRenderedOptions: 80, positionInfo: besideList }),
      hoverHelp(hover),
      keyHelp(hover),
      tabKeys(),
      EditorView.domEventHandlers({ beforeinput: replaceSelection }),
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "hint", tabindex: "0", autocapitalize: "off", autocorrect: "off", spellcheck: "false" }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged || update.transactions.some((one) => one.annotation(fromOutside))) return;
        memory.text = update.state.doc.toString();
        onChange(memory.text);
      }),
    ],
  });
  const view = new EditorView({ state, root, parent: root });
  keepCursorInSight(view, host);
  return handle(view, memory);
}

/**
 * Lists and help lie over the whole page: the pane of the editor clips what is in it, and so does its scrolling. They stay in the same shadow root,
 * where the editor's attributes can refer to them, but in the browser's top layer.
 */
function overThePage(root) {
  const layer = document.createElement("div");
  if (!layer.showPopover) return [];
  layer.popover = "manual";
  layer.className = "tooltip-layer";
  Object.assign(layer.style, { position: "fixed", inset: "0 auto auto 0", width: "0", height: "0", margin: "0", padding: "0", border: "0", overflow: "visible", background: "none" });
  root.append(layer);
  layer.showPopover();
  return tooltips({ position: "fixed", parent: layer });
}

/** What comes and goes below the editor changes its height, which must not hide the line that is being written. */
function keepCursorInSight(view, host) {
  new ResizeObserver(() => {
    if (view.hasFocus) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { y: "nearest", yMargin: 24 }) });
  }).observe(host);
}

function handle(view, memory) {
  const inside = (place) => Math.min(Math.max(place, 0), view.state.doc.length);
  return {
    /** Replaces the text, unless it is the same. The change can be undone. */
    setText(text) {
      // Line breaks are kept in one way only, so the text is also compared with what the page knows.
      if (text === memory.text || text === view.state.doc.toString()) return;
      memory.text = text;
      const change = difference(view.state.doc.toString(), view.state.toText(text).toString());
      const cursor = view.state.selection.main.head;
      const isInside = cursor > change.from && cursor < change.to;
      view.dispatch({
        changes: change,
        selection: isInside ? { anchor: change.from } : undefined,
        // One step back leads to the text before, whatever was typed a moment ago.
        annotations: [fromOutside.of(true), isolateHistory.of("full")],
        scrollIntoView: true,
      });
    },
    /** Marks problems: a list of `from`, `to`, `severity`, `message`. */
    setDiagnostics(problems) {
      const marks = problems.map(({ from, to, severity, message }) => ({ from: inside(from), to: inside(to), severity, message }));
      view.dispatch(setDiagnostics(view.state, marks));
    },
    /** Goes to a place. */
    show(place) {
      view.dispatch({ selection: { anchor: inside(place) }, effects: EditorView.scrollIntoView(inside(place), { y: "center" }) });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** The one stretch in which two texts differ, so that the cursor stays where it is elsewhere. */
function difference(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/**
 * Text typed over a selection, a tab from an input method, a selection deleted from a menu. Left to itself, Chromium edits the page with inline
 * styles, which the page's policy refuses with a complaint.
 */
function replaceSelection(event, view) {
  const isDeletion = event.inputType.startsWith("delete");
  const data = isDeletion ? "" : event.data;
  if (event.isComposing || (!isDeletion && (event.inputType !== "insertText" || !data))) return false;
  const { from, to } = selected(view);
  if (from === to && !/[\t\n]/.test(data)) return false;
  const insert = () => {
    const text = view.state.toText(data);
    const userEvent = isDeletion ? "delete.selection" : "input.type";
    return view.state.update({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent, scrollIntoView: true });
  };
  const handled = !isDeletion && view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, data, insert));
  if (!handled) view.dispatch(insert());
  return true;
}

/** The browser's own selection, which may be a step ahead of the editor's. */
function selected(view) {
  const { anchorNode, anchorOffset, focusNode, focusOffset } = view.root.getSelection?.() ?? {};
  if (!view.contentDOM.contains(anchorNode ?? null) || !view.contentDOM.contains(focusNode)) return view.state.selection.main;
  const [from, to] = [view.posAtDOM(anchorNode, anchorOffset), view.posAtDOM(focusNode, focusOffset)].sort((a, b) => a - b);
  return { from, to };
}

/**
 * Tab indents for whoever is typing, and moves on for whoever is only passing: nobody is caught in the editor.
 * From the first change on Tab indents; after Escape, or once the editor was left, it moves on again.
 */
function tabKeys() {
  let typing = false;
  const whileTyping = (command) => (view) => typing && command(view);
  return [
    EditorView.updateListener.of((update) => {
      if (update.docChanged && update.transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete"))) typing = true;
    }),
    EditorView.domEventHandlers({ blur: () => void (typing = false) }),
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      { key: "Tab", run: whileTyping(indentMore), shift: whileTyping(indentLess) },
      { key: "Escape", run: () => (typing = false) },
    ]),
  ];
}

/**
 * Connects an editor with the page; boot.js calls it. `tell(report)` hears of changes and of the wish to apply, `ask(question)` answers with plain
 * data. src/ui/desired/assistance.rs has both as types.
 */
export function connect(host, text, tell, ask) {
  return mount(host, {
    text,
    onChange: (now) => tell({ kind: "edit", text: now }),
    onApply: () => tell({ kind: "apply" }),
    complete: (now, at) => ask({ kind: "complete", text: now, at }),
    hover: (now, at) => ask({ kind: "hover", text: now, at }) ?? null,
  });
}
