// Makes two files of one wasm: the first has what the start of the page needs, the second the rest. The first is whole by itself: where it comes to a
// function that is not there yet, it has the page get the second, and goes on. So which function is where decides how soon the page is there, and nothing else.
import { Reader, bodiesOf, data, dataOf, entries, leb, list, module, remade, renumbered, sections, signed, sized, text } from "./module.mjs";

/**
 * The two modules. `isEarly` says of a function, by its place in the code, whether it belongs to the first. Of `texts`, which are somewhere in the data, those
 * come with the second that no function of the first names.
 */
export function split(wasm, isEarly, texts = []) {
  const whole = read(wasm);
  const { imported, calls } = whole;
  const places = [...calls.keys()];
  const isFirst = (place) => isEarly(place) || whole.pinned.has(imported + place);
  const first = places.filter(isFirst);
  const later = places.filter((place) => !isFirst(place));
  const wanted = new Set([...whole.listed, ...first.flatMap((place) => calls[place])]);
  // What the first calls of the second goes through a table that the second fills; what the second calls of the first it imports.
  const awaited = later.filter((place) => wanted.has(imported + place));
  const shared = [...new Set(later.flatMap((place) => calls[place]))].filter((number) => number < imported || isFirst(number - imported));
  const named = first.flatMap((place) => numbersNamed(whole.bodies[place]));
  const { kept, taken } = takeOut(whole.data, texts, named);
  return { first: makeFirst(whole, first, awaited, shared, kept), later: makeLater(whole, later, awaited, shared, taken) };
}

/** Bytes without those of some texts, and these. What code names, or other bytes point to, is not taken out. */
function takeOut(all, texts, named) {
  const taken = [];
  let kept = all;
  const pointers = all.flatMap(wordsOf);
  for (const text of texts) {
    const home = kept.find(({ bytes }) => bytes.includes(text));
    if (!home) continue;
    const offset = home.bytes.indexOf(text);
    const [from, to] = [home.at + offset, home.at + offset + text.length];
    if ([named, pointers].some((numbers) => numbers.some((number) => number >= from && number < to))) continue;
    const rest = [{ at: home.at, bytes: home.bytes.subarray(0, offset) }, { at: to, bytes: home.bytes.subarray(offset + text.length) }];
    kept = kept.flatMap((one) => (one === home ? rest.filter(({ bytes }) => bytes.length > 0) : [one]));
    taken.push({ at: from, bytes: text });
  }
  return { kept, taken };
}

/** What pointers may be: the numbers at whole words. */
function wordsOf({ at, bytes }) {
  const words = [];
  for (let i = (4 - (at % 4)) % 4; i + 4 <= bytes.length; i += 4) words.push(bytes.readUInt32LE(i));
  return words;
}

/** Every number in a function that may be an address. */
function numbersNamed(body) {
  const found = [];
  const reader = new Reader(body);
  const skip = reader.operands.bind(reader);
  reader.operands = (op) => {
    const from = reader.at;
    skip(op);
    const to = reader.at;
    reader.at = from;
    if (op === 0x41) found.push(reader.number());
    // Two addresses, or one and a length, are often one number.
    else if (op === 0x42) found.push(...halves(reader));
    else if (op >= 0x28 && op <= 0x3e) found.push((reader.number(), reader.number()));
    reader.at = to;
  };
  reader.body();
  return found;
}

function halves(reader) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.byte();
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn)];
  }
}

/** The parts of a module, and for each function whom it calls, by numbers that count imports first. */
function read(wasm) {
  const all = sections(wasm).filter(({ name }) => name !== "name");
  const content = new Map(all.map((section) => [section.id, section.content]));
  const numbersIn = (bytes, pass) => {
    const found = [];
    renumbered(bytes, (number) => (found.push(number), number), pass);
    return found;
  };
  const imports = entries(all, 2, (r) => r.import());
  const bodies = bodiesOf(all);
  const typeNumbers = [...imports.map((bytes) => new Reader(bytes).import().type), ...entries(all, 3, (r) => r.number())];
  const exports = entries(all, 7, (r) => r.export());
  const globals = entries(all, 6, (r) => r.global());
  return {
    all,
    imports,
    imported: imports.length,
    bodies,
    typeNumbers,
    types: entries(all, 1, (r) => r.functionType()),
    tables: entries(all, 4, (r) => r.table()),
    memory: entries(all, 5, (r) => r.limits())[0],
    globals,
    exports,
    data: dataOf(content.get(11)),
    calls: bodies.map((body) => numbersIn(body, (r) => r.body())),
    listed: entries(all, 9, (r) => r.element()).flatMap((bytes) => numbersIn(bytes, (r) => r.element())),
    pinned: new Set([
      ...exports.flatMap((bytes) => numbersIn(bytes, (r) => r.export())),
      ...globals.flatMap((bytes) => numbersIn(bytes, (r) => r.global())),
      ...(content.has(8) ? numbersIn(content.get(8), (r) => r.functionNumber()) : []),
    ]),
  };
}

