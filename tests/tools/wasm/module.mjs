// Reads and writes the parts of a wasm file, as far as the build's own tools need them.

/** Goes through bytes. What is passed is copied to `out` when function numbers are given anew. */
export class Reader {
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
  text() {
    return this.take(this.number()).toString();
  }
  each(what) {
    for (let left = this.number(); left > 0; left--) what(this);
  }
  /** The bytes of every entry of a list. */
  entries(pass) {
    const all = [];
    this.each(() => {
      const from = this.at;
      pass(this);
      all.push(this.bytes.subarray(from, this.at));
    });
    return all;
  }
  /** A function's number, which is replaced where numbers are given anew. */
  functionNumber() {
    if (!this.renumber) return this.numbers(1);
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
  functionType() {
    if (this.byte() !== 0x60) throw new Error("a type that is not a function's");
    return { given: [...this.take(this.number())], results: [...this.take(this.number())] };
  }
  limits() {
    this.numbers(this.byte() & 1 ? 2 : 1);
  }
  table() {
    this.byte();
    this.limits();
  }
  global() {
    this.skip(2);
    this.instructions();
  }
  /** An import: what it is called, what sort of thing it is and the bytes of its type. */
  import() {
    const [module, name, sort] = [this.text(), this.text(), this.byte()];
    const from = this.at;
    if (sort === 0) this.number();
    else if (sort === 1) this.table();
    else if (sort === 2) this.limits();
    else this.skip(2);
    return { module, name, sort, type: this.bytes.subarray(from, this.at) };
  }
  export() {
    this.text();
    if (this.byte() === 0) this.functionNumber();
    else this.number();
  }
  /** A list of functions for a table. */
  element() {
    const flags = this.number();
    if ((flags & 3) === 2) this.number();
    if (!(flags & 1)) this.instructions();
    if (flags & 3) this.byte();
    this.each(() => (flags & 4 ? this.instructions() : this.functionNumber()));
  }
  /** A function's locals, as counts and types. */
  locals() {
    const runs = [];
    this.each(() => runs.push([this.number(), this.byte()]));
    return runs;
  }
  /** A function's locals and instructions. */
  body() {
    this.locals();
    this.instructions();
  }
}

/** The bytes that a module puts into its memory: where, and what. */
export function dataOf(content) {
  const all = [];
  new Reader(content).each((r) => {
    if (r.byte() !== 0 || r.byte() !== 0x41) throw new Error("data that is not put at a fixed place");
    const at = r.number();
    if (r.byte() !== 0x0b) throw new Error("data whose place is computed");
    all.push({ at, bytes: r.take(r.number()) });
  });
  return all;
}

/** The section for such bytes. */
export const data = (all) => list(all.map(({ at, bytes }) => Buffer.concat([Buffer.from([0, 0x41]), signed(at), sized([0x0b], bytes)])));

function bare(bytes) {
  const reader = new Reader(bytes);
  return reader.take(reader.number());
}

/** The sections of a module by their numbers: 1 types, 2 imports, 3 functions, 4 tables, 5 memory, 6 globals, 7 exports, 8 start, 9 elements, 10 code, 11 data,
 * 12 count of data, 0 others. */
export function sections(wasm) {
  const reader = new Reader(wasm);
  reader.skip(8);
  const all = [];
  while (!reader.done) {
    const id = reader.byte();
    const content = reader.take(reader.number());
    all.push({ id, content, name: id === 0 ? new Reader(content).text() : "" });
  }
  return all;
}

/** The bytes of every entry of the section with that number. */
export function entries(all, id, pass) {
  const found = all.find((section) => section.id === id);
  return found ? new Reader(found.content).entries(pass) : [];
}

/** The functions of the code section, each without its length. */
export const bodiesOf = (all) => entries(all, 10, (r) => r.skip(r.number())).map(bare);

/** A module of sections. */
export const module = (all) => Buffer.concat([HEAD, ...all.map(({ id, content }) => sized([id], content))]);

/** A module of which some sections, by their numbers, are made anew from what they were. */
export const remade = (all, makers) => module(all.map(({ id, content }) => ({ id, content: makers[id]?.(content) ?? content })));
const HEAD = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

/** Bytes in which every function's number is another one; `pass` says what the bytes are. */
export function renumbered(bytes, renumber, pass) {
  const reader = new Reader(bytes);
  reader.renumber = renumber;
  pass(reader);
  return Buffer.concat([...reader.out, reader.bytes.subarray(reader.copied)]);
}

/** A list of entries, as sections are made of. */
export const list = (entries) => Buffer.concat([leb(entries.length), ...entries]);
/** Something after its length, perhaps with bytes before. */
export const sized = (before, content) => Buffer.concat([Buffer.from(before), leb(content.length), content]);
export const text = (value) => sized([], Buffer.from(value));

export function leb(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
}

/** A LEB128 number with a sign. */
export function signed(value) {
  const bytes = [];
  for (; value > 63 || value < -64; value >>= 7) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value & 127]);
}
