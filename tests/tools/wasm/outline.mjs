// Takes what does not run at the start out of functions that do: each such piece becomes a function of its own, which can be in the second file then.
// A piece goes from a place to which only one way leads to the end of the block around it. It is given the locals that it needs, and gives back those that it
// changes and, where it leaves by other ways than its end, a number that says by which: the first as its result and the others in globals, because functions
// with several results have not always worked in browsers.
import { OP, around, decode } from "./decode.mjs";
import { findLive } from "./live.mjs";
import { Reader, bodiesOf, entries, leb, list, remade, sections, sized } from "./module.mjs";

/** What a piece must save at least. */
const LEAST_BYTES = 64;
const MOST_EXITS = 60;
const [NONE, I32] = [0x40, 0x7f];
const ZERO = { 0x7f: [0x41, 0], 0x7e: [0x42, 0], 0x7d: [0x43, 0, 0, 0, 0], 0x7c: [0x44, 0, 0, 0, 0, 0, 0, 0, 0] };

/** The module with such pieces outside. `isCold(place, at)` says whether a function's code from a certain byte on did not run. */
export function outline(wasm, isCold) {
  const whole = new Whole(wasm);
  const bodies = whole.bodies.map((bytes, place) => new Whittled(whole, place, bytes).without((at) => isCold(place, at)));
  return whole.with(bodies);
}

/** A module that gets more types and functions. */
class Whole {
  added = [];
  constructor(wasm) {
    this.all = sections(wasm);
    this.types = entries(this.all, 1, (r) => r.functionType());
    this.signatures = this.types.map((bytes) => new Reader(bytes).functionType());
    const imports = entries(this.all, 2, (r) => r.import()).map((bytes) => new Reader(bytes).import().type);
    this.functions = [...imports, ...entries(this.all, 3, (r) => r.number())].map((bytes) => new Reader(bytes).number());
    this.bodies = bodiesOf(this.all);
    this.imported = imports.length;
    this.globals = entries(this.all, 6, (r) => r.global());
    this.spare = {};
    this.known = new Map(this.types.map((bytes, number) => [bytes.toString("latin1"), number]));
  }
  type(number) {
    return this.signatures[number];
  }
  call(number) {
    return this.signatures[this.functions[number]];
  }
  /** Takes a function in and gives its number. */
  add(given, results, body) {
    const bytes = Buffer.from([0x60, ...leb(given.length), ...given, ...leb(results.length), ...results]);
    const key = bytes.toString("latin1");
    if (!this.known.has(key)) {
      this.known.set(key, this.types.length);
      this.types.push(bytes);
    }
    this.added.push({ type: this.known.get(key), body });
    return this.imported + this.bodies.length + this.added.length - 1;
  }
  /** The global by which the n-th value of a type is given back. */
  global(type, n) {
    const all = (this.spare[type] ??= []);
    if (n === all.length) all.push(this.globals.push(Buffer.from([type, 1, ...ZERO[type], OP.end])) - 1);
    return leb(all[n]);
  }
  with(bodies) {
    return remade(this.all, {
      1: () => list(this.types),
      3: () => list([...this.functions.slice(this.imported), ...this.added.map(({ type }) => type)].map(leb)),
      6: () => list(this.globals),
      10: () => list([...bodies, ...this.added.map(({ body }) => body)].map((body) => sized([], body))),
    });
  }
}

