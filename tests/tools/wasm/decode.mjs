// The instructions of a wasm function, with what is known of each before it runs: the block around it, and how much lies on the stack.
import { Reader } from "./module.mjs";

export const OP = {
  unreachable: 0x00, block: 0x02, loop: 0x03, if: 0x04, else: 0x05, end: 0x0b, br: 0x0c, brIf: 0x0d, brTable: 0x0e, return: 0x0f,
  call: 0x10, callIndirect: 0x11, get: 0x20, set: 0x21, tee: 0x22,
};
const ENDS = new Set([OP.unreachable, OP.br, OP.brTable, OP.return]);
const BEGINS = new Set([OP.if, OP.else, OP.end, OP.brIf]);

/**
 * Takes a body apart. `signature` is the function's own; `signatures.type(n)` and `signatures.call(n)` are those of types and functions.
 * Of each instruction: its bytes, its operands, the frame around it, the height of the stack in that (`null` where it is never reached), and whether
 * it `begins` something: whether another way may lead here than to the instruction before.
 */
export function decode(bytes, signature, signatures) {
  const reader = new Reader(bytes);
  const locals = reader.locals();
  const code = [];
  let frame = { op: 0, results: signature.results, parent: null, closes: [] };
  let height = 0;
  let last = OP.block;
  while (!reader.done) {
    const from = reader.at;
    const op = reader.byte();
    const one = { op, from, ...operands(reader, op), frame, height, begins: BEGINS.has(last) };
    one.to = reader.at;
    code.push(one);
    last = op;
    if (op >= OP.block && op <= OP.if) {
      if (height !== null && op === OP.if) height -= 1;
      frame = { op, results: one.value === 0x40 ? [] : [one.value], parent: frame, closes: [], outside: height };
      if (height !== null) height = 0;
    } else if (op === OP.else) {
      frame.closes.push(code.length - 1);
      height = frame.outside === null ? null : 0;
    } else if (op === OP.end) {
      frame.closes.push(code.length - 1);
      height = frame.outside == null ? null : frame.outside + frame.results.length;
      frame = frame.parent;
    } else if (ENDS.has(op)) height = null;
    else if (height !== null) height += effect(one, signatures);
  }
  return { locals, code };
}

/** The frame that is so far up, at most the function's. */
export function around(frame, up) {
  for (; up > 0 && frame.parent; up--) frame = frame.parent;
  return frame;
}

/** The bytes of a body at which code begins: its first, and those to which more than one way may lead. */
export function beginnings(bytes) {
  const reader = new Reader(bytes);
  reader.locals();
  const all = [reader.at];
  while (!reader.done) {
    const op = reader.byte();
    reader.operands(op);
    if (BEGINS.has(op) && !reader.done) all.push(reader.at);
  }
  return all;
}

function operands(reader, op) {
  const from = reader.at;
  reader.operands(op);
  const to = reader.at;
  reader.at = from;
  const result = {};
  if (op === OP.brTable) {
    result.labels = [];
    reader.each(() => result.labels.push(reader.number()));
    result.labels.push(reader.number());
  } else if (to > from) result.value = reader.number();
  if (op >= OP.block && op <= OP.if && to > from + 1) throw new Error("a block with a type of its own");
  reader.at = to;
  return result;
}

/** What an instruction adds to the stack. */
function effect({ op, value }, signatures) {
  const called = ({ given, results }) => results.length - given.length;
  if (op === OP.call) return called(signatures.call(value));
  if (op === OP.callIndirect) return called(signatures.type(value)) - 1;
  if (op === 0xfc) return [0, 0, 0, 0, 0, 0, 0, 0, -3, 0, -3, -3, -3, 0, -3, -1, 1, -3][value];
  for (const [first, last, adds] of EFFECTS) if (op >= first && op <= last) return adds;
  return 0;
}

/** The other instructions that change the height: the first and the last of a row of them. */
const EFFECTS = [
  [0x0d, 0x0d, -1], [0x1a, 0x1a, -1], [0x1b, 0x1c, -2],
  [0x20, 0x20, 1], [0x21, 0x21, -1], [0x23, 0x23, 1], [0x24, 0x24, -1], [0x26, 0x26, -2],
  [0x36, 0x3e, -2], [0x3f, 0x3f, 1], [0x41, 0x44, 1],
  [0x46, 0x4f, -1], [0x51, 0x66, -1], [0x6a, 0x78, -1], [0x7c, 0x8a, -1], [0x92, 0x98, -1], [0xa0, 0xa6, -1],
  [0xd0, 0xd0, 1], [0xd2, 0xd2, 1],
];
