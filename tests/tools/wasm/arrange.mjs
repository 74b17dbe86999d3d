// Puts the functions of a wasm into an order in which similar ones stand side by side: brotli finds their likeness more cheaply then.
// Only the numbers of functions change, and with them whoever calls or lists one. Names are dropped.
import { Reader, bodiesOf, entries, list, remade, renumbered, sections, sized } from "./module.mjs";

/** The same module with its functions in another order. */
export function arrange(wasm) {
  const all = sections(wasm).filter(({ name }) => name !== "name");
  const imported = entries(all, 2, (r) => r.import()).filter((bytes) => new Reader(bytes).import().sort === 0).length;
  const types = entries(all, 3, (r) => r.number());
  const bodies = bodiesOf(all);
  const order = chain(bodies);
  const places = new Map(order.map((old, place) => [imported + old, imported + place]));
  const number = (old) => places.get(old) ?? old;
  return remade(all, {
    3: () => list(order.map((old) => types[old])),
    6: (content) => renumbered(content, number, (r) => r.each(() => r.global())),
    7: (content) => renumbered(content, number, (r) => r.each(() => r.export())),
    8: (content) => renumbered(content, number, (r) => r.functionNumber()),
    9: (content) => renumbered(content, number, (r) => r.each(() => r.element())),
    10: () => list(order.map((old) => sized([], renumbered(bodies[old], number, (r) => r.body())))),
  });
}

/** The order: after each function the one whose code is, in the greatest part, made of pieces that it has too; the shortest where there is none. Rare
 * pieces weigh more. */
function chain(bodies) {
  const pieces = bodies.map(piecesOf);
  const holders = new Map();
  pieces.forEach((own, i) => own.forEach((piece) => holders.get(piece)?.push(i) ?? holders.set(piece, [i])));
  const weights = new Map();
  for (const [piece, list] of holders)
    if (list.length > 1 && list.length <= MOST_HOLDERS) weights.set(piece, Math.log(bodies.length / list.length));
  const size = pieces.map((own) => own.reduce((sum, piece) => sum + (weights.get(piece) ?? WEIGHT_ALONE), LEAST_SIZE));
  const rest = bodies.map((_, i) => i).sort((a, b) => bodies[b].length - bodies[a].length || b - a);
  const placed = new Set();
  const next = (last) => {
    const likeness = new Map();
    for (const piece of pieces[last] ?? []) {
      const weight = weights.get(piece);
      if (weight) for (const i of holders.get(piece)) if (!placed.has(i)) likeness.set(i, (likeness.get(i) ?? 0) + weight);
    }
    let best;
    let most = 0;
    for (const [i, like] of likeness) if (like / size[i] > most) [best, most] = [i, like / size[i]];
    return best;
  };
  const order = [];
  while (order.length < bodies.length) {
    let i = next(order.at(-1));
    while (i === undefined || placed.has(i)) i = rest.pop();
    placed.add(i);
    order.push(i);
  }
  return order;
}

/** A piece that more functions have says nothing. */
const MOST_HOLDERS = 1000;
const PIECE_BYTES = 5;
/** What a piece weighs that no other function has, and what is added so that tiny functions are not like everything. */
const WEIGHT_ALONE = 6;
const LEAST_SIZE = 20;

/** All pieces of a body, by their hashes. */
function piecesOf(body) {
  const pieces = new Set();
  for (let i = 0; i + PIECE_BYTES <= body.length; i++) {
    let hash = 2166136261;
    for (let k = 0; k < PIECE_BYTES; k++) hash = Math.imul(hash ^ body[i + k], 16777619);
    pieces.add(hash);
  }
  return [...pieces];
}