/** The names under which the first gives and the second takes. The glue has names of its own. */
const given = (sort, number) => text(`$${sort}${number.toString(36)}`);
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3];
/** static/boot.js gives the function by which the second is got. */
const GET = [text("later"), text("get")];

function makeFirst(whole, first, awaited, shared, kept) {
  const { imported, types, tables } = whole;
  const [plain, waiting] = [types.length, tables.length];
  const numbers = new Map(first.map((place, i) => [imported + place, imported + 1 + i]));
  const ensure = imported + 1 + first.length;
  awaited.forEach((place, i) => numbers.set(imported + place, ensure + 1 + i));
  const number = (old) => numbers.get(old) ?? old;
  const type = (old) => whole.typeNumbers[old];
  const standIn = (place, i) => {
    const { given } = new Reader(types[new Reader(type(imported + place)).number()]).functionType();
    const passed = given.flatMap((_, k) => [0x20, ...leb(k)]);
    return Buffer.from([0, 0x10, ...leb(ensure), ...passed, 0x41, ...signed(i), 0x11, ...type(imported + place), ...leb(waiting), 0x0b]);
  };
  const added = [
    Buffer.from([0, 0x41, 0, 0x25, ...leb(waiting), 0xd1, 0x04, 0x40, 0x10, ...leb(imported), 0x0b, 0x0b]),
    ...awaited.map(standIn),
  ];
  const give = (sort, i, number) => Buffer.concat([given(sort, i), Buffer.from([sort]), leb(number)]);
  const gifts = [
    ...shared.map((old, i) => give(FUNCTION, i, number(old))),
    ...[...tables, "waiting"].map((_, i) => give(TABLE, i, i)),
    give(MEMORY, 0, 0),
    ...whole.globals.map((_, i) => give(GLOBAL, i, i)),
  ];
  return remade(whole.all, {
    1: () => list([...types, Buffer.from([0x60, 0, 0])]),
    2: () => list([...whole.imports, Buffer.concat([...GET, Buffer.from([FUNCTION]), leb(plain)])]),
    3: () => list([...first.map((place) => type(imported + place)), leb(plain), ...awaited.map((place) => type(imported + place))]),
    4: () => list([...tables, Buffer.from([0x70, 0, ...leb(awaited.length)])]),
    6: (content) => renumbered(content, number, (r) => r.each(() => r.global())),
    7: () => list([...whole.exports.map((bytes) => renumbered(bytes, number, (r) => r.export())), ...gifts]),
    8: (content) => renumbered(content, number, (r) => r.functionNumber()),
    9: (content) => renumbered(content, number, (r) => r.each(() => r.element())),
    10: () => list([...first.map((place) => renumbered(whole.bodies[place], number, (r) => r.body())), ...added].map((body) => sized([], body))),
    11: () => data(kept),
    12: () => leb(kept.length),
  });
}

function makeLater(whole, later, awaited, shared, taken) {
  const { imported, tables } = whole;
  const numbers = new Map([...shared, ...later.map((place) => imported + place)].map((old, i) => [old, i]));
  const number = (old) => numbers.get(old);
  const take = (sort, i, type) => Buffer.concat([text("-"), given(sort, i), Buffer.from([sort]), type]);
  const waiting = Buffer.from([0x70, 0, ...leb(awaited.length)]);
  return module([
    { id: 1, content: list(whole.types) },
    {
      id: 2,
      content: list([
        ...shared.map((old, i) => take(FUNCTION, i, whole.typeNumbers[old])),
        ...[...tables, waiting].map((type, i) => take(TABLE, i, type)),
        take(MEMORY, 0, whole.memory),
        ...whole.globals.map((bytes, i) => take(GLOBAL, i, bytes.subarray(0, 2))),
      ]),
    },
    { id: 3, content: list(later.map((place) => whole.typeNumbers[imported + place])) },
    { id: 9, content: list([Buffer.concat([Buffer.from([2, ...leb(tables.length), 0x41, 0, 0x0b, 0]), list(awaited.map((place) => leb(number(imported + place))))])]) },
    { id: 10, content: list(later.map((place) => sized([], renumbered(whole.bodies[place], number, (r) => r.body())))) },
    { id: 11, content: data(taken) },
  ]);
}
