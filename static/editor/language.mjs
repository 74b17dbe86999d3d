// YAML in colours, as long as it is not nested beyond reason: Lezer's highlighter gives up on trees that are a thousand levels deep.
import { yaml } from "@codemirror/lang-yaml";
import { syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState } from "@codemirror/state";
import { ink } from "./look.mjs";

const MOST_LEVELS = 200;
const language = new Compartment();
const painted = [yaml(), syntaxHighlighting(ink)];
const plain = [];

/** The language for a first text; it is put away and brought back as the text changes. */
export function languageFor(text) {
  const follow = EditorState.transactionExtender.of((transaction) => {
    if (!transaction.docChanged) return null;
    const wanted = choose(transaction.newDoc.toString());
    return wanted === language.get(transaction.startState) ? null : { effects: language.reconfigure(wanted) };
  });
  return [language.of(choose(text)), follow];
}

const choose = (text) => (isTooDeep(text) ? plain : painted);

function isTooDeep(text) {
  let depth = 0;
  for (const line of text.split("\n")) {
    let dashes = 0;
    for (let i = 0; i < line.length; i += 1) {
      const letter = line[i];
      if ((letter === "-" || letter === "?") && line[i + 1] === " ") dashes += 1;
      else if (letter === "[" || letter === "{") depth += 1;
      else if (letter === "]" || letter === "}") depth = Math.max(0, depth - 1);
      if (dashes > MOST_LEVELS || depth > MOST_LEVELS) return true;
    }
  }
  return false;
}
