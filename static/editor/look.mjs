// The editor's looks, in the page's own design tokens: custom properties reach into the shadow root, so both themes follow by themselves.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const ink = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.content, tags.string, tags.special(tags.string), tags.attributeValue, tags.number, tags.bool], color: "var(--ok)" },
  { tag: [tags.comment, tags.meta, tags.documentMeta, tags.separator, tags.punctuation], color: "var(--text-soft)" },
  { tag: [tags.keyword, tags.typeName, tags.labelName], color: "var(--diff)" },
]);

export const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent", fontSize: "var(--size-small)" },
  "&.cm-focused": { outline: "none" },
  // Over everything inside, the gutter included, which would hide an outline.
  "&.cm-focused::after": { content: '""', position: "absolute", inset: "0", zIndex: "250", border: "2px solid var(--accent)", pointerEvents: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "var(--space-1) 0 var(--space-4)", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 var(--space-4) 0 var(--space-1)" },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--wait-fill)" },
  ".cm-gutters": { backgroundColor: "var(--bg)", border: "0", color: "var(--text-soft)" },
  ".cm-gutter-lint": { width: "1rem" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0.15rem 0 0 0.15rem" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "1.75rem", padding: "0 var(--space-2) 0 0" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--surface-strong) 55%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--ok-fill)", outline: "1px solid var(--ok)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-fill)", outline: "1px solid var(--bad)" },
  ".cm-tooltip": {
    maxWidth: "min(26rem, 90vw)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    backgroundColor: "var(--bg)",
    boxShadow: "0 4px 16px var(--shadow)",
    color: "var(--text)",
    fontSize: "var(--size-small)",
  },
  ".cm-tooltip-hover, .cm-tooltip:has(> .help)": { fontFamily: "var(--font)" },
  ".help": { padding: "var(--space-2) var(--space-3)" },
  ".help p": { margin: "var(--space-1) 0 0" },
  ".help strong": { fontFamily: "var(--mono)", fontWeight: "600", overflowWrap: "anywhere" },
  ".detail": { color: "var(--text-soft)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "var(--space-1) var(--space-2)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionDetail": { color: "var(--text-soft)", fontStyle: "normal", marginLeft: "var(--space-3)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": { padding: "var(--space-2) var(--space-3)", fontFamily: "var(--font)" },
  ".cm-diagnostic": { padding: "var(--space-2) var(--space-3)", fontFamily: "var(--font)" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--warn)" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--surface-strong)" },
  ".cm-panel.cm-panel-lint ul [aria-selected] u, .cm-panel.cm-panel-lint button": { color: "inherit" },
});