/** A function that loses its cold pieces. */
class Whittled {
  constructor(whole, place, bytes) {
    const signature = whole.call(whole.imported + place);
    Object.assign(this, { whole, bytes, results: signature.results, given: signature.given.length, ...decode(bytes, signature, whole) });
    this.types = [...signature.given, ...this.locals.flatMap(([count, type]) => Array(count).fill(type))];
  }
  /** The body, with a call where each piece was. */
  without(isCold) {
    if (!this.code.some(({ begins, from }) => begins && isCold(from))) return this.bytes;
    findLive(this.code, this.types.length);
    const parts = [];
    let copied = this.code[0].from;
    for (let i = 0; i < this.code.length; i++) {
      const { begins, from } = this.code[i];
      const piece = begins && isCold(from) ? this.piece(i) : undefined;
      if (!piece) continue;
      parts.push(this.bytes.subarray(copied, from), piece.call());
      copied = this.code[piece.end].from;
      i = piece.end - 1;
    }
    if (parts.length === 0) return this.bytes;
    return Buffer.concat([list(this.locals.map(([count, type]) => Buffer.from([...leb(count), type]))), ...parts, this.bytes.subarray(copied)]);
  }
  piece(begin) {
    const { frame, height } = this.code[begin];
    const end = frame.closes.find((at) => at >= begin);
    const size = this.code[end].from - this.code[begin].from;
    if (height !== 0 || size < LEAST_BYTES || frame.results.length > 1 || frame.results.some((type) => !ZERO[type])) return undefined;
    const piece = new Piece(this, begin, end, frame);
    return piece.fits && size - piece.cost >= LEAST_BYTES ? piece : undefined;
  }
  /** A local of its own. */
  local(type) {
    this.locals.push([1, type]);
    return this.types.push(type) - 1;
  }
}

const isLocal = (op) => op >= OP.get && op <= OP.tee;

const types = (owner, locals) => locals.map((local) => owner.types[local]);

