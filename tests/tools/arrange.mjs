// Puts the functions of a wasm into an order in which similar ones stand side by side: brotli finds their likeness more cheaply then.
// Only the numbers of functions change, and with them whoever calls or lists one. Names are dropped.

/** The same module with its functions in another order. */
export function arrange(wasm) {
  const sections = split(wasm);
  const imported = countImports(sections.find(({ id }) => id === 2)?.reader());
  const bodies = readBodies(sections.find(({ id }) => id === 10).reader());
  const order = chain(bodies);
  const renumbered = new Map(order.map((old, place) => [imported + old, imported + place]));
  const number = (old) => renumbered.get(old) ?? old;
  const rewritten = {
    3: (reader) => reorder(reader, order),
    6: (reader) => rewrite(reader, number, globals),
    7: (reader) => rewrite(reader, number, exports),
    8: (reader) => rewrite(reader, number, (r) => r.functionNumber()),
    9: (reader) => rewrite(reader, number, elements),
    10: () => code(bodies, order, number),
  };
  const kept = sections.filter((section) => section.id !== 0 || section.name() !== "name");
  const parts = kept.map((section) => sized(section.id, rewritten[section.id]?.(section.reader()) ?? section.content));
  return Buffer.concat([wasm.subarray(0, 8), ...parts]);
}

/** Goes through bytes; what is passed is copied when a rewriter gives function numbers anew. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.copied = 0;
    this.out = [];
  }
  get done() {
    return this.at >= this.bytes.length;
  }
  byte() {
    return this.bytes[this.at++];
  }
  /** A LEB128 number. */
  number() {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.byte();
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  }
  numbers(count) {
    for (; count > 0; count--) this.number();
  }
  skip(count) {
    this.at += count;
  }
  take(count) {
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
  each(what) {
    for (let left = this.number(); left > 0; left--) what(this);
  }
  /** A function's number, which is replaced. */
  functionNumber() {
    this.out.push(this.bytes.subarray(this.copied, this.at));
    this.out.push(leb(this.renumber(this.number())));
    this.copied = this.at;
  }
  /** Instructions up to the end that belongs to them. */
  instructions() {
    for (let depth = 1; depth > 0; ) {
      const op = this.byte();
      if (op === 0x0b) depth--;
      else if (op >= 0x02 && op <= 0x04) depth++;
      this.operands(op);
    }
  }
  operands(op) {
    if (op === 0x10 || op === 0xd2) this.functionNumber();
    else if (op >= 0x02 && op <= 0x04) this.number();
    else if (op === 0x0e) {
      this.each(() => this.number());
      this.number();
    } else if (op === 0x1c) this.each(() => this.number());
    else if (op === 0x11 || (op >= 0x28 && op <= 0x3e)) this.numbers(2);
    else if (op === 0x43) this.skip(4);
    else if (op === 0x44) this.skip(8);
    else if (op === 0xfc) this.miscellaneous(this.number());
    else if ((op >= 0x0c && op <= 0x0d) || (op >= 0x20 && op <= 0x26) || (op >= 0x3f && op <= 0x42) || op === 0xd0) this.number();
    else if (op > 0xd2 || (op > 0xc4 && op < 0xd0) || (op > 0x11 && op < 0x1a) || (op > 0x05 && op < 0x0b))
      throw new Error(`unknown instruction ${op}`);
  }
  /** Memory and table instructions after 0xfc; the conversions among them have no operands. */
  miscellaneous(op) {
    if (op > 17) throw new Error(`unknown instruction 252 ${op}`);
    if (op >= 8) this.number();
    if ([8, 10, 12, 14].includes(op)) this.number();
  }
}

function split(wasm) {
  const reader = new Reader(wasm);
  reader.skip(8);
  const sections = [];
  while (!reader.done) {
    const id = reader.byte();
    const content = reader.take(reader.number());
    const name = () => {
      const inner = new Reader(content);
      return inner.take(inner.number()).toString();
    };
    sections.push({ id, content, name, reader: () => new Reader(content) });
  }
  return sections;
}

function countImports(reader) {
  let functions = 0;
  const limits = (r) => r.numbers(r.byte() & 1 ? 2 : 1);
  reader?.each((r) => {
    r.skip(r.number());
    r.skip(r.number());
    const kind = r.byte();
    if (kind === 0) functions++;
    if (kind === 0) r.number();
    else if (kind === 3) r.skip(2);
    else {
      if (kind === 1) r.byte();
      limits(r);
    }
  });
  return functions;
}

function readBodies(reader) {
  const bodies = [];
  reader.each((r) => bodies.push(r.take(r.number())));
  return bodies;
}

function rewrite(reader, number, what) {
  reader.renumber = number;
  what(reader);
  return Buffer.concat([...reader.out, reader.bytes.subarray(reader.copied)]);
}

const exports = (reader) =>
  reader.each((r) => {
    r.skip(r.number());
    if (r.byte() === 0) r.functionNumber();
    else r.number();
  });

const globals = (reader) =>
  reader.each((r) => {
    r.skip(2);
    r.instructions();
  });

const elements = (reader) =>
  reader.each((r) => {
    const flags = r.number();
    if ((flags & 3) === 2) r.number();
    if (!(flags & 1)) r.instructions();
    if (flags & 3) r.byte();
    r.each(() => (flags & 4 ? r.instructions() : r.functionNumber()));
  });

function reorder(reader, order) {
  const types = [];
  reader.each((r) => types.push(r.number()));
  return Buffer.concat([leb(order.length), ...order.map((old) => leb(types[old]))]);
}

function code(bodies, order, number) {
  const body = (old) => {
    const inner = rewrite(new Reader(bodies[old]), number, (r) => {
      r.each(() => r.numbers(2));
      r.instructions();
    });
    return Buffer.concat([leb(inner.length), inner]);
  };
  return Buffer.concat([leb(order.length), ...order.map(body)]);
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

const leb = (value) => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
};

const sized = (id, content) => Buffer.concat([Buffer.from([id]), leb(content.length), content]);