/** Code from one place to the end of the block around it. */
class Piece {
  constructor(owner, begin, end, frame) {
    Object.assign(this, { owner, begin, end, frame, result: frame.results[0], fits: true, exits: [] });
    /** Whether it can come to its own end. */
    this.falls = owner.code[end].height !== null;
    this.used = new Set();
    this.changed = new Set();
    this.look();
    this.choose();
  }
  *walk() {
    let depth = 0;
    for (let i = this.begin; i < this.end; i++) {
      const one = this.owner.code[i];
      if (one.op === OP.end) depth -= 1;
      yield [one, depth];
      if (one.op >= OP.block && one.op <= OP.if) depth += 1;
    }
  }
  /** Finds the ways out, and which locals are used and set. */
  look() {
    for (const [{ op, value, labels }, depth] of this.walk()) {
      if (isLocal(op)) this.used.add(value);
      if (op === OP.set || op === OP.tee) this.changed.add(value);
      else if (op === OP.br || op === OP.brIf) this.way(value - depth, op);
      else if (op === OP.return) this.way(Infinity, op);
      else if (op === OP.brTable) for (const label of labels) this.way(label - depth, op);
    }
  }
  /** Takes note of a branch. */
  way(up, op) {
    if (up < 0) return;
    const exit = this.exit(up);
    if (exit === undefined) this.falls = true;
    else if (exit === null || op === OP.brTable || (exit === "return" && op === OP.brIf && this.owner.results.length > 0)) this.fits = false;
    else if (!this.exits.includes(exit)) this.exits.push(exit);
    if (this.exits.length > MOST_EXITS) this.fits = false;
  }
  /** Where a branch leads that goes so far up: to the piece's end (undefined), nowhere that can be told (null), out of the function, or to a label around. */
  exit(up) {
    const target = around(this.frame, up);
    if (target === this.frame && target.op !== OP.loop) return undefined;
    if (!target.parent) return this.owner.results.length > 1 ? null : "return";
    return target.op !== OP.loop && target.results.length > 0 ? null : up;
  }
  choose() {
    const { owner, frame } = this;
    const { live } = owner.code[this.begin];
    const matter = [...(this.falls ? [frame.after] : []), ...this.exits.filter((exit) => exit !== "return").map((exit) => around(frame, exit).there)];
    const all = [...this.used].sort((a, b) => a - b);
    this.inputs = all.filter((local) => live.has(local));
    this.alone = all.filter((local) => !live.has(local));
    this.outputs = all.filter((local) => this.changed.has(local) && matter.some((bits) => bits.has(local)));
    if (this.outputs.some((local) => !ZERO[owner.types[local]])) this.fits = false;
    this.numbered = this.exits.length > (this.falls ? 0 : 1);
    this.carries = this.exits.includes("return") && owner.results.length > 0;
    // Of a call and of a function that stands in for one in the other file.
    this.cost = 18 + 4 * this.inputs.length + 4 * this.outputs.length + 7 * this.exits.length + (this.carries ? 4 : 0);
  }
  /** What stands in the piece's place. */
  call() {
    const { owner, inputs, exits } = this;
    const [number, value] = [this.numbered && owner.local(I32), this.carries && owner.local(owner.results[0])];
    const answers = this.answers(number, value, (local) => local);
    const made = owner.whole.add(types(owner, inputs), answers.slice(0, 1).map(({ type }) => type), this.body());
    const out = [...inputs.flatMap((local) => [OP.get, ...leb(local)]), OP.call, ...leb(made)];
    for (const { local, global } of answers) if (local !== undefined) out.push(...(global ? [0x23, ...global] : []), OP.set, ...leb(local));
    const leave = (exit) => (exit !== "return" ? [OP.br, ...leb(exit)] : this.carries ? [OP.get, ...leb(value), OP.return] : [OP.return]);
    exits.forEach((exit, i) => {
      const isLast = i === exits.length - 1 && !this.falls;
      const asked = isLast ? [] : [OP.get, ...leb(number), 0x41, i + 1, 0x46];
      if (isLast) out.push(...leave(exit));
      else if (exit === "return") out.push(...asked, OP.if, NONE, ...leave(exit), OP.end);
      else out.push(...asked, OP.brIf, ...leb(exit));
    });
    if (exits.length === 0 && !this.falls) out.push(OP.unreachable);
    return Buffer.from(out);
  }
  /** What the function gives back: the block's result, which stays on the stack, the number of the exit, the value to return, the changed locals. */
  answers(number, value, place) {
    const { owner } = this;
    const all = [
      ...this.frame.results.map((type) => ({ type })),
      ...(this.numbered ? [{ type: I32, local: number }] : []),
      ...(this.carries ? [{ type: owner.results[0], local: value }] : []),
      ...this.outputs.map((local) => ({ type: owner.types[local], local: place(local) })),
    ];
    const counts = {};
    return all.map((one, i) => {
      if (i === 0) return one;
      const n = counts[one.type] ?? 0;
      counts[one.type] = n + 1;
      return { ...one, global: owner.whole.global(one.type, n) };
    });
  }
  /** The function that is made of it. */
  body() {
    const { owner } = this;
    const numbers = new Map([...this.inputs, ...this.alone].map((local, i) => [local, i]));
    let next = numbers.size;
    const [number, value] = [this.numbered && next++, this.carries && next++];
    const own = [...types(owner, this.alone), ...(this.numbered ? [I32] : []), ...(this.carries ? owner.results : [])];
    const out = [OP.block, this.result ?? NONE];
    for (const [one, depth] of this.walk()) out.push(...this.moved(one, depth, { numbers, number, value }));
    out.push(OP.end);
    const answers = this.answers(number, value, (local) => numbers.get(local));
    for (const { local, global } of answers.slice(1)) out.push(OP.get, ...leb(local), 0x24, ...global);
    for (const { local } of answers.slice(0, 1)) if (local !== undefined) out.push(OP.get, ...leb(local));
    return Buffer.concat([list(own.map((type) => Buffer.from([1, type]))), Buffer.from([...out, OP.end])]);
  }
  /** An instruction as it is in the function of its own, where a block stands for the one that was around it. */
  moved(one, depth, { numbers, number, value }) {
    const { op } = one;
    if (isLocal(op)) return [op, ...leb(numbers.get(one.value))];
    const up = op === OP.return ? Infinity : op === OP.br || op === OP.brIf ? one.value - depth : -1;
    if (up < 0) return this.owner.bytes.subarray(one.from, one.to);
    const exit = this.exit(up);
    if (exit === undefined) return [op === OP.return ? OP.br : op, ...leb(depth)];
    const carried = exit === "return" && this.carries ? [OP.set, ...leb(value)] : [];
    const told = this.numbered ? [0x41, this.exits.indexOf(exit) + 1, OP.set, ...leb(number)] : [];
    const leave = (levels) => [...carried, ...told, ...(ZERO[this.result] ?? []), OP.br, ...leb(levels)];
    return op === OP.brIf ? [OP.if, NONE, ...leave(depth + 1), OP.end] : leave(depth);
  }
}
